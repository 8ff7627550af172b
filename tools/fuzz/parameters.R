# Values of every measure's parameters within their valid ranges, by hand: a function each of what
# is known of the data (facts_of()) and of the parameters that were drawn before it. NULL leaves
# the default.

flag <- function(at, args) chance(0.5)

choice <- function(...) {
  values <- c(...)
  function(at, args) one_of(values)
}

neighbours <- function(least = 1) function(at, args) count_up_to(at$most_k, least)

draw_metric <- function(at, args) {
  if (!all(at$kinds == "data")) return("euclidean")
  one_of(c("euclidean", "dot", if (!at$zero_rows) c("cosine", "cosine"),
           if (!at$constant_rows) "correlation"))
}

draw_kernel <- function(at, args) {
  if ("graph" %in% at$kinds) return("manifold")
  one_of(c(if (all(at$kinds == "data")) rep("linear", 5), "rbf", if (at$n > 3) "manifold"))
}

draw_estimator <- function(at, args) {
  if (at$n < 4) return("naive")
  corrected <- if (args$kernel == "linear" && all(at$widths > 1)) rep("stimulus_neuron", 2)
  one_of(c("naive", "naive", "stimulus", corrected))
}

ties_rule <- choice("random", "average")
ties_or_default <- function(at, args) one_of(list(NULL, "random", "average"))

same_width <- function(at) length(unique(at$widths)) == 1

draw_shared <- function(at, args) {
  args$estimator == "stimulus_neuron" && same_width(at) && at$widths[1] > 2 && chance(0.3)
}

# Labels for either side; many are different, so that something is left to compare.
draw_units <- function(at, args, other = NULL) {
  usable <- args$estimator == "stimulus_neuron" && same_width(at) && at$widths[1] > 2 &&
    !args$shared_neurons
  if (!usable || chance(0.6)) return(NULL)
  width <- at$widths[1]
  if (chance(0.5)) seq_len(width) + sample.int(3, 1) else c("a", "b", labels_for(width - 2, 3))
}

draw_units_y <- function(at, args) {
  if (is.null(args$units_x)) return(NULL)
  if (chance(0.5)) args$units_x else sample(args$units_x)
}

draw_inner <- function(at, args) {
  one_of(c("euclidean", "sqeuclidean", if (!at$zero_rows) "cosine",
           if (!at$constant_rows && all(at$widths > 1)) "correlation"))
}

# Clusters of two stimuli, the same ones in all parts of a call; one stimulus has no label when n
# is odd.
clusters_of <- function(n) c(rep(seq_len(n %/% 2), 2), if (n %% 2) NA)

draw_clusters <- function(at, args) {
  usable <- at$n > 9 && !("graph" %in% at$kinds && at$n %% 2)
  if (usable && chance(0.1)) clusters_of(at$n)
}

# So many clusters of two leave k neighbours, but not in graphs that were made without them.
draw_neighbour_clusters <- function(at, args) {
  usable <- !"graph" %in% at$kinds && args$k <= at$n - at$n %% 2 - 2
  if (usable) draw_clusters(at, args)
}

neighbour_parameters <- list(k = neighbours(), metric = draw_metric, ties = ties_rule,
                             clusters = draw_neighbour_clusters)

is_whitened <- function(args) startsWith(args$outer, "whitened")

# The noise of the stimuli.
draw_stimulus_noise <- function(at, args) {
  n <- at$n
  one_of(list(NULL, stats::runif(n, 0.5, 2), crossprod(matrix(stats::rnorm(n^2), n)) + diag(n)))
}

# CKA and its angle.
cka_parameters <- list(
  kernel = draw_kernel, estimator = draw_estimator, shared_neurons = draw_shared,
  units_x = draw_units, units_y = draw_units_y,
  sigma = function(at, args) if (args$kernel == "rbf" && chance(0.2)) exp(stats::rnorm(1)),
  bandwidth = function(at, args) if (args$kernel == "rbf") 2^stats::runif(1, -2, 2),
  k = function(at, args) if (args$kernel == "manifold") count_up_to(at$most_k, 3),
  clusters = draw_clusters,
  # what matrices do not know of; see with_responses()
  shared_noise = function(at, args) NULL,
  complete = function(at, args) if (chance(0.1)) "both"
)

# Controls have no null, so that few calls have some.
draw_given <- function(at, args) {
  if (chance(0.02)) list(control = matrix(stats::rnorm(at$n * 3), at$n))
}

parameters <- list(
  aligned_cosine = list(center = flag),
  angular_cka = cka_parameters,
  angular_shape = list(),
  bures = list(),
  bures_distance = list(),
  cca = list(summary = choice("mean", "mean_squared", "yanai")),
  cka = c(cka_parameters, given = draw_given),
  cknna = list(k = neighbours(), normalize = function(at, args) !at$zero_rows && chance(0.6),
               centering = choice("masked", "full"),
               estimator = function(at, args) {
                 plain <- at$n < 4 || identical(args$centering, "full")
                 if (plain) "biased" else one_of(c("biased", "unbiased"))
               }, ties = ties_or_default, clusters = draw_neighbour_clusters),
  concentricity_difference = list(),
  cycle_knn = neighbour_parameters,
  distance_correlation = list(
    squared = flag,
    estimator = function(at, args) if (at$n < 4) "biased" else one_of(c("biased", "unbiased")),
    given = draw_given
  ),
  edit_distance_knn = neighbour_parameters,
  eigenspace_overlap = list(),
  gulp = list(lambda = function(at, args) one_of(c(0, 10^stats::runif(1, -8, 3)))),
  hard_correlation_match = list(matching = choice("optimal", "greedy")),
  imd = list(k = neighbours(), degree = choice(2, 3, 12, 25)),
  kcka = list(k = neighbours(), self = flag, squared = flag, centering = choice("row", "double"),
              ties = ties_or_default, clusters = draw_neighbour_clusters, given = draw_given),
  knn_jaccard = neighbour_parameters,
  lcs_knn = neighbour_parameters,
  linear_regression = list(),
  magnitude_difference = list(),
  mka = list(k = neighbours(3), ties = ties_rule, clusters = draw_neighbour_clusters),
  mutual_knn = neighbour_parameters,
  permutation_procrustes = list(center = flag, scale = flag),
  procrustes = list(center = flag, scale = flag),
  procrustes_similarity = list(),
  procrustes_size_shape = list(center = flag),
  pwcca = list(weights = choice("projection", "l1")),
  rank_similarity = neighbour_parameters,
  riemann = list(stimulus_noise = draw_stimulus_noise),
  rsa = list(inner = draw_inner,
             outer = choice("spearman", "pearson", "kendall", "cosine", "tau_b", "rho_a",
                            "whitened_cosine", "whitened_pearson"),
             clusters = function(at, args) if (!is_whitened(args)) draw_clusters(at, args),
             stimulus_noise = function(at, args) {
               if (is_whitened(args)) draw_stimulus_noise(at, args)
             },
             na = choice("error", "pairwise"), given = draw_given),
  rsm_difference = list(norm = choice("frobenius", "spectral")),
  rtd = list(batch = function(at, args) if (at$n > 5) one_of(list(NULL, Inf, at$n - 1)),
             trials = choice(1, 2)),
  rv = list(given = draw_given),
  second_order_cosine = list(k = neighbours(), of = choice("similarity", "distance"),
                             ties = ties_rule, clusters = draw_neighbour_clusters),
  shape_distance = list(alpha = function(at, args) one_of(c(0, 0.3, 1)),
                        method = choice("angular", "euclidean"),
                        whitening = choice("power", "raw"), center = flag, scale = flag),
  soft_matching = list(mass = choice(1, 0.2, 0.9), center = flag, scale = flag),
  soft_matching_correlation = list(mass = choice(1, 0.2, 0.9)),
  soft_correlation_match = list(direction = choice("both", "x", "y")),
  svcca = list(
    variance = function(at, args) one_of(list(NULL, 1, stats::runif(1, 0.3, 1))),
    components = function(at, args) if (is.null(args$variance) && chance(0.5)) 1
  ),
  uniformity_difference = list(t = choice(2, 0.1, 5),
                               normalize = function(at, args) !at$zero_rows && chance(0.5))
)

# A new measure or parameter must get values here.
check_parameters <- function() {
  for (id in measures()$id) {
    known <- names(repalign:::measure_parameters(id))
    drawn <- names(parameters[[id]])
    if (!id %in% names(parameters) || !setequal(known, drawn)) {
      stop("tools/fuzz/parameters.R does not suit the measure ", id, ", which has the parameters ",
           paste(known, collapse = ", "), ".")
    }
  }
  check_arguments()
}

# Further conditions that a measure has on data, as facts_of() tells them.
conditions <- list(
  hard_correlation_match = function(at, args) !at$constant_columns,
  soft_correlation_match = function(at, args) !at$constant_columns,
  soft_matching_correlation = function(at, args) !at$constant_columns,
  aligned_cosine = function(at, args) !at$zero_rows && (!args$center || !at$repeated_rows),
  concentricity_difference = function(at, args) !at$zero_rows,
  mka = function(at, args) at$most_k >= 3,
  kcka = function(at, args) !at$repeated_rows,
  rsa = function(at, args) at$n > 2,
  # the second moments of the data must be positive definite
  riemann = function(at, args) at$n > 2 && at$kinds[1] == "data" && min(at$widths) >= at$n,
  gulp = function(at, args) at$n > 2,
  rtd = function(at, args) !at$repeated_rows,
  cka = function(at, args) args$kernel != "rbf" || !at$repeated_rows
)

draw_parameters <- function(id, at) {
  args <- list()
  for (name in names(parameters[[id]])) args[[name]] <- parameters[[id]][[name]](at, args)
  args
}

suits <- function(id, args, at) {
  d <- repalign:::registry[[id]]
  all_args <- utils::modifyList(repalign:::default_arguments(id), args)
  all_args <- tryCatch(d$check(all_args), repalign_error = function(e) NULL)
  if (is.null(all_args)) return(FALSE)
  accepted <- repalign:::accepted_by(d, all_args)
  graph <- if (!is.null(d$neighbours)) d$neighbours(all_args)
  condition <- conditions[[id]]
  all(at$kinds %in% accepted) && (!at$signed || "signed" %in% accepted) &&
    (is.null(graph) || suits_graph(graph, at)) &&
    (is.null(condition) || condition(at, all_args))
}

suits_graph <- function(graph, at) {
  graph$k <= at$most_k && !(graph$metric == "cosine" && at$zero_rows) &&
    !(graph$metric == "correlation" && at$constant_rows)
}

# A call of measure() that mostly suits the data; NULL where none was found.
draw_measure <- function(at, ids = names(parameters)) {
  for (try in 1:25) {
    id <- one_of(ids)
    args <- draw_parameters(id, at)
    if (suppressWarnings(suits(id, args, at)) || chance(0.002)) {
      return(list(id = id, args = args))
    }
  }
  NULL
}

# Functions that users might bring, for matrices and for distances.
own_measures <- list(
  data = list(
    quote(new_measure(function(x, y) abs(mean(x[, 1] * y[, 1])), label = "product")),
    quote(new_measure(function(x, y) mean(abs(dist(x) - dist(y))), "distance", best = 0,
                      symmetric = TRUE, label = "difference")),
    quote(new_measure(function(x, y) mean(sign(x[, 1]) == sign(y[, 1])), best = 1,
                      label = "agreement")),
    quote(new_measure(function(x, y) if (x[1, 1] < y[1, 1]) NA else 1, label = "sometimes NA")),
    quote(new_measure(function(x, y) suppressWarnings(as.double(x[1] + y[1])), label = "corner")),
    quote(new_measure(function(x, y) {
      if (x[1] > y[1]) warning("x is larger")
      sum(y[1, ])
    }, label = "warns"))
  ),
  dist = list(
    quote(new_measure(function(x, y) mean(abs(as.vector(x) - as.vector(y))), "distance", best = 0,
                      symmetric = TRUE, label = "difference of distances"))
  )
)

# list(call, ids): the argument `measure` as it would be typed, and the ids in it ("" own).
draw_measures <- function(at, ids) {
  drawn <- lapply(seq_len(one_of(1:3, c(0.65, 0.22, 0.13))), function(i) {
    own <- own_measures[[at$kinds[1]]]
    if (length(at$kinds) == 1 && length(own) && chance(0.06)) return(list(call = one_of(own)))
    one <- draw_measure(at, ids)
    if (is.null(one)) return(NULL)
    one$call <- as.call(c(as.name("measure"), one$id, one$args))
    if (!length(one$args) && chance(0.5)) one$call <- one$id
    one
  })
  drawn <- Filter(Negate(is.null), drawn)
  if (!length(drawn)) return(NULL)
  calls <- lapply(drawn, function(one) one$call)
  list(call = if (length(calls) == 1) calls[[1]] else as.call(c(as.name("list"), calls)),
       ids = vapply(drawn, function(one) if (is.null(one$id)) "" else one$id, ""))
}
