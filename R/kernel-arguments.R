# CKA and HSIC share the arguments that are checked here.

kernels <- c("linear", "rbf", "manifold")

# These checks need no data, so a grid makes them once.
check_cka_args <- function(args) {
  args$kernel <- check_choice(args$kernel, kernels, "kernel")
  # responses() objects have another default, see settle_cka()
  args$default_estimator <- length(args$estimator) > 1
  args$estimator <- check_choice(args$estimator, c(estimators, trial_estimators), "estimator")
  args$shared_noise <- check_choice(args$shared_noise, shared_noises, "shared_noise")
  check_flag(args$shared_neurons, "shared_neurons")
  if (args$kernel != "linear" && corrects_neurons(args$estimator)) {
    abort("The neuron correction is defined for the linear kernel only: with kernel = ",
          dQuote(args$kernel, FALSE), " use estimator = \"stimulus\" or \"naive\"",
          if (args$kernel == "rbf") " (\"stimulus_trial\" for responses to several trials)", ".",
          class = "repalign_error_value", arg = "estimator")
  }
  if (args$kernel == "manifold" && corrects_trials(args$estimator)) {
    abort("kernel = \"manifold\" cannot correct for trials, because neighbourhoods are no means ",
          "of products: use estimator = \"stimulus\", or another kernel.",
          class = "repalign_error_value", arg = "estimator")
  }
  if (!is.null(args$sigma)) args$sigma <- check_number(args$sigma, "sigma", above = 0)
  args$bandwidth <- check_number(args$bandwidth, "bandwidth", above = 0)
  args$k <- check_count(args$k, "k", least = if (args$kernel == "manifold") 3 else 1)
  note_unused_options(args)
  check_unit_choice(args$shared_neurons, args$units_x, args$units_y)
  args$clusters <- cluster_codes(args$clusters)
  args
}

note_unused_options <- function(args) {
  if (args$kernel != "rbf" && (!is.null(args$sigma) || args$bandwidth != 1)) {
    warn("`sigma` and `bandwidth` are not used by the ", args$kernel, " kernel: set ",
         "kernel = \"rbf\".", class = "repalign_unused", data = "sigma")
  }
  if (args$kernel != "manifold" && args$k != 15) {
    warn("`k` is not used by the ", args$kernel, " kernel: set kernel = \"manifold\".",
         class = "repalign_unused", data = "k")
  }
}

# The Gaussian kernel needs no more than distances, and the manifold kernel no more than neighbours,
# so these may be given in the place of data.
accepted_by_kernel <- function(args) {
  if (corrects_trials(args$estimator)) return("data")
  switch(args$kernel, linear = "data", rbf = c("data", "dist"), manifold = kinds)
}

# What the estimator uses of a declaration by responses().
structure_of_kernel <- function(args) {
  c(if (corrects_trials(args$estimator)) c("trials", "runs", "sessions"),
    if (corrects_neurons(args$estimator)) c("sessions", "neurons"),
    # cka_interval() has several estimators
    if (!is.null(args$clusters) && any(corrects_stimuli(args$estimator))) "clusters")
}

neighbours_of_kernel <- function(args) if (args$kernel == "manifold") euclidean_neighbours(args)

# The form of a kernel, and the kinds of forms that are made on the way to it.
form_of_kernel <- function(args) {
  if (corrects_trials(args$estimator)) return("trials")
  if (goes_by_clusters(args)) return("cluster kernel")
  switch(args$kernel, linear = "linear", rbf = "gaussian", manifold = "symmetric kernel")
}

kept_of_kernel <- function(args) {
  if (corrects_trials(args$estimator)) return(if (args$kernel == "rbf") "distances" else "linear")
  whole <- if (goes_by_clusters(args)) "symmetric kernel"
  switch(args$kernel, rbf = "distances", manifold = c("graph", "sparse kernel", whole))
}

# Do the arguments fit the data of the pair?
check_cka_pair <- function(pair, args) {
  n <- pair$x$n
  if (corrects_stimuli(args$estimator)) {
    check_rows(n, 4, pair$x$arg, "a corrected estimator")
    check_clusters(args$clusters, n, pair$x$arg, 4, "a corrected estimator")
  } else {
    check_rows(n, 2, pair$x$arg, "a similarity")
    check_clusters(args$clusters, n, pair$x$arg, 1, "a similarity")
  }
  check_units(pair, args)
}
