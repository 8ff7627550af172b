# prepare() makes forms of representations that are kept for later calls.

#' @include prepared.R
NULL

#' Prepare representations once, for many calls
#'
#' What measures make of a representation before they compare it (distances, neighbour graphs,
#' decompositions) as an object that can be saved, and be given to [similarity()] and [calibrate()]
#' in the place of the data: the layers of a zoo of models are prepared once, and every new
#' recording is compared with them in the time of the comparisons alone.
#'
#' @param x a representation, a named list of them, or a named list of models (lists of layers), as
#'   in [similarity()].
#' @param measure one or more measures, as in [similarity()]; not those of [new_measure()], of which
#'   nothing can be prepared.
#' @param threads see [similarity()].
#' @return Of one representation an object of class `repalign_prepared`, of a list a list of them
#'   (class `repalign_prepared_list`, with the same names), which can be subset and saved
#'   ([saveRDS()]) like any list; lists of prepared and of plain representations may be mixed.
#'   `print()` tells the size.
#' @details
#' A prepared representation knows the measures with their parameters, the number of stimuli, and
#' their names if there are row names. In a call that asks for another measure, other parameters or
#' other stimuli it is an error of class `repalign_error_prepared`, which says what it was made for.
#' So it is where stimuli would have to be left out (`na`, labels `NA`), with `series`, in functions
#' that need the data themselves, and under another version of this package. A call may use some of
#' the measures only.
#'
#' Scores and null scores are the same as from the data, to the last bit (on the same machine and
#' BLAS). Nothing random is stored: where neighbours are tied, the search alone is prepared, and
#' each call draws the order of the ties as it does for data; so it draws the subsets of [rtd()].
#' Names in the call (list names) are part of the seeds of such draws, and must be the same for the
#' same numbers. Warnings about a representation may come from `prepare()` and not from the call.
#'
#' The data are kept beside the forms where comparisons need them: for [responses()], distances and
#' graphs, for tied neighbours, for [procrustes()] and its relatives, [aligned_cosine()],
#' [permutation_procrustes()], [linear_regression()] and [rtd()], and for [cka()] with the linear
#' kernel and no more neurons than stimuli, or with `"stimulus_neuron"`. Such measures prepare less
#' than others. Otherwise the object holds no responses, but distances between all stimuli, or
#' bases, from which much of the data could be made again.
#'
#' `calibrate()` needs more than scores do: what it permutes, such as the n x n matrices of linear
#' kernels, is made of the forms in each call.
#' @examples
#' zoo <- prepare(v4_layers, c("rsa", "mutual_knn"))
#' zoo
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)
#' similarity(v4, zoo, c("rsa", "mutual_knn"))
#' # from a file, later
#' file <- tempfile(fileext = ".rds")
#' saveRDS(zoo, file)
#' similarity(v4, readRDS(file)["L2"], "rsa")
#' try(similarity(v4, zoo, measure("rsa", outer = "pearson")))
#' @seealso [similarity()], [calibrate()]
#' @export
prepare <- function(x, measure = "cka", threads = NULL) {
  need_arguments()
  measures <- as_measures(measure)
  for (m in measures) {
    if (is_own(m)) {
      abort("Nothing can be prepared for ", dQuote(m$label, FALSE), ", a measure of your own: ",
            "give the data to similarity().", class = "repalign_error_measure", arg = "measure")
    }
  }
  old <- options(repalign.threads = thread_count(threads))
  on.exit(options(old))
  refuse_results(x, "x")
  side <- as_side(x, "x")
  for (repr in side$reprs) {
    if (!is.null(repr$prepared)) refuse_prepared(repr$arg, "is prepared already: give the data.")
  }
  check_same_stimuli(side$reprs, any(vapply(measures, function(m) m$declaration$pairing, NA)))
  settled <- settled_for_side(measures, side)
  refuse_holes(side$reprs, settled)
  set_largest_k(settled, side$reprs)
  advance <- progress_along(length(side$reprs))
  made <- lapply(side$reprs, function(repr) {
    on.exit(advance())
    prepared_representation(repr, measures, settled)
  })
  arranged_like(x, made)
}

# The measures with the arguments that they have when these representations stand on both sides.
settled_for_side <- function(measures, side) {
  sides <- list(x = side, y = side, self = TRUE, same = FALSE, models = side$is_models)
  declared <- quietly_done(declared_sides(sides, settled_set(measures, sides)))
  labels <- c(list(declared$clusters), lapply(declared$set, function(m) m$args$clusters))
  if (any(vapply(labels, anyNA, NA))) refuse_unlabelled(side$reprs[[1]]$arg)
  declared$set
}

refuse_unlabelled <- function(arg) {
  abort("Stimuli of `", arg, "` without a label in `clusters` would have to be left out, which ",
        "prepare() cannot: leave them out of the data.", class = "repalign_error_prepared",
        arg = arg)
}

# The prepared representations in lists as those of x.
arranged_like <- function(x, made) {
  if (!is_collection(x)) return(made[[1]])
  done <- 0
  arrange <- function(x) {
    if (!is_collection(x)) {
      done <<- done + 1
      return(made[[done]])
    }
    structure(lapply(unclass(x), arrange), class = "repalign_prepared_list")
  }
  arrange(x)
}

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
  models <- !is_prepared(x[[1]])
  count <- if (models) {
    paste0(count_of(length(x), "model"), " with ", count_of(sum(lengths(unclass(x))), "layer"))
  } else {
    count_of(length(x), "representation")
  }
  one <- first_prepared(x)
  cat("<repalign prepared> ", count, " of ", one$n, " stimuli (", enumerate(names(x), 5), "): ",
      size_in_words(x), "\nfor ", measures_in_words(one$measures), "\n", sep = "")
  invisible(x)
}

size_in_words <- function(x) format_bytes(as.double(utils::object.size(x)))
