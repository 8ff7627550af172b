# The distances of rdm(): how each of them is declared, those of the package, and the noise by which
# two of them weigh channels.

#' @include base-check.R
NULL

# ---- declarations

# A distance is declared once, by declare_distance(): rdm(), its checks and its help, searchlight(),
# transformations of RDMs, and the tests read the declaration.
declared_distances <- new.env()

#' Declares a distance of rdm()
#'
#' The cityblock distance would be `declare_distance(id = "cityblock", definition = "the mean over
#' channels of \\eqn{|b_i - b_j|}.", values = "distances", metric = TRUE, power = 1, centers =
#' TRUE, of = function(patterns, noise, settings) stats::dist(centered_patterns(patterns,
#' settings$center_patterns), "manhattan") / patterns$channels)`. With `runs = TRUE` the patterns
#' of all runs stand side by side, conditions x (channels * runs), with the counts of observations
#' in patterns$counts. `make test-file FILE=rdm-distances` holds every distance to its declaration;
#' its definition in plain R belongs into test-rdm.R.
#'
#' @param id as users name it in the argument `distance` of rdm()
#' @param definition the item of the help page of rdm() that defines it, in markdown
#' @param of function(patterns, noise, settings): the dissimilarities of all pairs of conditions,
#'   in the order of stats::dist(), or list(d, pairs) with the number of pairs of runs that each is
#'   the mean of. patterns: see run_patterns(); noise and settings: the arguments of rdm(), as
#'   checked
#' @param values what the values are: "squares" of distances, "distances", or "neither"; bures()
#'   and riemann() need squares
#' @param metric are the distances (of squares the roots) a metric? Then they obey the triangle
#'   inequality
#' @param power with which power of the data the values grow: 2 for squares, 0 where the scale of
#'   the data means nothing; NA where the data have no scale that could be changed, as counts
#' @param runs does it compare patterns of different runs with noise of their own, so that noise
#'   does not raise it? Then rdm() needs the runs, and values may be negative
#' @param noise "none", "precision": it needs the precision matrix of the noise, or "any": it takes
#'   that or a covariance for each run, and does without
#' @param weights does it take weights = "repeats"?
#' @param centers does it take center_patterns = TRUE?
#' @param counts must the data be counts or rates, and not negative?
#' @param gaps may a condition lack in runs, or in all of them? Its dissimilarities may be NA then
#' @return the declaration, which is kept in `declared_distances`.
#' @noRd
declare_distance <- function(id, definition, of, values, metric, power, runs = FALSE,
                             noise = "none", weights = FALSE, centers = FALSE, counts = FALSE,
                             gaps = FALSE) {
  stopifnot(is.character(id), length(id) == 1, is.null(declared_distances[[id]]),
            is.character(definition),
            identical(names(formals(of)), c("patterns", "noise", "settings")),
            values %in% c("squares", "distances", "neither"), is.logical(metric),
            is.numeric(power) || is.na(power), noise %in% c("none", "precision", "any"),
            is.logical(c(runs, weights, centers, counts, gaps)))
  # the order of the declarations is that of choices and of the help page
  declared_distances[[id]] <- c(mget(names(formals(declare_distance))),
                                place = length(ls(declared_distances)) + 1)
}

# The names of all distances, in the order of their declarations; those alone of which `is`, a
# function of a declaration, is true.
distance_ids <- function(is = function(declared) TRUE) {
  all <- mget(ls(declared_distances), declared_distances)
  all <- all[order(vapply(all, `[[`, 0, "place"))]
  names(Filter(is, all))
}

distance_called <- function(id) {
  declared <- declared_distances[[id]]
  if (is.null(declared)) stop("No distance ", quoted(id), " is declared.")
  declared
}

# What rdm() takes beside the data and the noise, by default.
distance_settings <- function(distance, weights = "equal", center_patterns = FALSE, prior_rate = 1,
                              prior_weight = 0.1) {
  list(distance = distance, weights = weights, center_patterns = center_patterns,
       prior_rate = prior_rate, prior_weight = prior_weight)
}

# list(d, pairs): the dissimilarities by the distance of the settings, and of how many pairs of runs
# each is the mean, or NULL.
pattern_distances <- function(patterns, noise, settings) {
  found <- distance_called(settings$distance)$of(patterns, noise, settings)
  if (is.list(found)) found else list(d = as.vector(found))
}

# A list of names in words: "a", "b" or "c".
any_of <- function(ids) {
  ids <- quoted(ids)
  if (length(ids) < 2) return(ids)
  paste(paste(ids[-length(ids)], collapse = ", "), "or", ids[length(ids)])
}

# Distances that need neither runs nor noise, for errors.
plain_distances <- function(counts = TRUE) {
  any_of(distance_ids(function(declared) {
    !declared$runs && declared$noise == "none" && (counts || !declared$counts)
  }))
}

# The definitions of all distances, as the help page of rdm() lists them.
distance_help <- function() {
  paste(vapply(distance_ids(), function(id) {
    paste0("* `\"", id, "\"`: ", distance_called(id)$definition)
  }, ""), collapse = "\n")
}

# The names of some distances, as help pages list them.
distances_in_help <- function(is) {
  enumerate(paste0("`\"", distance_ids(is), "\"`"), 20, quote = FALSE)
}

# Patterns conditions x channels, centred as far as that changes no difference of two conditions:
# each channel over the conditions, and with center_channels each pattern over its channels. root:
# the upper R of a precision R'R, by which channels are weighed.
centered_patterns <- function(patterns, center_channels, root = NULL) {
  .Call(C_run_patterns, patterns$means, patterns$counts, center_channels, root, thread_count())
}

# ---- crossnobis

declare_distance(
  id = "crossnobis",
  definition = r"(the mean over all pairs of different runs m and l, in both of which both
  conditions occur, of \eqn{(b_{mi} - b_{mj})^T \Omega (b_{li} - b_{lj}) / p}. Its expected value is
  the true squared distance: 0 if the conditions do not differ. Estimates may therefore be
  negative, and must stay as they are. What is added to all conditions of a run cancels. If `noise`
  is a list, \eqn{\Omega} is the inverse of the mean of the covariances of both runs. Pairs of
  conditions with fewer than two common runs are `NA`, with a warning.)",
  values = "squares", metric = FALSE, power = 2, runs = TRUE, noise = "any", weights = TRUE,
  centers = TRUE, gaps = TRUE,
  of = function(patterns, noise, settings) {
    by_run <- is.list(noise)
    root <- if (!is.null(noise) && !by_run) precision_root(noise, patterns)
    covariances <- if (by_run) run_covariances(noise, patterns)
    rows <- centered_patterns(patterns, settings$center_patterns, root)
    runs <- length(patterns$runs)
    counts <- patterns$counts
    even <- all(counts == counts[1]) || settings$weights == "equal" && all(counts > 0)
    if (even && !by_run) {
      return(list(d = .Call(C_crossnobis, rows, runs), pairs = runs * (runs - 1) / 2))
    }
    sums <- .Call(C_crossnobis_by_pair, rows, counts, settings$weights == "repeats", covariances)
    none <- sums$number == 0
    refuse_if(all(none), "size", "`run`: no two conditions have two runs in common, which ",
              "distance = \"crossnobis\" needs. Label larger pieces of the recording as runs, or ",
              "take \"sqeuclidean\".")
    if (any(none)) {
      first <- stimuli_of_distance(which(none)[1], nrow(counts))
      warn("undefined", "{sum(none)} of {count_of(length(none), 'pair')} of conditions ",
           "{if (sum(none) > 1) 'have' else 'has'} fewer than two runs in common, first ",
           "{condition_title(patterns$labels, first[1])} and ",
           "{condition_title(patterns$labels, first[2])}: ",
           if (sum(none) > 1) "their dissimilarities are" else "its dissimilarity is", " NA.",
           data = sum(none))
    }
    d <- sums$products / sums$weights / patterns$channels
    d[none] <- NA_real_
    list(d = d, pairs = sums$number)
  }
)

# ---- one pattern for each condition

declare_distance(
  id = "sqeuclidean", definition = r"(\eqn{|b_i - b_j|^2 / p}.)",
  values = "squares", metric = TRUE, power = 2, centers = TRUE,
  of = function(patterns, noise, settings) {
    squared_distances(centered_patterns(patterns, settings$center_patterns), patterns$channels)
  }
)

declare_distance(
  id = "mahalanobis", definition = r"(\eqn{(b_i - b_j)^T \Omega (b_i - b_j) / p}.)",
  values = "squares", metric = TRUE, power = 2, noise = "precision", centers = TRUE,
  of = function(patterns, noise, settings) {
    rows <- centered_patterns(patterns, settings$center_patterns, precision_root(noise, patterns))
    squared_distances(rows, patterns$channels)
  }
)

squared_distances <- function(rows, channels) {
  .Call(C_distances, rows, numeric(ncol(rows)), 1, thread_count(), NULL)^2 / channels
}

declare_distance(
  id = "correlation",
  definition = r"(1 - the correlation of \eqn{b_i} and \eqn{b_j} over the channels.)",
  values = "squares", metric = TRUE, power = 0, centers = TRUE,
  of = function(patterns, noise, settings) {
    refuse_if(patterns$channels == 1, "size", "`x` has one channel, but patterns are correlated ",
              "over channels: give three or more, or take distance = \"sqeuclidean\".")
    warn_if(patterns$channels == 2, "degenerate", "`x` has two channels, so that every ",
            "correlation between patterns is 1 or -1: the RDM carries almost no information. Take ",
            "distance = \"sqeuclidean\".", data = "x")
    found <- .Call(C_unit_distances, patterns$means, TRUE, thread_count(), NULL)
    refuse_if(length(found$bad), "constant_row", "`x` has the same value in all channels for ",
              "{count_of(length(found$bad), 'condition')}, first ",
              "{condition_title(patterns$labels, found$bad[1])}: a constant pattern has no ",
              "correlation. Leave these conditions out, or take distance = \"sqeuclidean\".")
    found$d
  }
)

# ---- counts

declare_distance(
  id = "poisson",
  definition = r"(the symmetric Kullback-Leibler divergence of Poisson variables, the mean over
  channels of \eqn{(\rho_i - \rho_j)(\log \rho_i - \log \rho_j)} for the rates \eqn{\rho}.)",
  values = "squares", metric = FALSE, power = NA, counts = TRUE,
  of = function(patterns, noise, settings) {
    rates <- poisson_rates(patterns$means, settings)
    .Call(C_difference_products, without_column_means(rates), without_column_means(log(rates))) /
      patterns$channels
  }
)

declare_distance(
  id = "poisson_cv",
  definition = r"(the same with the first factor from all other runs and the logarithms from run
  m, averaged over m.)",
  values = "squares", metric = FALSE, power = NA, runs = TRUE, counts = TRUE,
  of = function(patterns, noise, settings) {
    # the factors of all runs stand side by side: one product gives the sum over runs
    runs <- length(patterns$runs)
    number <- patterns$counts[, rep(seq_len(runs), each = patterns$channels)]
    sums <- patterns$means * number
    total <- rowSums(array(sums, c(nrow(sums), patterns$channels, runs)), dims = 2)
    rates <- poisson_rates((as.vector(total) - sums) / (rowSums(patterns$counts) - number),
                           settings)
    logs <- log(poisson_rates(patterns$means, settings))
    .Call(C_difference_products, without_column_means(rates), without_column_means(logs)) /
      (patterns$channels * runs)
  }
)

poisson_rates <- function(means, settings) {
  rates <- (means + settings$prior_rate * settings$prior_weight) / (1 + settings$prior_weight)
  if (all(rates > 0)) return(rates)
  refuse("value", "`prior_weight` is 0, but some mean counts of `x` are 0 too, and have no ",
         "logarithm: give a `prior_weight` above 0.")
}

# ---- the noise of channels, as rdm() takes it

# The upper R of a precision R'R.
precision_root <- function(noise, patterns) {
  refuse_if(is.list(noise), "type", "`noise` is a list, one covariance a run, which only distance ",
            "= \"crossnobis\" takes: give one precision matrix, as noise_precision() does.")
  refuse_if(identical(attr(noise, "kind"), "covariance"), "value", "`noise` is a covariance, but ",
            "one matrix for all runs must be a precision: give noise_precision().")
  definite_root(noise, patterns, "`noise`")
}

# A matrix channels x channels whose channels have names, in the order of those of the data.
noise_in_order <- function(noise, patterns) {
  in_order_of(noise, patterns$names, "noise", "the channels of `x`")
}

# What is checked of a precision, or of the covariance of a run, in words `what`; returns its
# Cholesky root.
definite_root <- function(noise, patterns, what) {
  refuse_if(!is.matrix(noise) || !is.numeric(noise), "value", "{what} must be a numeric matrix, ",
            "channels x channels, not {describe(noise)}.", arg = "noise")
  refuse_if(any(dim(noise) != patterns$channels), "value", "{what} is {nrow(noise)} x ",
            "{ncol(noise)}, but `x` has {count_of(patterns$channels, 'channel')}: it must be made ",
            "from the same channels.", arg = "noise")
  refuse_if(!all(is.finite(noise)), "value", "{what} has missing or infinite values: compute it ",
            "again.", arg = "noise")
  noise <- noise_in_order(noise, patterns) + 0
  refuse_if(!equals_transpose(noise), "value", "{what} is not symmetric: noise_precision() and ",
            "noise_covariance() give symmetric matrices.", arg = "noise")
  root <- catch_error(chol((noise + t(noise)) / 2), failed = function(e) NULL)
  refuse_if(is.null(root), "value", "{what} is not positive definite: use a shrinkage method of ",
            "noise_covariance().", arg = "noise")
  root
}

# What noise_covariance() returned says what it is, another matrix does not.
note_plain_covariances <- function(noise) {
  listed <- is.list(noise)
  given <- if (listed) noise else list(noise)[!is.null(noise)]
  if (all(vapply(given, inherits, NA, "repalign_noise"))) return(invisible())
  inform(c("repalign_note_noise", "repalign_plain_noise"), "`noise` is a ",
         if (listed) {
           "list of plain matrices: each is taken for the covariance of a run, not for a precision."
         } else "plain matrix: it is taken for the precision of the noise, not for a covariance.")
}

# A covariance for each run, in the order of the runs.
run_covariances <- function(noise, patterns) {
  runs <- patterns$runs
  refuse_if(length(noise) != length(runs), "value", "`noise` has ",
            "{count_of(length(noise), 'element')}, but there are {count_of(length(runs), 'run')}: ",
            "give one covariance a run, or one precision for all.")
  if (!is.null(names(noise))) {
    unknown <- setdiff(runs, names(noise))
    refuse_if(length(unknown), "labels", "`noise` has no element for run ",
              "{quoted(unknown[1])}: name its elements by the runs, or not.")
    noise <- noise[runs]
  } else {
    # such a list goes by the order of the runs, which is another one for numbers as text
    numbers <- suppressWarnings(as.numeric(runs))
    refuse_if(!anyNA(numbers) && is.unsorted(numbers), "labels", "`noise` is a list without ",
              "names, and the labels of the runs sort as text: {enumerate(runs, 4)}. Name its ",
              "elements by the runs.")
  }
  lapply(seq_along(noise), function(m) {
    refuse_if(identical(attr(noise[[m]], "kind"), "precision"), "value",
              "`noise` has precisions of the runs, but a list must hold covariances: give ",
              "noise_covariance(by_run = TRUE).")
    covariance <- noise[[m]]
    definite_root(covariance, patterns, paste0("`noise` of run ", quoted(runs[m])))
    covariance <- quietly_done(noise_in_order(covariance, patterns))
    covariance <- matrix(as.double(covariance), patterns$channels)
    (covariance + t(covariance)) / 2
  })
}

# What the values of a "dist" object are: "squares" of distances, as most of rdm() are; "distances",
# as dist() makes them and roots are; or "neither", such as ranks. What is not known are squares.
kind_of_values <- function(x) {
  made <- attr(x, "distance")
  if (is.null(made)) made <- attr(x, "method")
  kind <- if (identical(made, "euclidean")) "distances" else
    if (length(made) == 1 && made %in% distance_ids()) distance_called(made)$values else "squares"
  for (method in attr(x, "transformed")) {
    kind <- switch(method, positive = kind, sqrt = "distances", rank = , minmax = ,
                   geotopological = , geodesic = "neither", no_branch(method))
  }
  kind
}
