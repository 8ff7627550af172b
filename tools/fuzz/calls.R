# Calls of the package's functions, drawn so that most of them are valid. A call is list(fun, call,
# ...): what is evaluated (with the data in it) and what the checks need to know of it.

# Every argument that calls are drawn with; a new one must be drawn, or be named here. `na` is
# drawn where the functions have it.
known_arguments <- list(
  calibrate = c("x", "y", "measure", "permutations", "alpha", "variant", "aggregate", "blocks",
                "series", "engine", "p_adjust", "threads", "clusters", "resume"),
  similarity = c("x", "y", "measure", "diagonal", "on_error", "threads", "resume"),
  cka_interval = c("x", "y", "estimator", "shared_neurons", "units_x", "units_y", "conf_level",
                   "clusters", "shared_noise", "complete", "over"),
  hsic = setdiff(names(formals(cka)), c("...", "given")),
  rdm = c("x", "condition", "run", "distance", "noise", "weights", "center_patterns",
          "prior_rate", "prior_weight", "subject"),
  noise_covariance = c("x", "condition", "run", "method", "dof", "by_run", "subject"),
  transform_rdm = c("x", "method", "low", "up"),
  brain_to_brain = c("x", "y", "neurons", "repeats", "split", "estimator", "units_x", "units_y",
                     "normalize", "conf_level", "clusters", "over", "complete"),
  trial_to_trial = c("trials", "neurons", "repeats", "estimator", "units", "normalize",
                     "conf_level", "clusters", "over", "complete"),
  brain_to_model = c("brain", "layers", "neurons", "repeats", "estimator", "units", "normalize",
                     "conf_level", "clusters", "over", "complete"),
  object_disentanglement = c("responses", "object", "neurons", "repeats", "estimator",
                             "normalize", "conf_level", "clusters"),
  held_out = c("x", "y", "measure", "folds", "clusters", "repeats", "permutations", "threads"),
  consensus = c("x", "models", "alpha", "components", "refine", "folds", "clusters", "repeats",
                "permutations", "over", "p_adjust", "conf_level", "threads"),
  matched_neurons = c("x", "y", "mass"),
  searchlight = c("data", "neighbours", "models", "measure", "run", "noise", "permutations",
                  "condition", "across_models", "alpha", "threads"),
  test_maps = c("maps", "baseline", "compare", "adjacency", "correction", "statistic",
                "alternative", "threshold", "extent", "height", "permutations", "alpha", "na",
                "threads"),
  evaluate_models = c("data", "models", "measure", "over", "conf_level", "permutations", "alpha",
                      "clusters", "blocks", "series", "threads", "given"),
  evaluate_rdms = c("rdms", "models", "outer", "resample", "draws", "group", "folds", "repeats",
                    "conf_level", "stimulus_noise", "na", "threads", "clusters", "blocks",
                    "permutations")
)

optional_arguments <- list(na = c("error", "stimuli", "neurons"))

check_arguments <- function() {
  for (fun in names(known_arguments)) {
    has <- names(formals(getExportedValue("repalign", fun)))
    new <- setdiff(has, c(known_arguments[[fun]], names(optional_arguments), "..."))
    gone <- setdiff(known_arguments[[fun]], has)
    if (length(c(new, gone))) {
      stop("tools/fuzz/calls.R does not suit the arguments of ", fun, "(): ",
           paste(c(new, gone), collapse = ", "), ".")
    }
  }
}

# Arguments that only some versions have; data with missing values need `na`.
optional_of <- function(fun, quirks = character()) {
  has <- intersect(names(optional_arguments), names(formals(getExportedValue("repalign", fun))))
  wanted <- Filter(function(name) chance(if ("missing" %in% quirks) 0.9 else 0.03), has)
  stats::setNames(lapply(wanted, function(name) one_of(optional_arguments[[name]])), wanted)
}

draw_call <- function() {
  draw <- one_of(list(draw_calibrate, draw_similarity, draw_single, draw_interval, draw_hsic,
                      draw_analysis, draw_searchlight, draw_map_test, draw_rdm_call, draw_recording,
                      draw_evaluation, draw_conclusion, draw_held_out, draw_consensus),
                 c(0.40, 0.1, 0.09, 0.03, 0.02, 0.04, 0.03, 0.02, 0.03, 0.03, 0.02, 0.17, 0.02, 0.02))
  repeat {
    drawn <- draw()
    if (is.null(drawn)) next
    alone <- isTRUE(drawn$conclusion) || isTRUE(drawn$recording) || drawn$fun %in% c("searchlight", "test_maps")
    if (!alone && chance(0.1)) return(with_responses(drawn))
    return(drawn)
  }
}

# name(...) with the arguments in it.
call_of <- function(fun, args) as.call(c(as.name(fun), args))

draw_threads <- function() if (chance(0.2)) sample.int(3, 1)

draw_similarity <- function() {
  sides <- draw_sides()
  measures <- draw_measures(sides$facts, names(parameters))
  if (is.null(measures)) return(NULL)
  args <- c(sides[c("x", if (!is.null(sides$y)) "y")], given(
    measure = measures$call, diagonal = if (is.null(sides$y)) chance(0.5),
    on_error = if (chance(0.4)) one_of(c("stop", "na")), threads = draw_threads()
  ), optional_of("similarity", sides$facts$quirks))
  list(fun = "similarity", call = call_of("similarity", args), args = args, sides = sides,
       ids = measures$ids)
}

# A measure's own function.
draw_single <- function() {
  sides <- draw_pair()
  one <- draw_measure(sides$facts)
  if (is.null(one)) return(NULL)
  list(fun = "a measure", id = one$id, sides = sides, parameters = one$args,
       call = call_of(one$id, c(sides[c("x", "y")], one$args)))
}

# A score of stimuli that were left out; seen by the checks of similarity().
draw_held_out <- function() {
  sides <- draw_sides()
  at <- sides$facts
  held <- Filter(function(id) !is.null(repalign:::registry[[id]]$held), names(parameters))
  measures <- if (all(at$kinds == "data") && at$n > 7) draw_measures(at, held)
  if (is.null(measures) || !all(measures$ids %in% held)) return(NULL)
  folds <- one_of(list(NULL, 2, 3, rep_len(1:2, at$n)))
  args <- c(sides[c("x", if (!is.null(sides$y)) "y")], given(
    measure = measures$call, folds = folds, repeats = if (chance(0.1)) 2,
    clusters = if (is.numeric(folds) && length(folds) == 1 && chance(0.2)) {
      rep_len(seq_len(at$n %/% 2), at$n)
    }, permutations = if (chance(0.2)) 4, threads = draw_threads()
  ))
  list(fun = "held_out", call = call_of("held_out", args), args = args, sides = sides,
       ids = measures$ids)
}

# Lists of sides as subjects, with and without models.
draw_consensus <- function() {
  sides <- draw_sides()
  at <- sides$facts
  if (!sides$shape %in% c("grid", "within") || any(at$kinds != "data")) return(NULL)
  args <- c(list(x = sides$x), given(
    models = if (!is.null(sides$y)) stats::setNames(sides$y, paste0("model", seq_along(sides$y))),
    alpha = if (chance(0.5)) one_of(c(0, 0.5)), components = if (chance(0.2)) one_of(1:3),
    refine = if (chance(0.1)) TRUE, folds = one_of(list(NULL, 2, 3, rep_len(1:2, at$n))),
    permutations = if (chance(0.2)) 4, over = if (chance(0.2)) "stimuli",
    p_adjust = if (chance(0.1)) "none", threads = draw_threads()
  ), optional_of("consensus", at$quirks))
  list(fun = "consensus", call = call_of("consensus", args), args = args, sides = sides)
}

draw_pair <- function(kind = NULL) {
  repeat {
    sides <- draw_sides()
    if (sides$shape == "pair" && (is.null(kind) || all(sides$facts$kinds == kind))) return(sides)
  }
}

draw_hsic <- function() {
  sides <- draw_pair()
  one <- draw_measure(sides$facts, "cka")
  if (is.null(one)) return(NULL)
  one$args$given <- NULL
  list(fun = "hsic", call = call_of("hsic", c(sides[c("x", "y")], one$args)), sides = sides)
}

draw_interval <- function() {
  sides <- draw_pair("data")
  at <- sides$facts
  if (at$n < 5) return(NULL)
  args <- list(kernel = "linear", estimator = "stimulus_neuron")
  args$shared_neurons <- draw_shared(at, args)
  args$units_x <- draw_units(at, args)
  args$units_y <- draw_units_y(at, args)
  args$kernel <- args$estimator <- NULL
  args <- c(sides[c("x", "y")], args, given(
    estimator = draw_estimators(all(at$widths > 1)),
    conf_level = if (chance(0.3)) stats::runif(1, 0.5, 0.999), clusters = draw_clusters(at, args)
  ), optional_of("cka_interval", at$quirks))
  list(fun = "cka_interval", call = call_of("cka_interval", args), args = args, sides = sides)
}

draw_estimators <- function(neuron = TRUE) {
  known <- c("naive", "stimulus", if (neuron) "stimulus_neuron")
  sample(known, sample.int(length(known), 1))
}

# The four analyses on related data.
draw_analysis <- function() {
  sides <- draw_pair("data")
  at <- sides$facts
  if (at$n < 5 || at$no_variance || any(at$widths < 2)) return(NULL)
  estimator <- draw_estimators()
  common <- given(estimator = estimator, repeats = sample.int(4, 1),
                  normalize = if (chance(0.4)) one_of(c("none", "sd")))
  if (chance(0.2)) common["conf_level"] <- list(NULL)
  drawn <- switch(sample.int(4, 1), draw_brain_to_brain(sides, common),
                  draw_trials(sides, common), draw_brain_to_model(sides, common),
                  draw_objects(sides, common))
  if (is.null(drawn)) return(NULL)
  drawn$args <- c(drawn$args, given(clusters = draw_clusters(at, drawn$args)))
  drawn$args <- c(drawn$args, optional_of(drawn$fun, at$quirks))
  drawn$call <- call_of(drawn$fun, drawn$args)
  drawn$analysis <- TRUE
  drawn
}

draw_neurons <- function(most) {
  if (chance(0.4)) return(NULL)
  sort(sample.int(most, min(most, sample.int(2, 1))))
}

draw_brain_to_brain <- function(sides, common) {
  widths <- sides$facts$widths
  args <- switch(sample.int(3, 1),
    c(sides[c("x", "y")], given(neurons = draw_neurons(min(widths)))),
    list(x = sides[c("x", "y")]),
    list(x = sides$x, split = if (widths[1] > 3) rep_len(c("V1", "V4"), widths[1]))
  )
  args <- c(args, given(over = if (chance(0.3)) c("stimuli", "neurons_x", "neurons_y"),
                        complete = if (chance(0.1)) one_of(c("none", "x", "y", "both"))))
  list(fun = "brain_to_brain", args = c(args, common))
}

draw_trials <- function(sides, common) {
  x <- as.matrix(sides$x)
  trials <- lapply(seq_len(1 + sample.int(3, 1)), function(t) x + stats::rnorm(length(x)))
  if (chance(0.3)) trials[[1]][, 1] <- NA
  if (chance(0.5)) trials <- simplify2array(trials)
  args <- c(list(trials = trials),
            given(neurons = draw_neurons(ncol(x)), over = if (chance(0.3)) "stimuli",
                  complete = if (chance(0.1)) one_of(c("none", "both"))))
  list(fun = "trial_to_trial", args = c(args, common))
}

draw_brain_to_model <- function(sides, common) {
  layers <- c(list(conv1 = sides$y), if (chance(0.5)) list(conv2 = as.matrix(sides$x)^2))
  args <- c(list(brain = sides$x, layers = layers),
            given(neurons = draw_neurons(sides$facts$widths[1]),
                  over = if (chance(0.3)) c("stimuli", "neurons_x"),
                  complete = if (chance(0.1)) one_of(c("none", "x", "y", "both"))))
  list(fun = "brain_to_model", args = c(args, common))
}

draw_objects <- function(sides, common) {
  width <- sides$facts$widths[1]
  if (width < 5) return(NULL)
  object <- sample(rep_len(one_of(list(c("a", "b"), c("a", "b", "c"))), sides$facts$n))
  if (any(table(object) < 2)) return(NULL)
  list(fun = "object_disentanglement",
       args = c(list(responses = sides$x, object = object), common))
}

# Centers of the columns of one side, with models of the other; now and then columns that are not
# there, a center without columns, runs, or noise.
draw_searchlight <- function() {
  sides <- draw_sides()
  if (sides$shape == "models" || is.null(sides$y)) return(NULL)
  x <- if (sides$shape == "grid") sides$x[[1]] else sides$x
  if (!is.matrix(x)) return(NULL)
  with_runs <- chance(0.1)
  paired <- intersect(names(parameters), measures()$id[measures()$pairing])
  one <- draw_measure(sides$facts, if (with_runs) "rsa" else paired)
  if (is.null(one)) return(NULL)
  width <- ncol(x)
  neighbours <- lapply(seq_len(sample.int(6, 1)), function(center) {
    sample.int(width + chance(0.02), min(width, count_up_to(width, 4)))
  })
  if (chance(0.3)) names(neighbours) <- paste0("c", seq_along(neighbours))
  args <- given(data = x, neighbours = neighbours, models = sides$y,
                measure = as.call(c(as.name("measure"), one$id, one$args)),
                permutations = if (chance(0.8)) sample.int(80, 1),
                across_models = if (chance(0.3)) chance(0.7), threads = draw_threads(),
                condition = if (chance(0.03)) sample.int(nrow(x), nrow(x), replace = TRUE),
                alpha = if (chance(0.2)) stats::runif(1, 0.01, 0.5),
                noise = if (chance(0.1)) diag(stats::runif(width), width))
  if (with_runs) {
    # every condition in both runs
    args$data <- x[rep(seq_len(nrow(x)), each = 2), , drop = FALSE]
    args$data <- args$data + stats::rnorm(length(args$data))
    args$run <- rep(1:2, nrow(x))
    args$condition <- rep(seq_len(nrow(x)), each = 2)
  }
  list(fun = "searchlight", call = call_of("searchlight", args), args = args, sides = sides)
}

# Maps of 2 to 12 subjects on any graph, with ties, gaps and places that are all alike.
draw_map_test <- function() {
  subjects <- 1 + sample.int(11, 1)
  places <- sample.int(one_of(c(5, 60, 3000)), 1)
  draw_maps <- function() {
    maps <- matrix(stats::rnorm(subjects * places), subjects)
    if (chance(0.3)) maps <- round(maps, 1)
    if (chance(0.2)) maps[, sample.int(places, 1)] <- one_of(c(0, 1, -1e300))
    if (chance(0.2)) maps[sample.int(length(maps), 1)] <- one_of(c(NA, NaN, Inf))
    maps * one_of(c(1, 1, 1e-200, 1e150))
  }
  graph <- lapply(seq_len(places), function(i) {
    setdiff(i + sample(-5:5, sample.int(4, 1)), i)
  })
  graph <- lapply(graph, function(near) near[near > 0 & near <= places])
  args <- given(
    maps = draw_maps(), compare = if (chance(0.2)) draw_maps(), adjacency = graph,
    correction = one_of(c("max", "cluster_mass", "tfce")),
    statistic = if (chance(0.5)) one_of(c("t", "mean")),
    alternative = if (chance(0.7)) one_of(c("greater", "less", "two_sided")),
    baseline = if (chance(0.2)) stats::rnorm(1),
    threshold = if (chance(0.3)) stats::runif(1, 0.001, 0.6),
    extent = if (chance(0.3)) stats::runif(1, 0, 2), height = if (chance(0.3)) one_of(0:3),
    permutations = sample.int(200, 1), na = if (chance(0.6)) "places", threads = draw_threads()
  )
  list(fun = "test_maps", call = call_of("test_maps", args), args = args)
}
