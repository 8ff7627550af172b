# across_sessions(): reference values, laws, refusals.

days_of_case <- function(case) {
  inputs <- read.csv(shared_file("reference", "groups", "inputs.csv"))
  inputs <- inputs[startsWith(inputs$matrix, paste0(case, "_")), ]
  labels <- read.csv(shared_file("reference", "groups", "labels.csv"))
  labels <- labels[labels$case == case, ]
  names <- unique(inputs$matrix)
  n <- max(inputs$row)
  list(times = stats::setNames(labels$time[!is.na(labels$time)], names),
       clusters = if (any(!is.na(labels$cluster))) labels$cluster[seq_len(n)],
       days = sapply(names, function(name) {
         rows <- inputs[inputs$matrix == name, ]
         neurons <- rows$neuron[match(sort(unique(rows$column)), rows$column)]
         day <- array(NA_real_, c(n, length(neurons), max(rows$trial)),
                      list(NULL, neurons, NULL))
         day[cbind(rows$row, rows$column, rows$trial)] <- rows$value
         if (case == "s5") responses(day, run = TRUE) else day
       }, simplify = FALSE))
}

quietly <- function(code) suppressMessages(suppressWarnings(code))

test_that("reference values", {
  values <- read.csv(shared_file("reference", "groups", "values.csv"))
  values <- values[startsWith(values$case, "s"), ]
  checked <- 0
  for (case in unique(values$case)) {
    given <- days_of_case(case)
    run <- function(over) {
      quietly(across_sessions(given$days, given$times, over = over, clusters = given$clusters))
    }
    both <- run(c("stimuli", "neurons"))
    alone <- run("stimuli")
    of <- function(args, name) {
      text <- sub(paste0(".*", name, " = ([^;]+).*"), "\\1", args)
      if (identical(text, args)) NA else text
    }
    for (row in which(values$case == case)) {
      args <- values$args[row]
      what <- values$quantity[row]
      result <- if (endsWith(what, "_stimuli")) alone else both
      what <- sub("_stimuli$", "", what)
      days <- names(given$days)[as.integer(c(of(args, "day_1"), of(args, "day_2")))]
      found <- if (startsWith(what, "pair_")) {
        pairs <- as.data.frame(result, part = "pairs")
        pairs[pairs$day_1 == days[1] & pairs$day_2 == days[2], sub("pair_", "", what)]
      } else if (startsWith(what, "lag_")) {
        result[[sub("lag_", "", what)]][result$measure == of(args, "measure") &
                                          abs(result$lag - as.double(of(args, "lag"))) < 1e-6]
      } else if (startsWith(what, "neuron_")) {
        neurons <- as.data.frame(result, part = "neurons")
        if (what == "neuron_variance") {
          days <- rep(names(given$days)[as.integer(of(args, "day"))], 2)
        }
        neurons$covariance[neurons$neuron == of(args, "neuron") & neurons$day_1 == days[1] &
                             neurons$day_2 == days[2]]
      } else {
        table <- summary(result)
        table[[what]][table$measure == of(args, "measure")]
      }
      expected <- values$value[row]
      error <- abs(found - expected) / max(1, abs(expected))
      expect(length(found) == 1 && identical(is.na(found), is.na(expected)) &&
               (is.na(expected) || error <= values$tolerance[row]),
             sprintf("%s %s %s: %s, expected %s", case, values$quantity[row], args,
                     format(found, digits = 12), format(expected, digits = 12)))
      checked <- checked + 1
    }
  }
  expect_gt(checked, 300)
})

# Days of one population, whose tuning may turn; neurons are named by letters.
simulated_days <- function(count = 4, n = 12, q = 8, trials = 3, noise = 0.5, keep = 0.9) {
  set.seed(1)
  z <- matrix(rnorm(n * 3), n)
  w <- matrix(rnorm(3 * q), 3)
  days <- list()
  for (d in paste0("day", seq_len(count))) {
    days[[d]] <- array(z %*% w, c(n, q, trials), list(NULL, letters[seq_len(q)], NULL)) +
      noise * rnorm(n * q * trials)
    w <- keep * w + sqrt(1 - keep^2) * matrix(rnorm(3 * q), 3)
  }
  days
}

# ---- from the definition

# Means over members of xy, x and y of one neuron a day, one a unit; NA without a member. same: are
# both of one day? Then trials must differ.
literal_moments <- function(x, y, same, units) {
  rows <- t(vapply(seq_len(nrow(x)), function(i) {
    members <- expand.grid(t = which(!is.na(x[i, ])), s = which(!is.na(y[i, ])))
    if (same) members <- members[members$t != members$s, ]
    if (!nrow(members)) return(rep(NA_real_, 3))
    a <- x[i, members$t]
    b <- y[i, members$s]
    c(mean(a * b), mean(a), mean(b))
  }, numeric(3)))
  there <- stats::complete.cases(rows)
  rowsum(rows[there, ], units[there]) / c(table(units[there]))
}

literal_h <- function(m) {
  d <- outer(m[, 1], m[, 1], "+") - outer(m[, 2], m[, 3]) - outer(m[, 3], m[, 2])
  diag(d) <- 0
  n <- nrow(d)
  (sum(d)^2 - 4 * sum(rowSums(d)^2) + 2 * sum(d^2)) / (4 * n * (n - 1) * (n - 2) * (n - 3))
}

literal_covariance <- function(m) {
  n <- nrow(m)
  mean(m[, 1]) - (sum(m[, 2]) * sum(m[, 3]) - sum(m[, 2] * m[, 3])) / (n * (n - 1))
}

# For each pair of days (also of a day with itself) and of neurons the value of h, or for one neuron
# of both the covariance: all units, then without each of them.
literal_values <- function(days, units) {
  count <- length(days)
  at <- expand.grid(d = seq_len(count), e = seq_len(count))
  at <- at[at$d <= at$e, ]
  pairs <- do.call(rbind, Map(function(d, e) {
    expand.grid(d = d, e = e, a = colnames(days[[d]]), b = colnames(days[[e]]),
                stringsAsFactors = FALSE)
  }, at$d, at$e))
  pairs$own <- pairs$a == pairs$b
  pairs$values <- t(mapply(function(d, e, a, b) {
    m <- literal_moments(matrix(days[[d]][, a, ], length(units)),
                         matrix(days[[e]][, b, ], length(units)), d == e, units)
    value <- if (a == b) literal_covariance else literal_h
    c(value(m), vapply(unique(units), function(u) value(m[rownames(m) != u, ]), 0))
  }, pairs$d, pairs$e, pairs$a, pairs$b))
  pairs
}

# Numerators and denominators of all pairs of days: arrays days x days x (top, bottom), without a
# unit (its number; 0: none) and a neuron. followed: of which pairs there is tuning.
literal_sums <- function(pairs, followed, unit, neuron) {
  count <- nrow(followed)
  pairs <- pairs[!pairs$a %in% neuron & !pairs$b %in% neuron, ]
  value <- pairs$values[, unit + 1]
  h <- function(d, e) mean(value[pairs$d == d & pairs$e == e & !pairs$own])
  tuning <- geometry <- array(NA_real_, c(count, count, 2))
  for (d in seq_len(count)) for (e in seq_len(count)[seq_len(count) > d]) {
    geometry[d, e, ] <- c(h(d, e), sqrt(h(d, d) * h(e, e)))
    if (!followed[d, e]) next
    both <- pairs$a[pairs$d == d & pairs$e == e & pairs$own]
    sum_of <- function(d, e) {
      sum(value[pairs$d == d & pairs$e == e & pairs$own & pairs$a %in% both])
    }
    tuning[d, e, ] <- c(sum_of(d, e), sqrt(sum_of(d, d) * sum_of(e, e)))
  }
  list(geometry = geometry, tuning = tuning)
}

# Scores by lag, level and slope.
literal_scores <- function(sums, times) {
  lag <- outer(times, times, function(a, b) b - a)
  used <- !is.na(sums[, , 1])
  lags <- sort(unique(lag[used]))
  score <- vapply(lags, function(l) sum(sums[, , 1][used & lag == l]) /
                    sum(sums[, , 2][used & lag == l]), 0)
  k <- vapply(lags, function(l) sum(used & lag == l), 0)
  z <- lags - sum(k * lags) / sum(k)
  c(score, sum(sums[, , 1][used]) / sum(sums[, , 2][used]), sum(k * z * score) / sum(k * z^2))
}

literal_errors <- function(days, times, units) {
  followed <- outer(days, days, Vectorize(function(a, b) {
    length(intersect(colnames(a), colnames(b))) >= 5
  }))
  neurons <- unique(unlist(lapply(days, colnames)))
  codes <- unique(units)
  pairs <- literal_values(days, units)
  scores <- function(unit, neuron) {
    sums <- literal_sums(pairs, followed, unit, neuron)
    c(literal_scores(sums$geometry, times), literal_scores(sums$tuning, times))
  }
  all <- scores(0, NULL)
  by_unit <- sapply(seq_along(codes), scores, neuron = NULL)
  by_neuron <- sapply(neurons, function(neuron) scores(0, neuron))
  n <- length(codes)
  q <- length(neurons)
  spread <- function(values) rowSums((values - rowMeans(values))^2)
  stimuli <- (n - 1) / n * spread(by_unit)
  main <- (q - 1) / q * spread(by_neuron)
  inner <- 0
  for (i in seq_len(n)) for (a in seq_len(q)) {
    inner <- inner + (scores(i, neurons[a]) - by_unit[, i] - by_neuron[, a] + all)^2
  }
  inner <- inner * (n - 1) / n * (q - 1) / q
  v <- pmax(stimuli + main - inner, stimuli, main)
  list(all = all, se = sqrt(v), df = v^2 / (stimuli^2 / (n - 1) + main^2 / (q - 1)),
       se_stimuli = sqrt(stimuli))
}

expect_literal <- function(result, alone, found) {
  table <- summary(result)
  columns <- function(result, table, lag, level, slope) {
    unlist(lapply(c("geometry", "tuning"), function(name) {
      c(result[[lag]][result$measure == name & !is.na(result$score)],
        table[[level]][table$measure == name], table[[slope]][table$measure == name])
    }))
  }
  expect_equal(columns(result, table, "score", "level", "slope"), found$all, tolerance = 1e-9)
  expect_equal(columns(result, table, "se", "level_se", "slope_se"), found$se, tolerance = 1e-8)
  expect_equal(columns(result, table, "df", "level_df", "slope_df"), found$df, tolerance = 1e-7)
  expect_equal(columns(alone, summary(alone), "se", "level_se", "slope_se"), found$se_stimuli,
               tolerance = 1e-8)
}

test_that("scores and errors are those of the definition, with all deletions made anew", {
  days <- simulated_days(3, n = 16, q = 7, trials = 2, noise = 0.2)
  days$day2 <- days$day2[, 7:2, ]
  colnames(days$day3)[1] <- "new"
  days$day1 <- days$day1[, 1:6, ]
  days$day1[3, 2, 2] <- NA
  days$day3[5, , 1] <- NA
  times <- c(1, 2, 4)
  found <- literal_errors(days, times, 1:16)
  result <- quietly(across_sessions(days, times))
  expect_literal(result, quietly(across_sessions(days, times, "stimuli")), found)
  expect_true(all(is.infinite(quietly(across_sessions(days, times, "stimuli"))$df)))
})

test_that("clusters are units, whose moments are means over their stimuli", {
  days <- simulated_days(2, n = 24, q = 6, trials = 2, noise = 0.2)
  days$day1[4, , 2] <- NA
  units <- paste0("c", rep(c(1, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 2), 2))
  found <- literal_errors(days, 1:2, units)
  # two days have no slope
  found <- lapply(found, function(values) replace(values, c(3, 6), NA))
  result <- quietly(across_sessions(days, clusters = units))
  alone <- quietly(across_sessions(days, over = "stimuli", clusters = units))
  expect_literal(result, alone, found)
  expect_identical(unique(alone$df), length(unique(units)) - 1)
  expect_equal(quietly(across_sessions(lapply(days, responses, cluster = units))), result)
})

test_that("geometry is the CKA of both days, each a session of its own", {
  days <- simulated_days(3)
  apart <- Map(function(day, name) {
    responses(day, neuron = colnames(day), session = rep(name, ncol(day)))
  }, days, names(days))
  found <- quietly(similarity(apart, measure = measure("cka", estimator = "stimulus_neuron_trial")))
  pairs <- as.data.frame(quietly(across_sessions(days)), part = "pairs")
  expect_equal(pairs$geometry, found$score, tolerance = 1e-10)
  expect_identical(paste(pairs$day_1, pairs$day_2), paste(found$x, found$y))
})

# ---- order of days

test_that("p_order is the share of orders, each as if its times were given", {
  days <- simulated_days(4)
  times <- c(0, 1, 3, 7)
  slope_of <- function(times) summary(quietly(across_sessions(days, times, "stimuli")))$slope
  orders <- unique(t(replicate(400, sample(4))))
  expect_identical(nrow(orders), 24L)
  slopes <- apply(orders, 1, function(order) slope_of(times[order]))
  table <- summary(quietly(across_sessions(days, times)))
  expect_equal(table$p_order, rowMeans(slopes <= table$slope + 1e-9))
  expect_identical(table$permutations, c(24L, 24L))
})

test_that("more than 7 days have random orders, which set.seed() reproduces", {
  days <- simulated_days(8, keep = 0.8, noise = 0.1)
  run <- function(...) summary(quietly(across_sessions(days, permutations = 99, ...)))
  set.seed(5)
  one <- run()
  set.seed(5)
  expect_identical(run(), one)
  expect_identical(one$permutations, c(99L, 99L))
  expect_equal(one$p_order[2], 0.01)
  none <- summary(quietly(across_sessions(days, permutations = 0)))
  expect_true(all(is.na(none$p_order)) && all(none$permutations == 0))
})

test_that("neither the order of days and neurons nor threads change anything", {
  days <- simulated_days(4)
  times <- c(day1 = 2, day2 = 5, day3 = 6, day4 = 9)
  result <- quietly(across_sessions(days, times))
  expect_identical(quietly(across_sessions(days[c(3, 1, 4, 2)], times)), result)
  expect_identical(quietly(across_sessions(days, times, threads = 1)),
                   quietly(across_sessions(days, times, threads = 2)))
  turned <- lapply(days, function(day) day[, sample(8), ])
  expect_equal(quietly(across_sessions(turned, times))[-1], result[-1], ignore_attr = TRUE)
  scaled <- quietly(across_sessions(lapply(days, `*`, 1e-100), times))
  expect_equal(as.data.frame(scaled), as.data.frame(result))
  neurons <- function(x) as.data.frame(x, part = "neurons")$covariance
  expect_equal(neurons(scaled) * 1e200, neurons(result))
})

test_that("few days are told that no order can tell a drift", {
  days <- simulated_days(5)
  few <- function(...) {
    seen <- FALSE
    withCallingHandlers(suppressWarnings(across_sessions(...)),
                        repalign_few_permutations = function(m) {
                          seen <<- TRUE
                          invokeRestart("muffleMessage")
                        })
    seen
  }
  expect_identical(vapply(2:5, function(k) few(days[seq_len(k)]), NA), c(FALSE, TRUE, TRUE, FALSE))
  # with unequal steps the reverse order has other lags
  expect_false(few(days[1:4], times = c(1, 2, 4, 8)))
})

# ---- what is undefined

test_that("a day without signal, and pairs with few followed neurons, are undefined", {
  days <- simulated_days(4)
  set.seed(3)
  days$day2[] <- NA
  days$day2[] <- rnorm(length(days$day2))
  repeat {
    result <- quietly(across_sessions(days))
    pairs <- as.data.frame(result, part = "pairs")
    if (all(is.na(pairs$geometry[c(1, 4, 5)])) && anyNA(pairs$tuning)) break
    days$day2[] <- rnorm(length(days$day2))
  }
  expect_warning(suppressMessages(across_sessions(days)), "day2.*`p_order` needs all pairs",
                 class = "repalign_undefined")
  expect_false(anyNA(pairs$geometry[c(2, 3, 6)]))
  expect_true(all(is.na(summary(result)$p_order)))
  expect_false(anyNA(summary(result)$slope))
  few <- simulated_days(3)
  colnames(few$day3) <- c(letters[1:4], LETTERS[1:4])
  result <- quietly(across_sessions(few))
  pairs <- as.data.frame(result, part = "pairs")
  expect_identical(pairs$followed, c(8L, 4L, 4L))
  expect_equal(pairs$share, c(1, 1 / 3, 1 / 3))
  expect_identical(is.na(pairs$tuning), c(FALSE, TRUE, TRUE))
  table <- summary(result)
  expect_true(is.na(table$slope[2]) && is.na(table$p_value[2]) && is.na(table$p_order[2]))
  expect_false(is.na(table$p_order[1]))
  expect_identical(result$pairs, c(2L, 1L, 1L, 0L))
  two <- summary(quietly(across_sessions(few[1:2])))
  expect_true(all(is.na(two[c("slope", "slope_se", "p_value", "p_order")])))
  expect_false(anyNA(two$level_se))
})

test_that("runs and events keep out what they share", {
  set.seed(2)
  days <- simulated_days(2, n = 30, trials = 4, noise = 0.3, keep = 1)
  # a run adds something to all stimuli, an event of two trials to one stimulus
  shift <- function(day) day + 2 * rep(rnorm(8 * 4), each = 30)
  slow <- function(day) {
    for (t in c(1, 3)) {
      own <- matrix(rnorm(30 * 8), 30)
      day[, , t] <- day[, , t] + own
      day[, , t + 1] <- day[, , t + 1] + own
    }
    day
  }
  tuning <- function(days) quietly(across_sessions(days))$score[2]
  expect_equal(tuning(lapply(days, function(day) responses(shift(day), run = TRUE))),
               tuning(lapply(days, responses, run = TRUE)))
  lasting <- lapply(days, slow)
  declared <- lapply(lasting, responses, event = c(1, 1, 2, 2))
  expect_lt(tuning(lasting), 0.95)
  expect_lt(abs(tuning(declared) - 1), abs(tuning(lasting) - 1))
})

test_that("missing stimuli are left out of all days, missing trials stay", {
  days <- simulated_days(2)
  days$day2[3, 2, ] <- NA
  days$day1[5, , 1] <- NA
  expect_error(across_sessions(days), "na = \"stimuli\"", class = "repalign_error_nonfinite")
  expect_message(result <- suppressWarnings(across_sessions(days, na = "stimuli")), "row 3",
                 class = "repalign_left_out")
  expect_equal(as.data.frame(quietly(across_sessions(lapply(days, function(day) day[-3, , ])))),
               as.data.frame(result))
})

# ---- names

test_that("names that only count are told, on two days or more", {
  days <- simulated_days(2)
  named <- function(first, second) {
    colnames(days$day1) <- first
    colnames(days$day2) <- second
    days
  }
  counted <- list(paste0("V", 1:8), 1:8, 0:7, paste("unit", 8:1))
  for (names in counted) {
    expect_message(suppressWarnings(across_sessions(named(names, names))), "number",
                   class = "repalign_counted_names")
  }
  silent <- list(list(letters[1:8], 1:8), list(letters[1:8], letters[1:8]),
                 list(c(1:7, 9), c(1:7, 9)), list(paste0("d1_", letters[1:8]), letters[1:8]))
  for (pair in silent) {
    expect_no_message(suppressWarnings(across_sessions(named(pair[[1]], pair[[2]]))),
                      class = "repalign_counted_names")
  }
})

test_that("bad input is refused with its place and remedy", {
  days <- simulated_days(3)
  refused <- function(..., class) {
    expect_error(suppressMessages(across_sessions(...)), class = paste0("repalign_error_", class))
  }
  bare <- days
  colnames(bare$day2) <- NULL
  expect_match(conditionMessage(refused(bare, class = "labels")), "distinct names")
  twice <- days
  colnames(twice$day2)[2] <- "a"
  refused(twice, class = "labels")
  refused(days, times = c(1, 1, 2), class = "value")
  refused(days, times = c(1, NA, 2), class = "value")
  refused(days, times = 1:2, class = "value")
  refused(days, times = c(day1 = 1, day2 = 2, other = 3), class = "names")
  refused(days[1], class = "size")
  refused(unname(days), class = "names")
  refused(days$day1, class = "type")
  refused(lapply(days, function(day) day[, , 1]), class = "type")
  refused(lapply(days, function(day) day[, , 1, drop = FALSE]), class = "trials")
  refused(lapply(days, function(day) day[1:3, , ]), class = "rows")
  single <- days
  single$day2[4:12, , 2:3] <- NA
  expect_match(conditionMessage(refused(single, class = "trials")), "day2")
  # a day of which all but one trial are lost; and no message about orders before an error
  single$day2[, , 2:3] <- NA
  expect_match(conditionMessage(refused(single, class = "pairs")), "`x[$]day2`.* give more trials")
  expect_no_message(try(across_sessions(single), silent = TRUE))
  single$day2 <- days$day2[, , 1, drop = FALSE]
  expect_no_message(try(across_sessions(single), silent = TRUE))
  refused(days, clusters = rep(1:3, 4), class = "labels")
  refused(days, over = "neurons", class = "choice")
  refused(days, over = "neurons_x", class = "choice")
  refused(days, na = "neurons", class = "choice")
  for (more in list(list(session = rep("s", 8)), list(complete = TRUE), list(series = TRUE))) {
    declared <- lapply(days, function(day) do.call(responses, c(list(day), more)))
    expect_match(conditionMessage(refused(declared, class = "choice")), names(more))
  }
  refused(list(a = days$day1, b = days$day2[-1, , ]), class = "rows")
  expect_refused(across_sessions(array(1:60 / 7, c(5, 4, 3))), "list of arrays stimuli x neurons x t")
})

# ---- result

test_that("sentences do not take one lag, one neuron or few days for a finding", {
  told <- function(days) as.character(in_words(quietly(across_sessions(days))))
  two <- simulated_days(2)
  unfollowed <- two
  colnames(unfollowed$day2) <- paste("other", 1:8)
  lone <- simulated_days(3)
  lone$day2 <- lone$day2[, 1, , drop = FALSE]
  shifted <- simulated_days(3, n = 40, q = 20, keep = 1, noise = 0.1)
  colnames(shifted$day2) <- colnames(shifted$day2)[c(2:20, 1)]
  cases <- list(
    list(two, "neurons was [.0-9]+ \\(95% interval [.0-9]+ to [.0-9]+, at one lag: no slope"),
    list(unfollowed, "^Tuning of followed neurons is undefined \\(NA\\), geometry was"),
    # lag 2 alone has both days with two neurons
    list(lone, "geometry was .* at one lag: no slope"),
    list(simulated_days(4, keep = 0.7), "not shown to fall .* smallest possible p = [.]083, level"),
    list(simulated_days(5, keep = 0.7), "^(?!.*smallest)"),
    list(shifted, "Geometry above 1 by more than chance points to swapped labels"),
    list(simulated_days(3, n = 40, q = 20, keep = 1, noise = 0.1), "^(?!.*above 1)")
  )
  for (case in cases) expect_match(told(case[[1]]), case[[2]], perl = TRUE)
  suppressWarnings(expect_warning(suppressMessages(across_sessions(lone)),
                                  "\"day2\".* a day with a single neuron"))
  result <- quietly(across_sessions(two))
  expect_identical(in_words(summary(result)), in_words(result))
  expect_error(in_words(summary(result), 1), class = "repalign_error")
})

test_that("lags stand at the axis as they are, and pairs of days beside their mean", {
  skip_if_not_installed("ggplot2")
  for (case in list(list(2, NULL, "1"), list(3, NULL, c("1", "2")),
                    list(3, c(0, 0.5, 1.5), c("0.5", "1", "1.5")),
                    list(10, NULL, c("2", "4", "6", "8")))) {
    result <- quietly(across_sessions(simulated_days(case[[1]]), case[[2]]))
    drawn <- built(ggplot2::autoplot(result))
    expect_identical(tick_labels(drawn, "x"), case[[3]])
    dots <- drawn$data[[2]]$x
    range <- drawn$layout$panel_params[[1]]$x.range
    expect_gt(min(outer(dots, unique(result$lag), function(dot, lag) abs(dot - lag))),
              0.02 * diff(range))
    expect_length(dots, nrow(as.data.frame(result, part = "pairs")) * 2)
  }
})

test_that("the result is told, drawn, compared", {
  days <- simulated_days(5, n = 20, q = 10, keep = 0.8, noise = 0.3)
  result <- quietly(across_sessions(days))
  expect_s3_class(result, "repalign_sessions")
  expect_output(print(result), "5 days, lags 1 to 4, 10 of 10 neurons followed; 1: nothing but")
  words <- as.character(in_words(result))
  expect_match(words, "^Tuning of followed neurons fell by [.0-9]+ per day")
  expect_match(as.character(in_words(quietly(across_sessions(days, times = 5:1)))),
               "per unit of time", fixed = TRUE)
  tuning <- result[result$measure == "tuning", ]
  expect_match(as.character(in_words(tuning)), "^Tuning[^,]+.*[.]$")
  expect_no_match(as.character(in_words(tuning)), "geometry")
  expect_equal(sqrt(diag(vcov(tuning))), tuning$se, ignore_attr = TRUE)
  expect_equal(sqrt(diag(vcov(result))), result$se, ignore_attr = TRUE)
  weights <- rbind(early = c(1, 0, 0, -1))
  found <- compare_scores(tuning, weights)
  expect_equal(found$difference, tuning$score[1] - tuning$score[4])
  expect_identical(compare_scores(result, cbind(matrix(0, 1, 4), weights))$se, found$se)
  expect_equal(confint(tuning)[, 1], tuning$conf_low, ignore_attr = TRUE)
  expect_refused(best_score(result), "summary()")
  expect_identical(unique(as.data.frame(result, part = "neurons")$neuron), letters[1:10])
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(result)), "ggplot_built")
})

test_that("a neuron without any response is named, whatever `na` says", {
  days <- simulated_days(3)
  days$day2[, 2, ] <- NA
  for (na in c("error", "stimuli")) {
    expect_error(quietly(across_sessions(days, na = na)), class = "repalign_error_nonfinite",
                 "`x\\$day2` has no response at all of neuron 2 .*leave it out, by \\[, -2, \\]")
  }
  days$day2 <- days$day2[, -2, ]
  expect_false(anyNA(quietly(across_sessions(days))$score))
})

test_that("equal days have no slope, and no error of it", {
  set.seed(30)
  day <- array(rnorm(20 * 6), c(20, 6, 3), list(NULL, letters[1:6], NULL)) + rnorm(360, sd = 0.5)
  slopes <- summary(quietly(across_sessions(list(a = day, b = day, c = day, d = day))))
  expect_identical(slopes$slope, c(0, 0))
  expect_identical(slopes$slope_se, c(NA_real_, NA_real_))
})

test_that("sentences of some lags say that slopes are of all", {
  set.seed(6)
  base <- matrix(rnorm(120), 20, dimnames = list(NULL, paste0("u", letters[1:6])))
  days <- lapply(c(a = 1, b = 2, c = 3), function(day) {
    array(base, c(20, 6, 3), c(dimnames(base), list(NULL))) + rnorm(360) / 2
  })
  result <- suppressWarnings(suppressMessages(across_sessions(days)))
  all <- "of all lags of the call, not of these rows"
  expect_no_match(in_words(result), all)
  expect_no_match(in_words(result[result$measure == "tuning", ]), all)
  expect_match(in_words(result[result$measure == "tuning" & result$lag == 1, ]), all)
})
