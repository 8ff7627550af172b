# prepare() makes forms of representations that are kept for later calls.

#' @include input-prepared.R
NULL

#' Prepare representations once, for many calls
#'
#' What measures make of a representation before they compare it (distances, neighbour graphs), to
#' be saved, and given to [similarity()], [calibrate()] and [score_interval()] in the place of the
#' data, which is faster for many layers.
#'
#' @param x a representation, a named list of them, or of models (lists of layers), as in
#'   [similarity()].
#' @param measure one or more measures, as in [similarity()], but not of [new_measure()].
#' @param ... not used: parameters go to [measure()].
#' @param data `TRUE`: keep the data, which [score_interval()] and [score_weighted()] need.
#' @param threads see [similarity()].
#' @param na see [similarity()].
#' @return Of one representation an object of class `repalign_prepared`, of a list a list of them
#'   (class `repalign_prepared_list`), which can be subset, and mixed with plain representations.
#'   `print()` gives the size.
#' @details
#' A call may use some of the measures only. One that asks for another measure, other parameters or
#' other stimuli than were prepared is an error of class `repalign_error_prepared`. So it is where
#' stimuli would have to be left out (`na`, labels `NA`), with `series`, in functions that need the
#' data themselves, and under another version of this package. Null scores are the same as from the
#' data, and scores to 1e-12.
#'
#' The object can reveal the data, also without `data = TRUE`: do not share it if they are
#' confidential.
#' @examples
#' zoo <- prepare(v4_layers, c("rsa", "mutual_knn"))
#' zoo
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)
#' similarity(v4, zoo["L2"], c("rsa", "mutual_knn"))
#' @export
prepare <- function(x, measure = "cka", ..., data = FALSE, threads = NULL,
                    na = c("error", "stimuli", "neurons")) {
  need_arguments()
  check_flag(data, "data")
  measures <- as_measures(measure)
  refuse_parameters(measures, ...)
  for (m in measures) {
    refuse_if(is_own(m), "measure", "Nothing can be prepared for {quoted(m$label)}, a ",
              "measure of your own: give the data to similarity().", arg = "measure")
  }
  hold_threads(threads)
  refuse_results(x, "x")
  na <- check_choice(na, missing_rules, "na")
  side <- as_side(x, "x", na != "error")
  for (repr in side$reprs) {
    if (!is.null(repr$prepared)) refuse_prepared(repr$arg, "is prepared already: give the data.")
  }
  side$reprs <- with_common_stimuli(side$reprs, names_count(measures))
  warn_of_odd_columns(side$reprs)
  # The opened call has the representations on both sides. What is declared but not used is said by
  # later calls.
  arg <- side$reprs[[1]]$arg
  sides <- list(x = side, y = side, self = TRUE, same = FALSE, models = side$is_models)
  call <- quietly_done(open_sides(sides, measures, na, frame = environment()))
  if (!is.null(call$left_out)) inform("left_out", call$left_out)
  # the measures as later calls give them, but with labels in the order of the stimuli and columns
  # that are kept
  given <- Map(function(measure, settled) {
    labels <- intersect(c("clusters", "units_x", "units_y", "stimulus_noise"),
                        names(Filter(Negate(is.null), measure$args)))
    measure$args[labels] <- settled$args[labels]
    measure
  }, measures, call$set)
  labels <- c(lapply(side$reprs, function(repr) repr$responses$cluster),
              lapply(call$set, function(measure) measure$args$clusters))
  refuse_if(any(vapply(labels, anyNA, NA)), "prepared", "Stimuli of `{arg}` have no label in ",
            "`clusters`, and prepare() cannot leave them out: cut the data.")
  for (measure in call$set) check_clusters(measure$args$clusters, call$n, arg, 1, "a similarity")
  side <- call$sides$x
  check_grid_memory(call$set, list(x = side, y = side))
  numbers <- vapply(side$reprs, function(repr) {
    sum(vapply(call$set, numbers_per_representation, 0, as.double(repr$n), width_of(repr), FALSE))
  }, 0)
  check_memory(8 * sum(numbers), paste("Preparing", count_of(length(numbers), "representation")),
               "Prepare some of them at a time, and save them.")
  advance <- progress_along(length(side$reprs))
  made <- lapply(side$reprs, function(repr) {
    on.exit(advance())
    prepared_representation(repr, given, call$set, data)
  })
  # in lists as those of x
  done <- 0
  arrange <- function(x) {
    if (is_collection(x)) {
      return(structure(lapply(unclass(x), arrange), class = "repalign_prepared_list"))
    }
    done <<- done + 1
    made[[done]]
  }
  arrange(x)
}

# ---- one representation

# measures: as given, which later calls are compared with; settled: as they are for these
# representations, which the forms are made with.
prepared_representation <- function(repr, measures, settled, data) {
  tied <- vapply(settled, has_open_graph, NA, repr)
  # the first time makes the forms; the second one tells which of them a comparison asks for
  needed <- unlist(Map(make_forms, settled, list(repr), tied))
  repr$cache$touched <- integer()
  quietly_done(Map(make_forms, settled, list(repr), tied))
  entries <- repr$cache$entries[sort(unique(repr$cache$touched))]
  repr$cache$touched <- NULL
  repr$cache$entries <- NULL
  keep <- data || any(needed) || repr$kind != "data" || !is.null(repr$responses)
  structure(list(
    version = as.character(utils::packageVersion("repalign")), kind = repr$kind, n = repr$n,
    measures = lapply(measures, function(m) unclass(m)[c("id", "label", "args")]),
    data = if (keep) repr$data else absent_data(repr), responses = repr$responses,
    column_stats = repr$cache$column_stats, neighbours = repr$cache$neighbours, entries = entries
  ), class = "repalign_prepared")
}

# Makes all that a comparison by this measure asks for, and returns whether it needs the data, too.
# Tied neighbours are put in order in each call, so that only the search is done beforehand.
make_forms <- function(measure, repr, tied) {
  if (tied) {
    has_open_graph(measure, repr)
    return(TRUE)
  }
  # The forms for both sides. Labels of neurons may be those of one side only, for the other one of
  # which they are an error.
  refused <- repr$refused[[measure$label]]
  if (!is.null(refused)) stop(refused)
  forms <- lapply(c(x = "x", y = "y"), function(side) {
    repr$side <- side
    tryCatch(measure$declaration$prepare(repr, measure$args, side), repalign_error = function(e) {
      refused <<- e
      NULL
    })
  })
  forms <- Filter(Negate(is.null), forms)
  if (!length(forms)) stop(refused)
  if (needs_data(measure, repr)) return(TRUE)
  # a comparison of the representation with itself, as if it were another one, and what the null of
  # the measure permutes
  catch_error(quietly_done({
    other <- replace(repr, "side", "y")
    compare_pair(measure$declaration, list(x = repr, y = other, self = FALSE, cache = new_cache()),
                 measure$args)
    for (side in if (!is.null(measure$null)) names(forms)) {
      measure$null$operand(forms[[side]], repr, measure$args, side)
    }
    FALSE
  }), failed = function(e) TRUE)
}

# Has the neighbour graph that the measure compares ties that each call puts in an order of its own?
has_open_graph <- function(measure, repr) {
  wanted <- measure$neighbours
  if (is.null(wanted) || repr$kind == "graph") return(FALSE)
  repr <- clustered_representation(repr, measure$args$clusters)
  check_neighbour_count(repr, wanted$k)
  check_graph_metric(repr, wanted$metric)
  most <- largest_k(repr, wanted$metric, wanted$k)
  !is.null(found_graph(repr, wanted$metric, most)$open)
}

needs_data <- function(measure, repr) {
  needed <- measure$declaration$needs_data
  if (is.function(needed)) needed(measure$args, repr$n, width_of(repr)) else needed
}

# ---- methods

#' @export
`[.repalign_prepared_list` <- function(x, i) {
  structure(unclass(x)[i], class = "repalign_prepared_list")
}

#' @export
print.repalign_prepared <- function(x, ...) {
  cat("<repalign prepared> ", x$n, " stimuli", if (x$kind == "data") {
    paste0(" x ", count_of(ncol(x$data), "neuron"))
  } else if (x$kind == "dist") " (distances)" else " (neighbour graph)", ": ", size_in_words(x),
  if (is_absent(x$data)) ", without the data", "\nfor ", measures_in_words(x$measures), "\n",
  sep = "")
  invisible(x)
}

#' @export
print.repalign_prepared_list <- function(x, ...) {
  if (!length(x)) {
    cat("<repalign prepared> an empty list\n")
    return(invisible(x))
  }
  count <- if (is_prepared(x[[1]])) count_of(length(x), "representation") else
    paste0(count_of(length(x), "model"), " with ", count_of(sum(lengths(unclass(x))), "layer"))
  one <- first_prepared(x)
  cat("<repalign prepared> ", count, " of ", one$n, " stimuli (", enumerate(names(x), 5), "): ",
      size_in_words(x), "\nfor ", measures_in_words(one$measures), "\n", sep = "")
  invisible(x)
}

size_in_words <- function(x) format_bytes(as.double(utils::object.size(x)))
