# rdm() makes the dissimilarities between all pairs of conditions, from patterns in runs;
# transform_rdm() makes ranks, distances and paths of them.

#' @include rdm-distance.R
NULL

#' Representational dissimilarity matrices
#'
#' Dissimilarities between all pairs of conditions, cross-validated over runs, which takes out what
#' noise adds, and with noise normalization.
#'
#' @param x a numeric matrix (or data frame) observations x channels (neurons, voxels); an array
#'   conditions x channels x repeats ([trial_array()]), whose repeats are the runs unless `run` says
#'   otherwise; or [responses()], whose events are the runs. A named list gives a named list of
#'   RDMs.
#' @param condition one label per row, or the name of their column; `NULL`: each row is a condition.
#'   Conditions come in the order of levels, numbers by value, words as they appear. For a list:
#'   labels for all, or a list of labels with its names.
#' @param run one label per row, or per repeat of an array: its run, with noise of its own; `TRUE`:
#'   the first observations of all conditions are one run, the second another, and so on.
#'   `"crossnobis"` and `"poisson_cv"` need runs.
#' @param subject one label per row, or the name of their column, for a list with an RDM for each.
#' @param distance the kind of dissimilarity, see below.
#' @param noise for `r distances_in_help(function(one) one$noise != "none")`: the precision matrix
#'   of the noise ([noise_precision()]), of a list `x` one for all or a list with its names. For
#'   `"crossnobis"` also a list with a *covariance* matrix for each run (`noise_covariance(by_run =
#'   TRUE)`), or `NULL`: noise is taken to be equal and independent. Of matrices made elsewhere a
#'   message (class `repalign_note_noise`) says as what they are taken.
#' @param weights for `r distances_in_help(function(one) one$weights)`: do pairs of runs count the
#'   same (`"equal"`), or more with more observations (`"repeats"`)?
#' @param center_patterns subtract from each pattern its mean over channels? Not for
#'   `r distances_in_help(function(one) !one$centers)`.
#' @param prior_rate,prior_weight for `r distances_in_help(function(one) one$counts)`: rates are
#'   (mean count + `prior_rate` * `prior_weight`) / (1 + `prior_weight`).
#' @param na missing values: `"error"`; or left out with `"stimuli"` (rows: observations, or
#'   conditions of an array) or `"neurons"` (channels). A repeat of an array without any value was
#'   not recorded, and leaves out nothing.
#' @param ... not used.
#' @return An object of class `c("repalign_rdm", "dist")`, for a list a list of class
#'   `"repalign_rdms"`. It goes wherever a [stats::dist()] object does, such as [stats::hclust()];
#'   `as.matrix()`, `as.data.frame()` and `subset()` are [methods][print.repalign_rdm].
#' @details
#' Let \eqn{b_i} be the mean pattern of condition i, \eqn{b_{mi}} that of run m, p the number of
#' channels, and \eqn{\Omega} the precision of the noise.
#'
#' `r distance_help()`
#'
#' Most are squares of distances; where distances are asked for, as by [distance_correlation()],
#' take `transform_rdm(x, "sqrt")`.
#'
#' When not to trust it: all but `r distances_in_help(function(one) one$runs)` are too large with
#' noise, and these need independent noise in different runs, which neighbouring trials of one run
#' do not have.
#' @references Walther et al. (2016), NeuroImage 137. Diedrichsen et al. (2021), Neurons, Behavior,
#'   Data Analysis, and Theory 5. \enc{Schütt}{Schuett} et al. (2023), eLife 12.
#' @examples
#' set.seed(1)
#' # 6 conditions x 30 channels, measured in 4 runs
#' patterns <- matrix(rnorm(6 * 30), 6)
#' design <- expand.grid(condition = paste0("image", 1:6), run = 1:4)
#' measured <- patterns[as.integer(design$condition), ] + rnorm(24 * 30)
#' rdm(measured, design$condition, design$run)
#' # noise normalization
#' precision <- noise_precision(measured, design$condition)
#' rdm(measured, design$condition, design$run, noise = precision)
#' # two subjects in one table
#' both <- data.frame(rbind(measured, measured + rnorm(24 * 30)), rbind(design, design),
#'                    subject = rep(c("s1", "s2"), each = 24))
#' rdm(both, condition = "condition", run = "run", subject = "subject")
#' @seealso [plot.repalign_rdm()], [rsa()]
#' @export
rdm <- function(x, condition = NULL, run = NULL, distance = "crossnobis", noise = NULL,
                weights = c("equal", "repeats"), center_patterns = FALSE, prior_rate = 1,
                prior_weight = 0.1, na = c("error", "stimuli", "neurons"), subject = NULL, ...) {
  need_arguments()
  settings <- distance_settings(
    check_choice(distance, distance_ids(), "distance"),
    check_choice(weights, c("equal", "repeats"), "weights"),
    check_flag(center_patterns, "center_patterns"),
    check_number(prior_rate, "prior_rate", above = 0),
    check_not_negative(prior_weight, "prior_weight")
  )
  # what the declaration of the distance does not take, and what it needs
  declared <- distance_called(settings$distance)
  title <- paste("distance =", quoted(declared$id))
  refuse_if(settings$center_patterns && !declared$centers, "value", "`center_patterns` must be ",
            "FALSE for {title}", if (declared$counts) ": rates are not negative." else
              ", which does not centre patterns.")
  refuse_if(settings$weights == "repeats" && !declared$weights, "value",
            "`weights` = \"repeats\" is about pairs of runs, which {title} does not use: leave it ",
            "out, or take {any_of(distance_ids(function(one) one$weights))}.")
  refuse_if(!is.null(noise) && declared$noise == "none", "value", "`noise` has no meaning for ",
            "{title}: leave it out, or take ",
            any_of(distance_ids(function(one) one$noise != "none" && one$runs == declared$runs)),
            ".")
  refuse_if(is.null(noise) && declared$noise == "precision", "missing", "`noise` is missing: ",
            "{title} needs the precision of the noise, as noise_precision() gives it. Without it ",
            "take {plain_distances(declared$counts)}.")
  labels <- list(condition = condition, run = run)
  settings$na <- check_choice(na, missing_rules, "na")
  if (!is.null(subject)) {
    each <- rows_of_subjects(x, c(labels, list(subject = subject)))
    x <- each$x
    labels <- each$labels
  }
  if (!is_collection(x)) return(one_rdm(x, labels, noise, settings))
  # An RDM of each element of a list. What goes wrong names the element.
  names <- check_element_names(x, "x")
  labels <- labels_of_each(labels, names)
  # a list without names is taken for covariances of runs, which precisions are not
  refuse_if(is.list(noise) && is.null(names(noise)) && length(noise) &&
              all(vapply(noise, function(one) identical(attr(one, "kind"), "precision"), NA)),
            "labels", "`noise` is a list of precisions without names: name each by the element of ",
            "`x` that it is for, such as {quoted(names[1])}.")
  # nor is what is no covariance at all, or has no name of a run
  runs <- unlist(labels$run)
  of_runs <- is.list(noise) && (is.null(runs) || any(names(noise) %in% runs)) &&
    any(vapply(noise, function(one) {
      !is.list(one) && !identical(attr(one, "kind"), "precision")
    }, NA))
  common <- is.list(noise) & names %in% names(noise)
  noise <- for_each_element(noise, names, "noise", all(common) || any(common) && !of_runs)
  rdms <- lapply(stats::setNames(nm = names), function(name) {
    at_place(paste0("x$", name),
             one_rdm(x[[name]], lapply(labels, `[[`, name), noise[[name]], settings))
  })
  # no element has an order of its own: conditions of all of them come in that of the first
  order <- order_of_all(lapply(names, function(name) {
    given <- labels$condition[[name]]
    if (is.null(given)) first_row_names(x[[name]]) else given
  }))
  new_rdms(lapply(rdms, function(rdm) {
    at <- order(match(attr(rdm, "Labels"), order))
    if (is.unsorted(at)) some_conditions(rdm, at, "x") else rdm
  }))
}

# One table with the rows of all subjects as a list of one for each: list(x, labels), where labels
# are lists with the names of the subjects.
rows_of_subjects <- function(x, labels) {
  refuse_if(!is.data.frame(x) && !(is.matrix(x) && !is_responses(x)), "labels",
            "`subject` has a label for each row of a matrix or a data frame, but `x` is ",
            "{describe(x)}: leave it out.")
  taken <- labels_of_frame(x, labels)
  names <- rownames(x)
  if (is.data.frame(x) && .row_names_info(x) < 0) names <- NULL
  subject <- in_order_of(taken$labels$subject, names, "subject", "the rows of `x`")
  subject <- row_labels(subject, nrow(x), "subject", "row", FALSE)
  levels <- levels_in_order(subject)
  rows <- split(seq_len(nrow(x)), match(as.vector(subject), as.vector(levels)))
  names(rows) <- label_text(levels)
  of_each <- function(label) {
    if (is.null(label)) return(NULL)
    label <- in_order_of(label, names, "condition", "the rows of `x`")
    if (length(label) != nrow(x)) return(label)
    lapply(rows, function(at) label[at])
  }
  list(x = lapply(rows, function(at) taken$x[at, , drop = FALSE]),
       labels = lapply(taken$labels[c("condition", "run")], of_each))
}

labels_of_each <- function(labels, names) {
  lapply(c(condition = "condition", run = "run"), function(arg) {
    for_each_element(labels[[arg]], names, arg, is.list(labels[[arg]]))
  })
}

# An argument for each element of `x`: the same for all, or where it is `listed` one each, by name.
for_each_element <- function(value, names, arg, listed) {
  if (!listed) return(stats::setNames(rep(list(value), length(names)), names))
  missing <- setdiff(names, names(value))
  refuse_if(length(missing), "labels", "`{arg}` has no element {quoted(missing[1])}: as a ",
            "list it needs one for each element of `x`, with the same names.")
  value[names]
}

# Errors and warnings of the code name the place that it works on.
at_place <- function(place, code) {
  withCallingHandlers(
    tryCatch(code, repalign_error = function(e) {
      e$message <- paste0(place, ": ", conditionMessage(e))
      stop(e)
    }),
    repalign_warning = function(w) {
      w$message <- paste0(place, ": ", conditionMessage(w))
      warning(w)
      invokeRestart("muffleWarning")
    }
  )
}

one_rdm <- function(x, labels, noise, settings) {
  declared <- distance_called(settings$distance)
  note_plain_covariances(noise)
  taken <- labels_of_frame(x, c(labels, list(subject = NULL)))
  kept <- complete_observations(taken$x, taken$labels, settings$na)
  refuse_if(!is.null(noise) && !all(unlist(kept$columns)), "choice", "na = \"neurons\" leaves out ",
            "channels that `noise` has: leave them out of both, or use na = \"stimuli\".")
  x <- kept$x
  labels <- kept$labels[c("condition", "run")]
  if (declared$runs && !is_responses(x) && length(dim(x)) == 2) {
    missing <- names(Filter(is.null, labels))
    if (anyDuplicated(rownames(x))) missing <- setdiff(missing, "condition")
    refuse_if(length(missing), "missing", "`{missing[1]}` is missing: distance = ",
              "{quoted(declared$id)} needs the condition and the run of each row of `x`, or an ",
              "array conditions x channels x repeats. Without runs, take {plain_distances()}.")
  }
  if (is_responses(x)) {
    # sessions, labels of neurons, and whether all neurons are there make no difference
    known <- c("sessions", "neurons", "complete", if (declared$runs) c("trials", "runs", "events"))
    lost <- setdiff(declared_parts(x), known)
    if (length(lost)) say_unused(list(lost), "rdm")
  }
  patterns <- run_patterns(x, labels$condition, labels$run, declared$runs, c(subject = "subject"))
  check_patterns(patterns, declared)
  if (is.null(noise)) warn_of_odd_columns(list(patterns_as_read(patterns, "x")))
  check_memory(8 * packed_length(nrow(patterns$means)), "The RDM", "Take fewer conditions.")
  found <- pattern_distances(patterns, noise, settings)
  refuse_if(any(is.infinite(found$d) | is.nan(found$d)), "value", "The dissimilarities of `x` are ",
            "too large for a double: rescale the data.")
  # squares of very small values have few digits left, or none
  tiny <- isTRUE(declared$power == 2) &&
    max(abs(found$d), na.rm = TRUE) <= 1e16 * .Machine$double.xmin
  refuse_if(tiny && any(centered_patterns(patterns, FALSE) != 0), "value",
            "The dissimilarities of `x` are too small for a double: rescale the data.")
  new_rdm(found$d, nrow(patterns$means), patterns$labels, declared$id, found$pairs)
}

check_patterns <- function(patterns, declared) {
  title <- paste("distance =", quoted(declared$id))
  refuse_if(nrow(patterns$means) < 2, "size", "`condition` names one condition, but a ",
            "dissimilarity is between two: give two conditions or more.")
  refuse_if(declared$runs && length(patterns$runs) < 2, "size", "`run` names one run, but {title} ",
            "needs two or more, with independent noise. From one run, take {plain_distances()}.")
  absent <- which(rowSums(patterns$counts) == 0)
  refuse_if(length(absent) && !declared$gaps, "nonfinite", "`x` has no observation of condition ",
            "{condition_title(patterns$labels, absent[1])}: leave it out.")
  lacking <- which(patterns$counts == 0, arr.ind = TRUE)
  refuse_if(nrow(lacking) && !declared$gaps, "nonfinite", "`x` has no observation of condition ",
            "{condition_title(patterns$labels, lacking[1, 1])} in run ",
            "{quoted(patterns$runs[lacking[1, 2]])}",
            if (nrow(lacking) > 1) {
              paste0(", and ", nrow(lacking) - 1, " more are missing")
            }, ": {title} needs each condition in each run. Leave out conditions or runs, or ",
            "take {plain_distances()}.")
  refuse_if(declared$counts && any(patterns$means < 0), "value", "`x` has negative values, but ",
            "{title} is for counts or rates: take ",
            any_of(distance_ids(function(one) !one$counts && one$noise != "precision")), ".")
}

# ---- transformed dissimilarities

rdm_transforms <- c("rank", "positive", "sqrt", "minmax", "geotopological", "geodesic")

#' Transform dissimilarities
#'
#' @param x an RDM (any `dist` object), or a list of them.
#' @param method see below.
#' @param low,up for `"geotopological"`: quantiles, from 0 to 1.
#' @param ... not used.
#' @return An RDM of class `c("repalign_rdm", "dist")`, or a list of them.
#' @details
#' * `"rank"`: ranks, from 1 for the smallest.
#' * `"positive"`: negative values become 0.
#' * `"sqrt"`: the square root of the positive part, which makes distances of squared distances.
#' * `"minmax"`: shifted and scaled to the range from 0 to 1.
#' * `"geotopological"`: 0 up to the quantile `low`, 1 from the quantile `up` on, and linear
#'   between.
#' * `"geodesic"`: the lengths of the shortest paths from condition to condition, by the `"minmax"`
#'   values less than 1.
#'
#' [bures()] and [riemann()] square those of `"sqrt"` and warn of the others but `"positive"`.
#'
#' Values that are `NA` stay so; `"geodesic"` needs all values. It is an error if all
#' dissimilarities are equal, or both quantiles, or if no path leads to some condition.
#' @references Lin and Kriegeskorte (2024), PNAS 121 (geo-topological).
#' @examples
#' set.seed(1)
#' x <- array(rnorm(6 * 20 * 4), c(6, 20, 4))
#' d <- rdm(x)
#' transform_rdm(transform_rdm(d, "geotopological", low = 0.2, up = 0.8), "geodesic")
#' @export
transform_rdm <- function(x, method = c("rank", "positive", "sqrt", "minmax", "geotopological",
                                        "geodesic"), low = 0, up = 1, ...) {
  need_arguments()
  refuse_if(missing(method), "missing", "`method` is missing: choose one of ",
            "{enumerate(rdm_transforms, 20)}.")
  method <- check_choice(method, rdm_transforms, "method")
  low <- check_number(low, "low")
  up <- check_number(up, "up")
  for (arg in c("low", "up")) {
    value <- get(arg)
    refuse_if(value < 0 || value > 1, "value", "`{arg}` is {value}, but must be a share from 0 to ",
              "1.")
  }
  refuse_if(low >= up, "value", "`low` must be below `up`.")
  refuse_if(method != "geotopological" && !identical(c(low, up), c(0, 1)), "value",
            "`low` and `up` are quantiles for method = \"geotopological\": leave them out.",
            arg = if (low != 0) "low" else "up")
  limits <- c(low, up)
  if (!is_collection(x)) return(transformed_rdm(x, "x", method, limits))
  names <- check_element_names(x, "x")
  new_rdms(lapply(stats::setNames(nm = names), function(name) {
    transformed_rdm(x[[name]], paste0("x$", name), method, limits)
  }))
}

transformed_rdm <- function(x, arg, method, limits) {
  check_rdm(x, arg)
  values <- as.double(x)
  n <- attr(x, "Size")
  values <- switch(
    method,
    rank = rank(values, na.last = "keep"),
    positive = pmax(values, 0),
    sqrt = sqrt(pmax(values, 0)),
    minmax = scaled_to_one(values, arg, c(0, 1), "dissimilarities"),
    geotopological = scaled_to_one(values, arg, limits, "dissimilarities at both quantiles"),
    geodesic = {
      refuse_distances(which(is.na(values)), n, "missing", arg)
      lengths <- scaled_to_one(values, arg, c(0, 1), "dissimilarities")
      lengths[values == max(values)] <- Inf
      paths <- .Call(C_shortest_paths, unpacked_pairs(lengths, n))
      paths <- paths[lower.tri(paths)]
      lost <- which(is.infinite(paths))
      at <- if (length(lost)) stimuli_of_distance(lost[1], n)
      refuse_if(length(lost), "value", "`{arg}` has no path between conditions {at[1]} and ",
                "{at[2]} without the largest dissimilarities, which method = \"geodesic\" takes ",
                "out: leave out a condition that is equally far from all others.")
      paths
    },
    no_branch(method)
  )
  distance <- attr(x, "distance")
  if (is.null(distance)) distance <- attr(x, "method")
  new_rdm(values, n, attr(x, "Labels"), distance, attr(x, "pairs"),
          c(attr(x, "transformed"), method))
}

scaled_to_one <- function(values, arg, limits, what) {
  ends <- stats::quantile(values, limits, na.rm = TRUE, names = FALSE, type = 7)
  refuse_if(ends[1] == ends[2], "variance", "`{arg}` has equal {what}, which cannot be scaled to ",
            "0 and 1.")
  pmin(pmax((values - ends[1]) / (ends[2] - ends[1]), 0), 1)
}
