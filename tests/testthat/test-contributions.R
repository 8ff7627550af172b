# contributions(): what a score is made of, against values computed apart, scores made anew, and all
# permutations.

# ---- reference values

why_inputs <- function() {
  if (is.null(read_tables[["why inputs"]])) {
    table <- read.csv(shared_file("reference", "why", "inputs.csv"))
    read_tables[["why inputs"]] <- lapply(split(table, table$matrix), function(part) {
      m <- matrix(0, max(part$row), max(part$column))
      m[cbind(part$row, part$column)] <- part$value
      m
    })
  }
  read_tables[["why inputs"]]
}

# "cka(stimulus)" or "rsa(correlation, spearman)"; in case c column j is the same neuron.
why_measure <- function(text, case) {
  id <- sub("\\(.*", "", text)
  given <- strsplit(sub(".*\\((.*)\\)", "\\1", text), ", ")[[1]]
  if (id == "rsa") return(measure("rsa", inner = given[1], outer = given[2]))
  measure(id, estimator = given, shared_neurons = case == "c" && given == "stimulus_neuron")
}

# What contributions() has for a row of the reference values.
why_found <- function(rows, groups) {
  inputs <- why_inputs()
  case <- rows$case[1]
  parts <- do.call(rbind, strsplit(rows$args, "; "))
  kind <- sub("_.*", "", rows$quantity[1])
  side <- sub(".*_", "", rows$quantity[1])
  by <- switch(kind, stimulus = "stimuli", group = "groups", neuron = paste0("neurons_", side),
               component = "components", stop(kind))
  of <- if (kind == "component") "cka(naive)" else parts[1, 1]
  found <- quietly(contributions(
    inputs[[paste0(case, "_x")]], inputs[[paste0(case, "_y")]], why_measure(of, case), by = by,
    groups = if (kind == "group") groups, components = if (kind == "component") 3 else 5
  ))
  column <- sub("_[xy]$", "", sub("^[a-z]+_", "", rows$quantity))
  name <- if (kind == "group") paste(found$part_x, "x", found$part_y) else
    if (kind == "component") paste0("x ", found$part_x, ", y ", found$part_y) else found$part
  wanted <- if (kind == "component") sub("rest after.*", "x rest, y rest", rows$args) else
    sub("^[a-z]+ ([0-9]+)$", "\\1", parts[, 2])
  mapply(function(name_at, column) found[[column]][name_at], match(wanted, name), column)
}

test_that("contributions, chance, effects and errors are the reference values", {
  values <- read.csv(shared_file("reference", "why", "values.csv"))
  labels <- read.csv(shared_file("reference", "why", "labels.csv"))
  values <- values[grepl("^(stimulus|group|neuron|component)_", values$quantity), ]
  expect_identical(nrow(values), 720L)
  of <- sub(";.*", "", values$args)
  of[grepl("^component", values$quantity)] <- ""
  side <- sub("^[a-z]+_[a-z]+", "", values$quantity)
  keys <- paste(values$case, sub("_.*", "", values$quantity), side, of)
  for (rows in split(values, keys)) {
    groups <- labels[labels$case == rows$case[1], ]
    found <- why_found(rows, groups$group[order(groups$row)])
    # tolerances are relative, and absolute below 1
    error <- abs(found - rows$value) / pmax(abs(rows$value), 1)
    bad <- which(is.na(error) | error > rows$tolerance)
    expect_identical(paste(rows$case[bad], rows$quantity[bad], rows$args[bad], found[bad]),
                     character())
  }
})

# ---- laws

set.seed(71)
n <- 14
latent <- matrix(rnorm(n * 4), n)
x <- latent %*% matrix(rnorm(24), 4) + matrix(rnorm(n * 6), n)
y <- latent %*% matrix(rnorm(20), 4) + matrix(rnorm(n * 5), n)
group <- rep(c("one", "two", "lone", "three"), c(5, 4, 1, 4))[c(8:14, 1:7)]
units <- list(x = c("a", "b", "b", "c", "d", "e"), y = c("b", "a", "f", "c", "c"))

summed_measures <- list(
  measure("cka"), measure("cka", estimator = "stimulus"),
  measure("cka", estimator = "stimulus_neuron"),
  measure("cka", estimator = "stimulus_neuron", units_x = units$x, units_y = units$y),
  measure("cka", estimator = "stimulus_neuron", complete = "y"), measure("cka", kernel = "rbf"),
  measure("cka", kernel = "rbf", estimator = "stimulus"), measure("rv"),
  measure("distance_correlation", estimator = "unbiased"),
  measure("distance_correlation", squared = TRUE), measure("rsa"),
  measure("rsa", inner = "euclidean", outer = "pearson"), measure("rsa", outer = "cosine"),
  measure("rsa", outer = "whitened_cosine"),
  measure("rsa", inner = "sqeuclidean", outer = "whitened_pearson")
)
over_neurons <- Filter(function(m) identical(m$args$kernel, "linear"), summed_measures)

taken_apart <- function(...) quietly(contributions(...))
scored <- function(x, y, m) quietly(similarity(x, y, m))$score
# a measure for some of the neurons
cut_units <- function(m, keep_x = TRUE, keep_y = TRUE) {
  m$args["units_x"] <- list(m$args$units_x[keep_x])
  m$args["units_y"] <- list(m$args$units_y[keep_y])
  m
}

test_that("all rows add up to the score", {
  for (m in summed_measures) {
    score <- scored(x, y, m)
    found <- taken_apart(x, y, m)
    expect_identical(dim(found), c(14L, 10L))
    expect_lt(abs(sum(found$contribution) - score), 1e-10)
    expect_lt(abs(sum(found$share) - 1), 1e-10)
    expect_equal(found$excess, found$contribution - found$chance)
    expect_identical(found$effect, sort(found$effect, decreasing = TRUE))
    groups <- taken_apart(x, y, m, by = "groups", groups = group)
    expect_identical(nrow(groups), 10L)
    expect_lt(abs(sum(groups$contribution) - score), 1e-10)
    expect_identical(sum(groups$pairs), 91)
    expect_identical(groups$pairs[groups$part_x == "lone" & groups$part_y == "lone"], 0)
  }
  for (m in over_neurons) {
    score <- scored(x, y, m)
    for (side in c("x", "y")) {
      found <- taken_apart(x, y, m, by = paste0("neurons_", side))
      expect_lt(abs(sum(found$contribution) - score), 1e-10)
      expect_identical(nrow(found), ncol(list(x = x, y = y)[[side]]))
    }
  }
  for (m in list("cka", "rv")) {
    for (k in c(1, 3, 9)) {
      found <- taken_apart(x, y, m, by = "components", components = k)
      expect_identical(nrow(found), as.integer(min(k, 6) * min(k, 5) + 1))
      expect_lt(abs(sum(found$contribution) - scored(x, y, m)), 1e-10)
    }
  }
})

test_that("effects are what scores made anew lose", {
  for (m in summed_measures) {
    found <- taken_apart(x, y, m)
    own <- identical(m$args$kernel, "rbf")
    # the width of a Gaussian kernel is that of all stimuli
    of <- if (own) NULL else vapply(as.integer(found$part), function(i) {
      scored(x[-i, ], y[-i, ], m)
    }, 0)
    if (!own) expect_equal(found$effect, scored(x, y, m) - of, tolerance = 1e-9)
  }
  for (m in over_neurons) {
    for (side in c("x", "y")) {
      found <- taken_apart(x, y, m, by = paste0("neurons_", side))
      twin <- is.null(m$args$units_x)
      of <- vapply(as.integer(found$part), function(a) {
        # a label that one neuron of each side has is a neuron: "a" alone
        shared <- !twin && units[[side]][a] == "a"
        keep_x <- if (side == "x") -a else if (shared) -1 else TRUE
        keep_y <- if (side == "y") -a else if (shared) -2 else TRUE
        scored(x[, keep_x], y[, keep_y], if (twin) m else cut_units(m, keep_x, keep_y))
      }, 0)
      expect_equal(found$effect, scored(x, y, m) - of, tolerance = 1e-9)
    }
  }
  m <- measure("cka", estimator = "stimulus_neuron", shared_neurons = TRUE)
  found <- taken_apart(x[, 1:5], y, m, by = "neurons_y")
  of <- vapply(as.integer(found$part), function(a) scored(x[, 1:5][, -a], y[, -a], m), 0)
  expect_equal(found$effect, scored(x[, 1:5], y, m) - of, tolerance = 1e-9)
  expect_lt(abs(sum(found$contribution) - scored(x[, 1:5], y, m)), 1e-10)
  # neurons that responses() names are left out on both sides by any estimator
  named <- list(x = responses(x, neuron = letters[1:6]), y = responses(y, neuron = c("c", "k", "a", "l", "m")))
  for (m in list(measure("cka", estimator = "naive"), measure("cka", estimator = "stimulus_neuron"),
                 measure("procrustes"))) {
    found <- taken_apart(named$x, named$y, m, by = "neurons_x")
    of <- vapply(match(found$part, letters), function(a) {
      keep <- setdiff(1:5, c(3, NA, 1)[a])
      scored(responses(x[, -a], neuron = letters[1:6][-a]),
             responses(y[, keep], neuron = c("c", "k", "a", "l", "m")[keep]), m)
    }, 0)
    expect_equal(found$effect, scored(named$x, named$y, m) - of, tolerance = 1e-9)
  }
})

test_that("errors of groups are those of contributions made anew without each stimulus", {
  ties <- round(x)
  labels <- factor(group, c("two", "one", "three", "lone"))
  cases <- c(lapply(summed_measures, function(m) list(m, x, y)), list(
    list(measure("rsa", inner = "euclidean"), ties, round(y)),
    list(measure("cka", estimator = "stimulus_neuron", shared_neurons = TRUE), x[, 1:5], y),
    # one stimulus has nearly all of the variance
    list(measure("cka", estimator = "stimulus"), rbind(1e5 * x[1, ], x[-1, ]), y),
    list(measure("cka", estimator = "stimulus_neuron"), rbind(1e5 * x[1, ], x[-1, ]), y)
  ))
  for (case in cases) {
    if (identical(case[[1]]$args$kernel, "rbf")) next
    found <- taken_apart(case[[2]], case[[3]], case[[1]], by = "groups", groups = labels)
    part <- paste(found$part_x, found$part_y)
    deleted <- vapply(seq_len(n), function(i) {
      one <- taken_apart(case[[2]][-i, ], case[[3]][-i, ], case[[1]], by = "groups",
                         groups = labels[-i])
      found <- one$contribution[match(part, paste(one$part_x, one$part_y))]
      replace(found, is.na(found), 0)
    }, numeric(length(part)))
    se <- sqrt((n - 1) / n * rowSums((deleted - rowMeans(deleted))^2))
    expect_equal(found$se, se, tolerance = 1e-8)
    expect_equal(found$conf_high, found$contribution + qt(0.975, n - 1) * se, tolerance = 1e-8)
    expect_identical(unique(found$part_x), levels(labels))
  }
})

test_that("chance is the mean over all permutations of y", {
  skip_unless_extended()
  # contributions are sums over pairs, of which i -> a i + b modulo 5 takes each to all others alike
  orders <- unlist(lapply(1:4, function(a) lapply(0:4, function(b) (a * 0:4 + b) %% 5 + 1)),
                   recursive = FALSE)
  few <- x[1:5, ]
  other <- y[1:5, ]
  labels <- c("u", "v", "u", "v", "u")
  check <- function(m, ...) {
    mean <- rowMeans(vapply(orders, function(order) {
      made <- taken_apart(few, other[order, ], m, ...)
      of <- if (is.null(made$part)) paste(made$part_x, made$part_y) else made$part
      made$contribution[order(of)]
    }, numeric(nrow(taken_apart(few, other, m, ...)))))
    made <- taken_apart(few, other, m, ...)
    of <- if (is.null(made$part)) paste(made$part_x, made$part_y) else made$part
    expect_equal(made$chance[order(of)], mean, tolerance = 1e-9)
  }
  for (m in summed_measures[c(1:4, 6, 9:15)]) check(m)
  for (m in list("cka", measure("rsa", outer = "cosine"))) check(m, by = "groups", groups = labels)
  for (side in c("neurons_x", "neurons_y")) check("cka", by = side)
  check("rv", by = "components", components = 2)
})

test_that("of two models the difference is taken apart, by name or position", {
  models <- list(late = y, early = y[, 1:3] + matrix(rnorm(n * 3), n))
  m <- measure("cka", estimator = "stimulus")
  for (by in list(list("stimuli"), list("neurons_x"), list("groups", groups = group))) {
    both <- do.call(taken_apart, c(list(x, models, m, by = by[[1]]), by[-1]))
    each <- lapply(models, function(y) do.call(taken_apart, c(list(x, y, m, by = by[[1]]), by[-1])))
    part <- function(rows) if (is.null(rows$part)) paste(rows$part_x, rows$part_y) else rows$part
    at <- lapply(each, function(one) match(part(both), part(one)))
    for (column in c("contribution", "effect", "chance")) {
      expect_equal(both[[column]], each$late[[column]][at$late] - each$early[[column]][at$early])
    }
    expect_equal(sum(both$contribution), scored(x, y, m) - scored(x, models$early, m))
    expect_identical(unique(both$y), "late - early")
    expect_match(in_words(both), "x with late less with early")
  }
  rownames(x) <- rownames(y) <- paste("image", seq_len(n))
  expect_setequal(taken_apart(x, y, m)$part, rownames(x))
  named <- setNames(group, rownames(x))
  expect_identical(taken_apart(x, y, m, by = "groups", groups = sample(named)),
                   taken_apart(x, y, m, by = "groups", groups = group))
  holes <- replace(x, 2, NA)
  expect_identical(taken_apart(holes, y, m, by = "groups", groups = named, na = "stimuli")$effect,
                   taken_apart(x[-2, ], y[-2, ], m, by = "groups", groups = group[-2])$effect)
  expect_setequal(taken_apart(holes, y, m, na = "stimuli")$part, rownames(x)[-2])
})

# ---- effect alone

test_that("trials have contributions where they were not recorded together", {
  trials <- function(clean, count) array(rep(clean, count), c(dim(clean), count)) +
    rnorm(length(clean) * count) / 2
  a <- trials(x, 3)
  for (estimator in c("stimulus_trial", "stimulus_neuron_trial")) {
    m <- measure("cka", estimator = estimator)
    apart <- list(list(responses(a), y),
                  list(responses(a, session = rep("p", 6)),
                       responses(trials(y, 4), session = rep(c("q", "r"), c(3, 2)))))
    for (pair in apart) {
      for (by in c("stimuli", "neurons_x", "neurons_y")) {
        found <- quietly(contributions(pair[[1]], pair[[2]], m, by = by))
        expect_equal(sum(found$contribution), scored(pair[[1]], pair[[2]], m), tolerance = 1e-10)
        expect_false(all(is.na(found$effect)))
      }
    }
    groups <- taken_apart(apart[[1]][[1]], y, m, by = "groups", groups = group)
    expect_equal(sum(groups$contribution), scored(responses(a), y, m), tolerance = 1e-10)
    expect_false(anyNA(groups$se))
    found <- taken_apart(responses(a), y, m, by = "neurons_x")
    without <- vapply(as.integer(found$part), function(k) scored(responses(a[, -k, ]), y, m), 0)
    expect_equal(found$effect, scored(responses(a), y, m) - without)
    together <- list(responses(a), responses(trials(y, 3)))
    expect_message(suppressWarnings(contributions(together[[1]], together[[2]], m)), "is no sum",
                   class = "repalign_effect_alone")
    found <- quietly(contributions(together[[1]], together[[2]], m))
    expect_true(all(is.na(found[c("contribution", "share", "chance", "excess")])))
    i <- as.integer(found$part[1])
    expect_equal(found$effect[1], scored(together[[1]], together[[2]], m) -
                   scored(responses(a[-i, , ]), responses(unclass(together[[2]])$values[-i, , ]), m))
    expect_refused(contributions(together[[1]], together[[2]], m, by = "groups", groups = group),
                   c("`by`", "recorded together"))
  }
})

test_that("all other measures have effects, of clusters, too, from workers, too", {
  clusters <- rep(1:7, each = 2)
  m <- measure("cka", estimator = "stimulus", clusters = clusters)
  expect_message(contributions(x, y, m), "with clusters is no sum",
                 class = "repalign_effect_alone")
  found <- taken_apart(x, y, m)
  expect_setequal(found$part, paste("cluster", 1:7))
  k <- as.integer(sub("cluster ", "", found$part[1]))
  keep <- clusters != k
  expect_equal(found$effect[1], scored(x, y, m) - scored(
    x[keep, ], y[keep, ], measure("cka", estimator = "stimulus", clusters = clusters[keep])
  ))
  own <- new_measure(function(x, y) sum(x) / sum(abs(y)), "similarity", label = "own")
  for (m in list(measure("procrustes"), measure("mutual_knn", k = 3), measure("rsa", outer = "kendall"),
                 measure("angular_cka"), measure("cka", kernel = "manifold", k = 4), own)) {
    found <- taken_apart(x, y, m)
    expect_true(all(is.na(found$contribution)))
    i <- as.integer(found$part[2])
    expect_equal(found$effect[2], scored(x, y, m) - scored(x[-i, ], y[-i, ], m))
    expect_match(in_words(found), paste0("loses most without ", found$part[1], ","))
    if (identical(m$args$kernel, "manifold")) next
    found <- taken_apart(x, y, m, by = "neurons_y")
    a <- as.integer(found$part[3])
    expect_equal(found$effect[3], scored(x, y, m) - scored(x, y[, -a], m))
  }
  calls <- list(function() taken_apart(x, y, "gulp"),
                function() taken_apart(x, y, "gulp", by = "neurons_x"))
  there <- with_workers(2, lapply(calls, function(call) call()))
  for (at in seq_along(calls)) expect_equal(there[[at]], calls[[at]]())
})

# ---- what is refused

test_that("what cannot be taken apart is refused with a remedy", {
  refused <- function(..., words, class) {
    error <- quietly(tryCatch(contributions(...), error = identity))
    expect_refused(stop(error), words)
    expect_s3_class(error, paste0("repalign_error_", class))
  }
  refused(list(a = x), y, words = c("`x`", "one of its elements"), class = "type")
  refused(x, list(a = y, b = y, c = y), words = c("`y`", "list of two"), class = "type")
  refused(x, y, c("cka", "rsa"), words = "`measure`", class = "measure")
  for (by in c("neurons_y", "components")) {
    refused(x, list(a = y, b = y), by = by, words = c("`by`", "neurons_x"), class = "parameter")
  }
  refused(x, y, by = "groups", words = c("`groups`", "label"), class = "missing")
  refused(x, y, groups = group, words = c("`groups`", "by = "), class = "choice")
  refused(x, y, by = "groups", groups = group[-1], words = c("`groups`", "13 labels", "14 stimuli"),
          class = "labels")
  refused(x, y, by = "groups", groups = replace(group, 3, NA),
          words = c("`groups`", "stimulus 3", "leave"), class = "labels")
  refused(x, y, by = "groups", groups = list(1), words = "`groups`", class = "labels")
  refused(x, y, measure("cka", kernel = "rbf"), by = "neurons_x",
          words = c("`by`", "kernel = \"linear\""), class = "parameter")
  for (m in list(measure("cka", kernel = "rbf"), measure("cka", estimator = "stimulus"), "rsa",
                 measure("cka", clusters = rep(1:7, 2)))) {
    refused(x, y, m, by = "components", words = c("`by`", "naive"), class = "parameter")
  }
  for (m in list("procrustes", measure("rsa", outer = "kendall"), "distance_correlation",
                 measure("cka", clusters = rep(1:7, 2)))) {
    refused(x, y, m, by = "groups", groups = group, words = c("`by`", "by = \"stimuli\""),
            class = "parameter")
  }
  refused(x, y, by = "components", components = 0, words = "`components`", class = "value")
  refused(x[, 1, drop = FALSE], y, by = "neurons_x", words = c("`x`", "by = "), class = "size")
  refused(dist(x), y, "rsa", by = "neurons_x", words = "`x`", class = "type")
  refused(x[1:4, ], y[1:4, ], words = c("`x`", "at least 5"), class = "rows")
  refused(x, y, estimator = "stimulus", words = "measure\\(\"cka\", estimator", class = "parameter")
  labelled <- measure("angular_cka", estimator = "stimulus_neuron", units_x = units$x,
                      units_y = units$y, clusters = rep(1:7, 2))
  refused(x, y, labelled, by = "neurons_x", words = c("`by`", "responses\\(\\)"), class = "parameter")
  expect_warning(contributions(cbind(c(1, -1, 0, 0, 0), c(0, 0, 1, -1, 0)), y[1:5, ], "rv",
                               by = "components"), class = "repalign_close_components")
})

# ---- print, sentence, picture

test_that("prints say when shares are unstable, and sentences tell what makes a score", {
  found <- taken_apart(x, y, measure("cka", estimator = "stimulus"))
  score <- scored(x, y, measure("cka", estimator = "stimulus"))
  expect_match(in_words(found), paste0(
    "Half of the positive contributions to the CKA corrected for few stimuli of x and y came from ",
    "[0-9]+ of 14 stimuli, the largest part from ", found$part[which.max(found$contribution)],
    ", without which it would be"
  ))
  expect_output(print(found), "Contributions to cka\\(stimulus\\) of x and y: 0[.][0-9]+ \\(standard")
  se <- score_interval(x, y, measure("cka", estimator = "stimulus"))$se
  expect_equal(attr(found, "scores")$se, se)
  expect_false(any(grepl("unstable", capture.output(print(found)))))
  set.seed(2)
  low <- taken_apart(x, matrix(rnorm(n * 5), n), measure("cka", estimator = "stimulus"))
  expect_output(print(low), "below 2 standard errors: shares are unstable")
  groups <- taken_apart(x, y, "rsa", by = "groups", groups = group)
  expect_match(in_words(groups),
               "the largest part came from pairs .* \\(-?0[.][0-9]+, 95% interval")
  expect_equal(attr(groups, "scores")$se, score_interval(x, y, "rsa")$se)
  expect_identical(dim(confint(groups)), c(10L, 2L))
  expect_match(in_words(taken_apart(x, y, by = "components")), "component 1 of x with component")
  expect_match(in_words(taken_apart(x, y, by = "neurons_y")),
               "of 5 neurons of y, the largest part from")
  both <- rbind(one = found, two = low)
  expect_length(in_words(both), 2)
})

test_that("a score that is not above 0 is not taken apart, and a difference is by its sign", {
  corrected <- measure("cka", estimator = "stimulus")
  set.seed(4)
  unrelated <- matrix(rnorm(n * 5), n)
  below <- quietly(contributions(x, unrelated, corrected))
  expect_lt(attr(below, "scores")$score, 0)
  groups <- quietly(contributions(x, unrelated, corrected, by = "groups", groups = group))
  for (found in list(below, groups)) {
    expect_match(in_words(found), "\\(-[0-9.]+, 14 stimuli\\) is not above 0: there is no similarity")
    expect_output(print(found), "not above 0: there is no similarity of which parts")
  }
  expect_match(in_words(quietly(contributions(x, list(a = y, b = y)))),
               "No part of the .* differs from 0")
  # undefined without a stimulus
  attr(below, "scores")[c("score", "se")] <- c(0.5, NA)
  below$effect[which.max(below$contribution)] <- NA
  expect_output(print(below), "undefined without some of the stimuli: shares")
  expect_match(in_words(below), "without which it would be undefined \\(0.50\\)")
  # the other way round, the same parts are the largest ones
  layers <- list(near = y, far = y + 2 * unrelated)
  for (by in c("stimuli", "groups")) {
    labels <- if (by == "groups") group
    more <- taken_apart(x, layers, "rsa", by = by, groups = labels)
    less <- taken_apart(x, layers[2:1], "rsa", by = by, groups = labels)
    expect_gt(attr(more, "scores")$score, 0)
    part <- regmatches(in_words(more), regexpr("part (came )?from [^,(]+", in_words(more)))
    expect_match(in_words(less), part, fixed = TRUE)
    if (by == "stimuli") expect_match(in_words(less), "Half of the negative contributions")
  }
})

test_that("points and tiles are drawn", {
  skip_if_not_installed("ggplot2")
  for (by in c("stimuli", "neurons_x", "neurons_y", "components")) {
    expect_no_error(built(ggplot2::autoplot(taken_apart(x, y, by = by))))
  }
  for (labels in list(group, rep("all", n))) {
    picture <- ggplot2::autoplot(taken_apart(x, y, "rsa", by = "groups", groups = labels))
    expect_no_error(built(picture))
  }
  picture <- ggplot2::autoplot(taken_apart(x, y, "procrustes"))
  named <- unlist(lapply(picture$layers, function(layer) {
    if (inherits(layer$geom, "GeomText")) layer$data$name
  }))
  expect_length(named, 10)
  # numbers at the axis are ranks, and names stand beside the dots, within the panel
  few <- ggplot2::autoplot(taken_apart(x, y, by = "neurons_x"))
  panel <- ggplot2::layer_scales(few)$x
  expect_true(all(panel$get_breaks() %in% few$data$rank))
  column <- Filter(function(layer) inherits(layer$geom, "GeomText"), few$layers)[[1]]$data
  expect_gt(column$to_x[1], max(column$rank))
  expect_gt(panel$get_limits()[2], column$to_x[1])
  tiles <- ggplot2::autoplot(taken_apart(x, y, "rv", by = "components", components = 2))
  expect_identical(nrow(tiles$data), 4L)
  expect_match(caption_text(tiles), "^Numbers: share.* all other components: [0-9]+%")
  # where groups have numbers, these are in order; levels that were given stay
  names <- paste("group", c(1:7, 1:7))
  names[7] <- "group 10"
  for (labels in list(names, factor(names, rev(unique(names))))) {
    many <- ggplot2::autoplot(quietly(taken_apart(x, y, "rsa", by = "groups", groups = labels)))
    wanted <- if (is.factor(labels)) levels(labels) else paste("group", c(1:7, 10))
    expect_identical(levels(many$data$column), wanted)
    expect_match(caption_text(many), "^Numbers, where they have room: share of the score")
  }
})

test_that("partial scores have effects alone, of scores made anew without each part", {
  set.seed(11)
  x <- normal_matrix(20, 6)
  z <- normal_matrix(20, 5)
  y <- x[, 1:4] + z[, 1:4] + normal_matrix(20, 4)
  set <- measure("cka", estimator = "stimulus", given = z)
  whole <- quietly(cka(x, y, estimator = "stimulus", given = z))
  found <- quietly(contributions(x, y, set))
  expect_true(all(is.na(found$contribution)))
  without <- vapply(as.integer(found$part), function(i) {
    quietly(cka(x[-i, ], y[-i, ], estimator = "stimulus", given = z[-i, ]))
  }, 0)
  expect_equal(found$effect, whole - without)
  found <- quietly(contributions(x, y, set, by = "neurons_x"))
  without <- vapply(as.integer(found$part), function(i) {
    quietly(cka(x[, -i], y, estimator = "stimulus", given = z))
  }, 0)
  expect_equal(found$effect, whole - without)
  expect_error(contributions(x, y, set, by = "components"), class = "repalign_error_parameter")
})
