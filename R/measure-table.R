# measures(), the table of all measures, and new_measure() for a user's own; resi_measures(), those
# of a benchmark; and what data and calls add to the labels of measures.

#' @include result-class.R
NULL

# ---- measures

# measures() gives the table of all measures, measure() one measure with parameters set by the user.

#' Measures of representational similarity
#'
#' `measures()` lists every measure with its properties. `measure()` makes a measure with parameters
#' of your choice, and `new_measure()` one of your own function.
#'
#' @param id the id of a measure, a string such as `"cka"`.
#' @param ... its parameters, by their full names, which the function of that name explains.
#' @param fun a function of two matrices stimuli x neurons that returns one finite number, or `NA`
#'   if the score is undefined.
#' @param direction `"similarity"` (larger scores: more similar) or `"distance"`.
#' @param best the best possible score, usually that of two identical representations, or `NA`.
#' @param symmetric does `fun(x, y)` always equal `fun(y, x)`?
#' @param label its name in results.
#' @return `measures()`: a data frame with one row per measure and the columns `id`; `label`;
#'   `family`; `resi` (the abbreviation in the ReSi benchmark); `direction` (`"similarity"` or
#'   `"distance"`); `range_min` and `range_max`; `best` (the score of a perfect match); `symmetric`
#'   (may sides be exchanged?); `pairing` (does it matter which rows are paired?); `invariant` (the
#'   changes of one side that leave the score as it is); `form` (what is prepared once per
#'   representation); `parameters` (with their defaults); `reference`.
#'
#'   `measure()` and `new_measure()`: a measure object.
#' @section Measures that agree:
#' Two measures put all pairs of representations in the same order if the score of one is an
#' increasing function of that of the other (decreasing, if one is a distance and one a similarity).
#' To report both then adds nothing. With their defaults, the 41 measures have 35 orders:
#' * `cka`, `rv` (equal numbers) and `angular_cka`, its angle;
#' * `procrustes`, `angular_shape`, `shape_distance` (an angle, equal numbers) and `bures`, its
#'   cosine;
#' * `procrustes_size_shape` and `bures_distance` (equal numbers).
#'
#' With other parameters, or under conditions:
#' * `rsa` with `inner = "sqeuclidean", outer = "whitened_cosine"` equals `cka`;
#' * `svcca` with `variance = 1` equals `cca`;
#' * if the numbers of neurons are the same in all pairs (more stimuli than these),
#'   `shape_distance` with `alpha = 0` orders as `cca`, and `gulp` as `cca` with
#'   `summary = "mean_squared"`;
#' * of centred columns, equally many on both sides, `eigenspace_overlap` equals `cca` with
#'   `summary = "mean_squared"`;
#' * of whitened sides with equally many columns `cka` and `linear_regression` equal `cca` with
#'   `summary = "mean_squared"`, and `procrustes` orders as `cca`;
#' * `procrustes_similarity` orders as `procrustes_size_shape` if `y` is the same in all pairs;
#' * with equally many neurons on both sides `soft_matching_correlation` equals
#'   `hard_correlation_match`, and `soft_matching` orders as `permutation_procrustes` with
#'   `center = TRUE, scale = TRUE`; of neurons with equal variances also as
#'   `soft_matching_correlation`;
#' * with `k = 1`, `mutual_knn`, `knn_jaccard`, `rank_similarity`, `lcs_knn` and `edit_distance_knn`
#'   are equal.
#'
#' All this is about the uncorrected linear `cka`; with `estimator = "stimulus"` only `angular_cka`
#' with the same estimator has its order.
#' @examples
#' measures()[, c("id", "direction", "range_min", "range_max", "invariant")]
#' first_column <- new_measure(function(x, y) abs(cor(x[, 1], y[, 1])),
#'                             direction = "similarity", best = 1, label = "first column")
#' x <- matrix(rnorm(60), 20)
#' similarity(x, x + rnorm(60), list("cka", first_column))
#' @export
measures <- function() {
  rows <- lapply(measure_ids(), function(id) {
    d <- registry[[id]]
    args <- d$check(default_arguments(id))
    parameters <- vapply(measure_parameters(id), function(p) {
      paste(deparse(p, width.cutoff = 500L), collapse = " ")
    }, "")
    list(
      id = d$id, label = d$label, family = d$family, resi = d$resi, direction = d$direction,
      range_min = range_of(d, args)[1], range_max = range_of(d, args)[2],
      best = as.double(best_of(d, args)), symmetric = symmetry_of(d, args),
      pairing = d$pairing, invariant = paste(d$invariant, collapse = ", "),
      form = paste(unique(forms_of(d, args)), collapse = ", "),
      parameters = paste(names(parameters), parameters, sep = " = ", collapse = ", "),
      reference = d$reference
    )
  })
  # one table of all columns: a table for each row would take ten times as long
  new_result(list2DF(do.call(Map, c(list(c), rows))), "repalign_measures")
}

declare_result(
  "repalign_measures", from = "measures", words = "tables of measures",
  columns = described_columns(
    column("id", "the id of the measure", key = TRUE),
    column("label", "its name in words"),
    column("family", "the kind of measure"),
    column("resi", "its abbreviation in the ReSi benchmark"),
    column("direction", "is it a similarity or a distance?"),
    column("range_min", "the lowest score"),
    column("range_max", "the highest score"),
    column("best", "the score of a perfect match"),
    column("symmetric", "may x and y be exchanged?"),
    column("pairing", "does the pairing of the rows matter?"),
    column("invariant", "the changes that leave the score as it is"),
    column("form", "what is prepared once per representation"),
    column("parameters", "with their defaults"),
    column("reference", "where it is from")
  )
)

# The whole table is too wide for a console, so that only the most important columns are printed.
#' @export
print.repalign_measures <- function(x, ...) {
  shown <- intersect(c("id", "label", "direction", "range_min", "range_max", "best", "symmetric"),
                     names(x))
  print.data.frame(x[shown], row.names = FALSE)
  hidden <- setdiff(names(x), shown)
  if (length(hidden)) cat("More columns: ", paste(hidden, collapse = ", "), "\n", sep = "")
  invisible(x)
}

# What measure() also knows, by functions of the list of given parameters: settings of functions
# that evaluate_models() takes in the place of a measure.
beside_registry <- new.env(parent = emptyenv())

#' @rdname measures
#' @export
measure <- function(id, ...) {
  need_arguments()
  # a word with dimensions or a class is that word
  if (is.character(id)) id <- as.vector(unclass(id))
  given <- list(...)
  check_encodings(given)
  if (is.character(id) && length(id) == 1 && id %in% names(beside_registry)) {
    return(beside_registry[[id]](given))
  }
  d <- declaration(id)
  known <- names(measure_parameters(id))
  named <- names(given)
  refuse_if(length(given) && (is.null(named) || any(named == "")), "parameter",
            if (length(known)) "Parameters of " else "There are no parameters of ", "{quoted(id)}",
            if (length(known)) paste0(" must be named. They are: ", enumerate(known, 20)), ".",
            arg = "measure")
  refuse_if(anyDuplicated(named), "parameter", "Parameter {quoted(named[duplicated(named)][1])} ",
            "of {quoted(id)} is given twice: give it once.", arg = named[duplicated(named)][1])
  unknown <- setdiff(named, known)
  refuse_if("given" %in% unknown, "parameter", "Measure {quoted(id)} has no parameter ",
            "\"given\". {cosine_words()}", arg = "given")
  refuse_if(length(unknown), "parameter", "Measure {quoted(id)} has no parameter ",
            "{quoted(unknown[1])}",
            if (length(known)) paste0(suggest(unknown[1], known), " Parameters: ",
                                      enumerate(known, 20)), ".", arg = unknown[1])
  controls <- given$given
  given$given <- NULL
  args <- d$check(utils::modifyList(default_arguments(id), given, keep.null = TRUE))
  note_unused_labels(args)
  # The label names what differs from the defaults, as in "rsa", "mutual_knn(k = 5)" or, for values
  # that are too long to be shown, "cka(naive, units_x)". Where data have a part in the choice of
  # the estimator, this is always named: "cka(rbf, naive)".
  defaults <- default_arguments(id)
  if (unit_words(given$clusters) == "stimuli") given$clusters <- NULL
  if (!is.null(args$default_estimator)) {
    given$estimator <- args$estimator
    defaults$estimator <- ""
  }
  changed <- Filter(function(name) {
    !isTRUE(all.equal(given[[name]], defaults[[name]][1], tolerance = 0, check.attributes = FALSE))
  }, intersect(names(defaults), names(given)))
  parts <- vapply(changed, function(name) {
    value <- given[[name]]
    if (length(value) != 1 || isTRUE(value)) name
    else if (name == "complete") paste(name, value)
    else if (is.character(value)) value
    else paste(name, "=", format(value))
  }, "")
  label <- paste0(id, if (length(parts)) paste0("(", paste(parts, collapse = ", "), ")"))
  measure <- list(id = id, label = label, args = args, declaration = d)
  structure(with_controls(measure, controls), class = "repalign_measure")
}

# Functions that take measures have `...` to say where a parameter of a measure belongs. set: the
# measures that were asked for.
refuse_parameters <- function(set, ...) {
  if (!...length()) return(invisible())
  given <- eval(substitute(alist(...)))
  names <- names_or_empty(given)
  refuse_if(any(names == ""), "parameter", "An argument without a name has no place here: name it.",
            arg = "...")
  declared <- Filter(Negate(is_own), set)
  declared <- declared[!duplicated(vapply(declared, function(m) m$id, ""))]
  own <- lapply(declared, function(m) intersect(names, names(measure_parameters(m$id))))
  unknown <- setdiff(names, unlist(own))[1]
  if (!is.na(unknown)) {
    ids <- vapply(declared, function(m) m$id, "")
    known <- unlist(lapply(ids, function(id) names(measure_parameters(id))))
    # the function that the user called: the first one of this package
    called <- Filter(function(f) identical(environment(f), topenv()),
                     lapply(seq_len(sys.nframe()), sys.function))[[1]]
    having <- Filter(function(id) unknown %in% names(measure_parameters(id)), measure_ids())
    if ("cka" %in% having) having <- "cka"
    refuse("parameter", "There is no argument `{unknown}` here",
           if (length(ids)) {
             paste0(", and ", enumerate(ids), if (length(ids) == 1) " has" else " have",
                    " no such parameter")
           },
           if (length(having)) {
             paste0(": it is a parameter of other measures, such as measure(",
                    quoted(having[1]), ", ", unknown, " = ...).")
           } else suggest(unknown, setdiff(unique(c(names(formals(called)), known)), "...")))
  }
  written <- vapply(names, function(name) {
    value <- paste(trimws(deparse(given[[name]])), collapse = " ")
    paste(name, "=", if (nchar(value) > 60) name else value)
  }, "")
  shown <- vapply(which(lengths(own) > 0), function(at) {
    # the estimator in use stays in use
    estimator <- if (!"estimator" %in% names) setdiff(declared[[at]]$args$estimator, "naive")
    paste0("measure(", paste(c(quoted(declared[[at]]$id), if (length(estimator)) {
      paste("estimator =", quoted(estimator))
    }, written[own[[at]]]), collapse = ", "), ")")
  }, "")
  one <- length(names) == 1
  refuse("parameter", "`", paste(names, collapse = "` and `"),
         if (one) "` is a parameter" else "` are parameters", " of the measure: give ",
         "{enumerate(shown, quote = FALSE)}.", arg = names[1])
}

# The measure of a function that takes one.
single_measure <- function(measure, ...) {
  set <- as_measures(measure)
  refuse_parameters(set, ...)
  if (length(set) == 1) return(set[[1]])
  refuse("measure", "`measure` must be one measure, not {length(set)}.")
}

#' @export
print.repalign_measure <- function(x, ...) {
  d <- x$declaration
  range <- range_of(d, x$args)
  cat("<repalign measure> ", x$label, " (", d$direction, ", ", format(range[1]), " to ",
      format(range[2]), ")\n", sep = "")
  invisible(x)
}

# ---- new measure

# new_measure() makes a measure of a function of the user's: an own measure.

#' @rdname measures
#' @export
new_measure <- function(fun, direction = c("similarity", "distance"), best = NA_real_,
                        symmetric = FALSE, label = "user", ...) {
  need_arguments()
  refuse_if(!is.function(fun), "type", "`fun` must be a function(x, y) that returns one number.")
  arguments <- names(formals(args(fun)))
  refuse_if(length(arguments) < 2 && !"..." %in% arguments, "type", "`fun` must take two matrices.")
  direction <- check_choice(direction, c("similarity", "distance"), "direction")
  usable <- is.atomic(best) && length(best) == 1 &&
    (is.na(best) || (is.numeric(best) && is.finite(best)))
  refuse_if(!usable, "value", "`best` must be one finite number, or NA when there is none.")
  check_flag(symmetric, "symmetric")
  refuse_if(!is.character(label) || length(label) != 1 || is.na(label) || label == "", "value",
            "`label` must be one non-empty string.")
  d <- list(
    id = label, label = label, direction = direction, range = c(-Inf, Inf),
    best = as.double(best), symmetric = symmetric, pairing = TRUE, accepts = kinds, own = TRUE,
    fun = fun
  )
  structure(list(id = label, label = label, args = list(), declaration = d),
            class = "repalign_measure")
}

own_score <- function(fun, pair) {
  value <- fun(without_mark(pair$x$data), without_mark(pair$y$data))
  usable <- length(value) == 1 && (is.numeric(value) || (is.logical(value) && is.na(value))) &&
    !is.nan(value) && !is.infinite(value)
  refuse_if(!usable, "measure", "The measure's function must return one finite number (or NA), ",
            "not ", if (length(value) == 1 && is.numeric(value)) format(value) else describe(value),
            ".", arg = "fun")
  as.double(value)
}

# ---- the ReSi benchmark

# resi_measures() gives the measures of the ReSi benchmark as one set.

#' The 24 measures of the ReSi benchmark
#'
#' The set of measures that Klabunde et al. (2025) compare, ready for [similarity()].
#'
#' @param published `FALSE`: the measures as this package defines them. `TRUE`: with the arguments
#'   that reproduce what the code of the benchmark computes.
#' @return A list of 24 measure objects (see [measure()]), named by the benchmark's abbreviations,
#'   in its order.
#' @details
#' * Canonical correlations: PWCCA [pwcca()], SVCCA [svcca()].
#' * Alignment: AlignCos [aligned_cosine()], AngShape [angular_shape()], HardCorr
#'   [hard_correlation_match()], LinReg [linear_regression()] of the first argument on the second,
#'   OrthProc [procrustes()], PermProc [permutation_procrustes()], ProcDist
#'   [procrustes_size_shape()], SoftCorr [soft_correlation_match()].
#' * Similarities of stimuli: CKA [cka()], uncorrected, DistCorr [distance_correlation()], EOS
#'   [eigenspace_overlap()], GULP [gulp()], RSA [rsa()], RSMDiff [rsm_difference()].
#' * Neighbours: 2nd-Cos [second_order_cosine()], Jaccard [knn_jaccard()], RankSim
#'   [rank_similarity()].
#' * Topology: IMD [imd()], RTD [rtd()], by far the slowest.
#' * Statistics: ConcDiff [concentricity_difference()], MagDiff [magnitude_difference()], UnifDiff
#'   [uniformity_difference()].
#'
#' Arguments are the defaults here. Where the benchmark's code differs from the definitions that it
#' cites, `published = TRUE` sets:
#'
#' * RSMDiff: `norm = "spectral"`.
#' * 2nd-Cos: `of = "distance"`.
#'
#' The following measures differ from the code even with `published = TRUE`:
#'
#' * SVCCA: the code keeps a single component for most data; `measure("svcca", components = 1)` does
#'   the same.
#' * PWCCA: the value of the code depends on arbitrary signs.
#' * GULP: the code returns the square.
#' * IMD: the values of the code scatter by several percent.
#' * RTD: the random subsets are others.
#'
#' The benchmark's paper differs from its code in three cases: distance correlation without the root
#' (`squared = TRUE`), greedy HardCorr (`matching = "greedy"`), and the H0 bars in RTD.
#'
#' When not to trust it: measures of one family respond to much the same properties of the data: 24
#' scores are not 24 opinions.
#' @references Klabunde et al. (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 6), 40)
#' y <- x %*% matrix(rnorm(36), 6)
#' similarity(x, y, resi_measures()[c("CKA", "OrthProc", "RSA", "Jaccard")])
#' @seealso [jsd()] for the outputs that the benchmark compares them with
#' @export
resi_measures <- function(published = FALSE) {
  check_flag(published, "published")
  set <- lapply(resi_order, function(abbreviation) {
    do.call(measure, c(list(resi_id(abbreviation)), if (published) resi_published[[abbreviation]]))
  })
  stats::setNames(set, resi_order)
}

# The measures are in the order of table 2 of the paper.
resi_order <- c(
  "PWCCA", "SVCCA", "AlignCos", "AngShape", "HardCorr", "LinReg", "OrthProc", "PermProc",
  "ProcDist", "SoftCorr", "CKA", "DistCorr", "EOS", "GULP", "RSA", "RSMDiff", "2nd-Cos",
  "Jaccard", "RankSim", "IMD", "RTD", "ConcDiff", "MagDiff", "UnifDiff"
)

resi_published <- list(RSMDiff = list(norm = "spectral"), `2nd-Cos` = list(of = "distance"))

# The declaration of a measure says what the benchmark calls it.
resi_id <- function(abbreviation) {
  Filter(function(id) identical(registry[[id]]$resi, abbreviation), measure_ids())
}

# ---- labels of measures

# What data and calls add to the labels of measures, so that another number has another label.

# The label with what the data settled: the estimator, and which sides have trials, and all neurons
# that there are. before: the estimator as measure() took it; reprs: list(x, y), two lists.
settled_label <- function(measure, before, reprs = NULL) {
  estimator <- measure$args$estimator
  words <- complete_words(measure$args)
  trials <- isTRUE(measure$args$corrects$trials)
  settled <- !is.null(words) || trials || !identical(estimator, before)
  if (!settled || has_own_label(measure)) return(measure$label)
  measure$label <- sub(before, estimator, measure$label, fixed = TRUE)
  if (trials) {
    # without trials on either side the score of a pair is that of the estimator for matrices
    lacks <- lapply(reprs, function(side) !vapply(side, has_trials, NA))
    within <- length(reprs$y) && identical(reprs$x[[1]]$cache, reprs$y[[1]]$cache)
    if (if (within) sum(lacks$x) > 1 else any(lacks$x) && any(lacks$y)) {
      estimator <- paste0(sub("_trial", "", estimator), ", trials as declared")
      measure$label <- sub(measure$args$estimator, estimator, measure$label, fixed = TRUE)
    }
  }
  if (is.null(words) || grepl("complete", measure$label, fixed = TRUE)) return(measure$label)
  label_with(measure, words)
}

# Has the user named the measure?
has_own_label <- function(measure) {
  id <- measure$id
  is_own(measure) || !startsWith(measure$label, paste0(id, "(")) &&
    !grepl(paste0("^", id, "( #[0-9]+)?$"), measure$label)
}

# The label with one word more between its brackets.
label_with <- function(measure, word) {
  label <- measure$label
  if (has_own_label(measure)) return(paste0(label, " (", word, ")"))
  if (!grepl("(", label, fixed = TRUE)) {
    return(sub(measure$id, paste0(measure$id, "(", word, ")"), label, fixed = TRUE))
  }
  sub("\\)( #[0-9]+)?$", paste0(", ", word, ")\\1"), label)
}

# Clusters of the call or of responses() change the score as those of the measure do, and stand in
# the label at the same place. The naive estimator does not go by them.
with_cluster_label <- function(measure) {
  used <- unit_words(measure$args$clusters) == "clusters" &&
    (is.null(measure$args$corrects) || measure$args$corrects$stimuli)
  if (!used || has_own_label(measure) || grepl("clusters", measure$label, fixed = TRUE)) {
    return(measure)
  }
  after <- "([(]|, )(stimulus_noise|complete|pairwise)"
  measure$label <- if (grepl(after, measure$label)) {
    sub(after, "\\1clusters, \\2", measure$label)
  } else label_with(measure, "clusters")
  measure
}

# Linear shifts compare the middle half of the rows.
with_middle_label <- function(measure) {
  measure$label <- label_with(measure, "middle half")
  measure
}
