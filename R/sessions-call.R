# across_sessions(): what a user gives of several days becomes an opened call, whose neurons are
# identities.

#' @export
across_sessions <- function(x, times = NULL, over = c("stimuli", "neurons"), clusters = NULL,
                            conf_level = 0.95, permutations = 9999, na = c("error", "stimuli"),
                            threads = NULL) {
  need_arguments()
  over <- check_choice(over, c("stimuli", "neurons"), "over", several = TRUE)
  refuse_if(!"stimuli" %in% over, "choice", "`over` must have \"stimuli\": give \"stimuli\", or ",
            "c(\"stimuli\", \"neurons\").")
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  permutations <- check_count(permutations, "permutations", least = 0)
  hold_threads(threads)
  call <- open_days(x, times, clusters, check_choice(na, c("error", "stimuli"), "na"))
  call$neurons <- "neurons" %in% over
  note_few_orders(call$times, permutations)
  tables <- session_tables(call)
  measures <- lapply(tables$measures, lag_scores, call, permutations)
  sessions_result(measures, tables, call, conf_level, is.null(times))
}

# The opened call, with the days in the order of their times: `days`, their representations, `times`,
# `ids`, the codes of the neurons of each day, and `identities`, what these are codes of.
open_days <- function(x, times, clusters, na, frame = parent.frame()) {
  names <- check_element_names(x, "x")
  refuse_if(length(x) < 2, "size", "`x` has one day: give two or more.")
  times <- times_of_days(times, names)
  reprs <- Map(day_representation, unname(x), paste0("x$", names), names, na)
  call <- open_sides(sides_of(with_common_stimuli(reprs)),
                     list(analysis_measure("across_sessions", structures)), na, clusters,
                     use = "errors", least = 4, why = "a corrected estimator", grid = FALSE,
                     frame = frame)
  call$days <- call$sides$x$reprs[order(times)]
  call$times <- sort(times)
  check_rows(call$n, 4, call$days[[1]]$arg, "a corrected estimator")
  # each day by itself: that days are alike is what is asked
  for (day in if (is.null(call$clusters)) call$days) {
    call$dependence <- warn_of_rows(list(day), NULL, "errors", cluster_remedy)
    if (length(call$dependence)) break
  }
  labels <- lapply(call$days, function(day) day$columns$neuron)
  note_counted_names(labels, call$days)
  call$identities <- unique(unlist(labels))
  call$ids <- lapply(labels, match, call$identities)
  call
}

times_of_days <- function(times, names) {
  if (is.null(times)) return(as.double(seq_along(names)))
  times <- in_order_of(times, names, "times", "the days")
  refuse_if(!is.numeric(times) || length(times) != length(names) || !all(is.finite(times)), "value",
            "`times` must have a finite number for each of the {length(names)} days of `x`.")
  twice <- anyDuplicated(round(times, 9))
  refuse_if(twice, "value", "`times` is {format(times[twice])} for two days, the second one ",
            "{dQuote(names[twice], FALSE)}: give each its own time; the sessions of one day can be ",
            "fractions apart.")
  as.double(times)
}

# A day as a representation. All its neurons are of one session, which no other day has part in.
day_representation <- function(day, arg, name, na) {
  refuse_results(day, arg)
  if (!is_responses(day)) {
    refuse_if(!is.array(day) || length(dim(day)) != 3, "type", "`{arg}` must be an array stimuli x ",
              "neurons x trials, or what responses() makes, not {describe(day)}: means over trials ",
              "do not tell their noise.")
    day <- in_words_of_call(responses(day), "x", arg)
  }
  for (part in intersect(c("sessions", "complete", "series"), declared_parts(day))) {
    refuse("choice", "`{arg}` declares `{sub('sessions', 'session', part)}`, which across_sessions",
           "() does not know: ", switch(part, sessions = "each element of `x` is a session.",
             complete = "the neurons of a day are a sample. Leave it out of responses().",
             series = "it takes stimuli as independent. Leave it out, and give `clusters`.",
             no_branch(part)))
  }
  neurons <- unclass(day)$neuron
  if (is.null(neurons)) neurons <- colnames(day)
  check_identities(neurons, arg)
  day <- unclass(day)
  day$session <- rep(name, ncol(day$values))
  class(day) <- "repalign_responses"
  repr <- representation(day, arg, name, na != "error", "x")
  if (na == "error") refuse_lacking_trials(unclass(day)$values, arg, "stimuli")
  repr$columns$neuron <- as.character(neurons)
  repr
}

check_identities <- function(neurons, arg) {
  unnamed <- is.null(neurons) || anyNA(neurons) || !all(nzchar(neurons))
  refuse_if(unnamed, "labels", "`{arg}` has neurons without names: neurons of equal names on two ",
            "days are taken as one that was followed. Name them, by column names or `neuron` of ",
            "responses(); give distinct names on all days where nothing was followed.")
  twice <- neurons[anyDuplicated(neurons)]
  refuse_if(length(twice), "labels", "`{arg}` has two neurons named ",
            "{dQuote(twice, FALSE)}: names are identities, and must differ within a day.")
}

# Names that only number the neurons of a day, from 0 or 1 on.
are_counted <- function(names) {
  number <- sub("^\\D*", "", names)
  if (length(names) < 2 || !all(grepl("^[0-9]{1,9}$", number))) return(FALSE)
  one_start <- length(unique(sub("\\d+$", "", names))) == 1
  number <- sort(as.integer(number))
  one_start && number[1] <= 1 && all(diff(number) == 1)
}

note_counted_names <- function(labels, days) {
  counted <- vapply(labels, are_counted, NA)
  inform_if(sum(counted) > 1, "counted_names", "The neurons of ",
            "{enumerate(vapply(days[counted], function(day) day$name, ''))} have names that only ",
            "count ({enumerate(labels[counted][[1]][1:2], quote = FALSE)}, ...). Equal names are ",
            "taken as one neuron that was followed. If they number the neurons of each day anew, ",
            "as sorters do, give names that differ between days.")
}

# The smallest p-value that an order of days may have. With equal steps the reverse order has the
# same lags.
note_few_orders <- function(times, permutations) {
  count <- length(times)
  if (count < 3 || permutations == 0) return(invisible())
  steps <- round(diff(times), 9)
  least <- if (count > most_ordered) 1 / (permutations + 1) else
    (1 + identical(steps, rev(steps))) / factorial(count)
  inform_if(least > 0.05, "few_permutations", "No `p_order` can be at most .05: the smallest ",
            "one possible is {format(least, digits = 2)}. Give more ",
            if (count > most_ordered) "`permutations`." else "days.")
}

# Of so many days all orders are taken.
most_ordered <- 7
