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
        if (what == "neuron_variance") days <- rep(names(given$days)[as.integer(of(args, "day"))], 2)
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
