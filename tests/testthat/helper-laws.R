# What the tests of laws share: kinds of data, and values on them.

# Kinds of pairs. ties: rows at equal distances, so that chance decides among neighbours.
# loose: rounding of the data themselves costs digits. k: neighbours that suit the size.
law_kinds <- function() once("kinds of pairs", {
  set.seed(21)
  gauss <- related_pair(30, 5, 8)
  gauss <- lapply(gauss, function(x) sweep(x, 2, rnorm(ncol(x)), "+"))
  kinds <- list(
    gauss = gauss,
    equal_widths = list(x = exp(normal_matrix(24, 6)), y = normal_matrix(24, 6)),
    more_columns = related_pair(15, 40, 25, d = 8),
    one_column = list(x = normal_matrix(20, 1), y = normal_matrix(20, 4), ties = TRUE),
    four_rows = list(x = normal_matrix(4, 3), y = normal_matrix(4, 5), k = 3),
    all_neighbours = list(x = normal_matrix(9, 3), y = normal_matrix(9, 4), k = 8),
    integers = list(x = matrix(rpois(120, 1), 30), y = matrix(rpois(180, 0.7), 30), ties = TRUE),
    duplicates = list(x = gauss$x[c(1:20, 1:10), c(1:5, 1:3)],
                      y = gauss$y[c(1:20, 1:10), c(1:8, 8)],
                      ties = TRUE),
    low_rank = list(x = normal_matrix(26, 2) %*% normal_matrix(2, 6),
                    y = normal_matrix(26, 3) %*% normal_matrix(3, 4)),
    nearly_singular = list(x = cbind(gauss$x, gauss$x[, 1] + 1e-9 * rnorm(30)),
                           y = cbind(gauss$y, gauss$y[, 2] + 1e-8 * rnorm(30)), loose = TRUE),
    unequal_sizes = list(x = 1e-6 * gauss$x, y = sweep(gauss$y, 2, 10^(0:7), "*"), loose = TRUE)
  )
  # neither zero rows nor constant rows
  for (side in c("x", "y")) {
    counts <- kinds$integers[[side]] + 1
    constant <- apply(counts, 1, function(row) all(row == row[1]))
    counts[constant, 1] <- counts[constant, 1] + 1
    kinds$integers[[side]] <- counts
  }
  kinds
})

k_of <- function(kind) if (is.null(kind$k)) 5 else kind$k

# Data that a setting may refuse, by definition: correlations over one column. There all
# cosines are 1 or -1, and cosine distances to neighbours 0.
may_refuse <- function(id, args, x, y) {
  if (identical(args$of, "distance") && min(ncol(x), ncol(y)) < 2) return(TRUE)
  correlates_rows <- (id == "rsa" && (is.null(args$inner) || args$inner == "correlation")) ||
    identical(args$metric, "correlation")
  correlates_rows && min(ncol(x), ncol(y)) < 2
}

# No stable value: an arbitrary basis (pwcca), rank one similarities (rsa with two columns).
unstable <- function(id, args, x, y) {
  if (id == "pwcca") return(qr(x)$rank + qr(y)$rank > nrow(x) - 2)
  FALSE
}

# A score, or the place and the way in which calling it went wrong.
outcome <- function(id, x, y, args, seed = 5) {
  undefined <- FALSE
  set.seed(seed)
  tryCatch(
    withCallingHandlers(suppressMessages({
      value <- do.call(id, c(list(x, y), args))
      if (!is.double(value) || length(value) != 1 || is.nan(value)) {
        list(state = "wrong", why = paste("value", format(value)))
      } else if (is.na(value) && !undefined) {
        list(state = "wrong", why = "NA without a repalign_undefined warning")
      } else if (is.infinite(value)) {
        list(state = "wrong", why = "infinite")
      } else {
        list(state = if (is.na(value)) "undefined" else "value", value = value)
      }
    }), warning = function(w) {
      if (!inherits(w, "repalign_warning")) stop("plain warning: ", conditionMessage(w))
      if (inherits(w, "repalign_undefined")) undefined <<- TRUE
      invokeRestart("muffleWarning")
    }),
    repalign_error = function(e) list(state = "refused", why = conditionMessage(e)),
    error = function(e) list(state = "wrong", why = conditionMessage(e))
  )
}

value_of_outcome <- function(got) if (got$state == "value") got$value else NA_real_

value_near <- function(id, args, x, y) value_of_outcome(outcome(id, x, y, args))

# Of a kind of pair as it is, or with its sides exchanged: most laws ask for it. label: the setting
# and the kind, as each_law() has it.
plain_outcome <- function(id, args, label, kind, turned = FALSE) {
  once(paste("outcome of", label, if (turned) "turned"), {
    if (turned) outcome(id, kind$y, kind$x, args) else outcome(id, kind$x, kind$y, args)
  })
}

plain_value <- function(...) value_of_outcome(plain_outcome(...))

# |a - b| small, with what the kind and the measure allow.
law_tolerance <- function(id, kind, value) {
  tolerance <- if (isTRUE(kind$loose)) 1e-5 else 1e-8
  # values near 0 are roots of rounding errors
  if (id %in% c("gulp", "procrustes", "procrustes_size_shape", "procrustes_similarity",
                "angular_shape", "shape_distance", "soft_matching", "bures_distance", "permutation_procrustes",
                "rsm_difference")) tolerance <- max(tolerance, 1e-6)
  # equal distances that rounding tells apart move ranks a little
  if (id == "rsa" && (isTRUE(kind$ties) || isTRUE(kind$loose))) tolerance <- 2e-3
  tolerance * max(1, abs(value))
}

note_same <- function(a, b, id, kind, label) {
  good <- isTRUE(abs(a - b) <= law_tolerance(id, kind, b)) || (is.na(a) && is.na(b))
  note(good, sprintf("%s: %.15g, not %.15g", label, a, b))
}

# f(id, args, label, kind) over all settings on all kinds of pairs.
each_law <- function(f, kinds = law_kinds()) {
  for (name in names(kinds)) {
    kind <- kinds[[name]]
    each_setting(function(id, args, setting) f(id, args, paste0(setting, " on ", name), kind),
                 k_of(kind))
  }
}

# Chance decides among tied neighbours: values then differ from run to run of the generator.
by_chance <- function(id, args, kind) {
  m <- measure_with(id, args)
  if (identical(m$args$ties, "average") && !takes_orders(m$declaration, m$args)) return(FALSE)
  metric <- if (uses_graph(id, args)) metric_of(id, args) else ""
  if (isTRUE(kind$ties)) return(uses_graph(id, args))
  # correlation of two columns is 1 or -1
  metric == "correlation" && min(ncol(kind$x), ncol(kind$y)) < 3
}

# Invariances at other settings than the default.
invariances_of <- function(id, args) {
  base <- if (id %in% names(expected_invariances)) {
    strsplit(expected_invariances[[id]], "")[[1]]
  } else {
    table <- measures()
    names(letters_of)[letters_of %in% strsplit(table$invariant[table$id == id], ", ")[[1]]]
  }
  add <- function(...) union(base, c(...))
  if (identical(args$scale, FALSE)) base <- setdiff(base, "S")
  if (identical(args$center, FALSE)) base <- setdiff(base, "T")
  if (isTRUE(args$center)) base <- add("T")
  if (isTRUE(args$scale)) base <- add("S")
  if (id == "gulp" && !is.null(args$lambda)) base <- setdiff(base, "L")
  if (identical(args$alpha, 0)) base <- add("L")
  if (identical(args$whitening, "raw")) base <- setdiff(base, "S")
  if (identical(args$weights, "l1")) base <- add("O", "L")
  if (id == "rsa" && !is.null(args$inner)) {
    base <- switch(args$inner, euclidean = , sqeuclidean = add("O", "T"), cosine = add("O"), base)
  }
  if (identical(args$metric, "euclidean")) base <- add("T")
  if (identical(args$metric, "correlation")) base <- setdiff(base, "O")
  if (id == "uniformity_difference" && isTRUE(args$normalize)) base <- c("O", "S", "C")
  base
}

# Values that grow with the data, and those that depend on its units otherwise.
grows <- function(id, args) {
  id %in% c("procrustes_size_shape", "bures_distance", "rsm_difference", "magnitude_difference") ||
    (id %in% c("procrustes", "permutation_procrustes", "shape_distance",
               "soft_matching") &&
       !identical(args$whitening, "raw") && !"S" %in% invariances_of(id, args))
}

tie_free <- function() {
  set.seed(41)
  shared <- normal_matrix(22, 4)
  lapply(c(a = 4, b = 7, c = 25),
         function(d) shared %*% normal_matrix(4, d) + normal_matrix(22, d) + 1)
}

all_measures <- function(k = 5) {
  all <- registered_settings(k)
  unlist(lapply(names(all), function(id) lapply(all[[id]], function(args) {
    measure_with(id, args)
  })), recursive = FALSE)
}

single <- function(m, x, y, id = m$id) {
  args <- m$args
  score(id, x, y, args[intersect(names(args), names(formals(get(id))))])
}

# Values at the defaults. Ties among neighbours are broken at random: with one seed, equal data
# give equal values.
contract_value <- function(id, x, y) {
  set.seed(1)
  suppressWarnings(suppressMessages(get(id)(x, y)))
}

# Two related representations of the same width with unequal variances and means, more
# rows than any default number of neighbours, no ties.
contract_pair <- function(seed = 1, n = 40) {
  set.seed(seed)
  stimuli <- normal_matrix(n, 4)
  read_out <- function() {
    x <- stimuli %*% normal_matrix(4, 5) + normal_matrix(n, 5)
    sweep(sweep(x, 2, c(0.5, 1, 1.5, 2, 3), "*"), 2, rnorm(5), "+")
  }
  list(x = read_out(), y = read_out())
}

same_value <- function(a, b) abs(a - b) <= 1e-8 * max(1, abs(a))
