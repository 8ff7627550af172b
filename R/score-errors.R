# What measures declare of their errors over stimuli (`errors` in their declarations): how the score
# changes when a stimulus is deleted, and what it is with weights of the stimuli.

# A declaration has `errors`: NULL, or a function(args) that gives NULL or what new_errors() or
# growing_errors() makes. Without it the errors come from half-samples (half-samples.R). Arguments
# of new_errors():
#
# method      "jackknife": `stimuli` gives delete-one values, in closed form;
#             "smoothed": delete-one values in which jumps are replaced by their mean;
#             "influence": `stimuli` gives influences, n times the derivative of the score by the
#             share of a stimulus
# stimuli     function(pair, args, codes). Delete-one values: a vector with the value of all stimuli
#             first, then one without each stimulus (or, with `codes`, each cluster). Influences: a
#             value for each stimulus
# exact       the same as `stimuli` for method = "jackknife" of score_interval(), or NULL: the score
#             is computed anew without each stimulus
# weighted    function(pair, args, w, d), where d is the declaration of the measure: a score for
#             each column of weights, or NULL
# counts      may the weights be any that are not negative ("any"), or whole numbers ("counts")?
# transform   "z": intervals are made of Fisher's z; "none": on the scale of the score
# cosine      NULL, or for distances that are functions of a cosine, new_angle() or new_chord():
#             then `stimuli` and `exact` give values of the cosine
new_errors <- function(method, stimuli, exact = NULL, weighted = NULL, counts = "any",
                       transform = "z", cosine = NULL) {
  list(method = method, stimuli = stimuli, exact = exact, weighted = weighted, counts = counts,
       transform = transform, cosine = cosine)
}

# For scores that are sums over stimuli, whose errors come from half-samples. growth: function(args,
# n, half) that gives how many times larger the score of n stimuli is than that of a half, by which
# the spread of half-samples is multiplied.
growing_errors <- function(growth) {
  list(method = "half-samples", growth = growth, transform = "none")
}

# Distances that are functions of a cosine, and back; slope: the derivative by the cosine. A
# corrected CKA beyond 1 is the cosine of no angle.
new_angle <- function() {
  angle <- function(c) acos(pmin(pmax(replace(c, which(abs(c) > 1 + tie_share), NA), -1), 1))
  list(score = angle, of = cos,
       slope = function(c) -1 / sqrt(1 - c^2), back = "angle")
}

new_chord <- function() {
  list(score = function(c) sqrt(pmax(2 - 2 * c, 0)), of = function(d) 1 - d^2 / 2,
       slope = function(c) -1 / sqrt(2 - 2 * c), back = "chord")
}

# For measures whose score is `finish` of h(x, y) / sqrt(h(x, x) h(y, y)), see pair-deletions.R.
# side: function(repr, args, codes) that gives a side.
pairwise_errors <- function(kind, side, finish = identity, transform = "z", cosine = NULL) {
  new_errors("jackknife", transform = transform, cosine = cosine,
    stimuli = function(pair, args, codes) {
      finish(pairwise_ratios(pair, kind, side, args, codes))
    },
    weighted = function(pair, args, w, d) {
      a <- side(pair$x, args, args$clusters)
      b <- side(pair$y, args, args$clusters)
      finish(weighted_ratios(kind, a, b, w))
    })
}

# What a measure declares of its errors with these arguments; NULL for half-samples.
errors_of <- function(measure) {
  if (is_own(measure)) return(NULL)
  declared <- measure$declaration$errors
  if (is.null(declared)) NULL else declared(measure$args)
}

# ---- the sides of kernels and distances, remembered with their representations

linear_side <- function(repr, kind) {
  remember(repr$cache, list("pairs of the linear kernel", kind), {
    check_side_memory(repr)
    x <- scaled_data(repr, TRUE)
    k <- tcrossprod(x)
    side <- new_side(k, "linear", kind)
    if (4 * ncol(x) > nrow(x)) return(side)
    c(side, list(factor = x, diagonal = if (kind == "u") diag(k)))
  })
}

gaussian_side <- function(repr, args, kind) {
  key <- list("gaussian", args$sigma, args$bandwidth)
  remember(repr$cache, list("pairs of the Gaussian kernel", key, kind), {
    check_side_memory(repr)
    gaussian <- gaussian_entries(repr, gaussian_width(repr, args$sigma, args$bandwidth))
    entries <- unpacked_pairs(gaussian$entries, repr$n, if (gaussian$shifted) 0 else 1)
    new_side(centred_pairs(entries, kind), key, kind)
  })
}

distance_side <- function(repr, kind) {
  remember(repr$cache, list("pairs of distances", kind), {
    check_side_memory(repr)
    new_side(centred_pairs(unpacked_pairs(form_distances(repr)$d, repr$n), kind), "distances",
             kind)
  })
}

# Centring takes off what cancels anyway.
centred_pairs <- function(k, kind) {
  if (kind == "v") return(without_means(k))
  n <- nrow(k)
  means <- (rowSums(k) - diag(k)) / (n - 2)
  k - outer(means, means, "+") + sum(means) / (n - 1)
}

# Dissimilarities less their mean, which does not count in correlations.
rdm_side <- function(repr, args, codes) {
  key <- list(args$inner, args$outer)
  kind <- if (args$outer == "cosine") "cosine" else "correlation"
  remember(repr$cache, list("pairs of dissimilarities", key, args$clusters), {
    check_side_memory(repr)
    rdm <- dissimilarities_of(repr, args$inner)
    values <- if (rdm$square) rdm$d^2 else as.double(rdm$d)
    if (kind == "correlation") values <- values - mean(values)
    new_side(unpacked_pairs(values, repr$n), key, kind, args$clusters)
  })
}

# Matrices of dissimilarities for whitened comparisons. A common shift of all pairs counts for the
# cosine alone.
whitened_pairs <- function(repr, args, kind) {
  remember(repr$cache, list("whitened pairs", args$inner, kind), {
    check_side_memory(repr)
    rdm <- dissimilarities_of(repr, args$inner)
    values <- if (rdm$square) rdm$d^2 else as.double(rdm$d)
    if (kind == "whitened") values <- values - mean(values)
    k <- unpacked_pairs(values, repr$n)
    new_side(if (kind == "v") without_means(k) else k, list("whitened", args$inner), kind)
  })
}

check_side_memory <- function(repr) {
  check_memory(6 * 8 * as.double(repr$n)^2, paste0("The pairs of stimuli of `", repr$arg, "`"),
               "Fewer stimuli need less, or method = \"half-samples\".")
}
