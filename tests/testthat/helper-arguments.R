# A valid call of nearly every exported function, with small data, as a list of its arguments: what
# tests of single arguments change. They are not here that have no arguments or only numbers.

argument_calls <- function(frame = parent.frame()) {
  set.seed(1)
  n <- 12
  responses_of <- function(d) {
    matrix(stats::rnorm(n * d), n, dimnames = list(paste0("s", 1:n), paste0("u", 1:d)))
  }
  x <- responses_of(4)
  y <- responses_of(3) + x[, 1:3]
  layers <- list(a = responses_of(4), b = responses_of(3), c = responses_of(5))
  trials <- array(stats::rnorm(n * 12) + as.vector(x), c(n, 4, 3),
                  dimnames = c(dimnames(x), list(NULL)))
  rdms <- lapply(c(list(x = x, y = y), layers[1:2]), dist)
  long <- data.frame(image = rep(rownames(x), 8), neuron = rep(colnames(x), each = 2 * n),
                     trial = rep(1:2, each = n, times = 4), value = stats::rnorm(8 * n))
  table <- data.frame(image = rownames(x), x)
  outputs <- exp(responses_of(5))
  outputs <- unname(outputs / rowSums(outputs))
  colnames(outputs) <- letters[1:5]
  classes <- rep(letters[1:4], 3)
  items <- c(layers, list(d = x))
  model <- rdm_model(rdms[1:2], "weighted")
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = frame)
  utils::write.csv(x, file)
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  intervals <- quiet(score_interval(x, layers, "cka"))
  scores <- quiet(similarity(layers))
  groups <- c("g", "g", "h", "h")
  benchmark <- quiet(benchmark_groups(items, groups, "cka", model_permutations = 9))
  both <- list(x = x, y = y)
  clusters <- rep(letters[1:6], 2)
  spaces <- feature_spaces(a = layers$a, b = layers$b)
  joint <- quiet(encode(spaces, y, lambda = c(1, 10), folds = rep(1:3, 4)))
  calls <- list(
    accuracy_difference = list(p = outputs, q = outputs[n:1, ], labels = classes),
    across_sessions = list(x = list(a = trials, b = trials[, 4:1, ] + stats::rnorm(n * 12)),
                           times = c(1, 3), over = "stimuli", clusters = clusters,
                           permutations = 9, na = "stimuli"),
    as_rdm = list(x = rdms$x, labels = rownames(x)),
    benchmark_groups = list(representations = items, groups = groups, measures = "cka",
                            model_permutations = 9, test = "t", dataset = "d", architecture = "a"),
    benchmark_layers = list(models = list(one = layers, two = lapply(layers, `+`, x[, 1])),
                            measures = "cka"),
    benchmark_outputs = list(representations = items, labels = classes, measures = "cka",
                             outputs = list(a = outputs, b = outputs[n:1, ],
                                            c = outputs[c(3:n, 1:2), ],
                                            d = outputs[c(2:n, 1), ]), model_permutations = 9),
    best_score = list(result = intervals, by = NULL, draws = 99),
    adjacency = list(coordinates = x[, 1:2], distance = 1),
    brain_to_brain = list(x = x, y = y, neurons = 2, repeats = 5),
    brain_to_model = list(brain = x, layers = layers, neurons = 2, repeats = 5),
    calibrate = list(x = x, y = layers, measure = "cka", permutations = 11, variant = "gated",
                     blocks = rep(1:3, 4), p_adjust = "holm"),
    cka = c(both, list(estimator = "stimulus", clusters = clusters, units_x = letters[1:4],
                       units_y = letters[1:3])),
    cross_adjacency = list(space = list(a = 2L, b = 1L), time = list(2L, c(1L, 3L), 2L)),
    cross_places = list(neighbours = list(a = 1:2, b = 2:3), windows = list(1:2, 2:3),
                        channels = 4),
    cka_interval = c(both, list(estimator = "stimulus", clusters = clusters)),
    compare_best = list(result = intervals, group_1 = "a", group_2 = "b", draws = 99),
    compare_scores = list(result = intervals, p_adjust = "holm"),
    consensus = list(x = list(a = x, b = y, third = layers$a), models = layers["c"], folds = 3,
                     p_adjust = "BH"),
    disagreement = list(p = outputs, q = outputs[n:1, ]),
    encode = list(from = list(a = layers$a, b = spaces), to = y, lambda = c(1, 10), folds = 3),
    evaluate_models = list(data = x, models = layers, measure = "cka", permutations = 9),
    evaluate_rdms = list(rdms = rdms, models = list(m = dist(layers$c), w = model),
                         outer = "cosine", draws = 20, permutations = 9,
                         group = c("g", "g", "h", "k")),
    flatten_time = list(x = trials, times = c(0, 10, 20), unit = "ms"),
    feature_spaces = list(a = layers$a, b = layers$b),
    fit_rdm_model = list(model = model, rdms = rdms[3:4], outer = "cosine"),
    held_out = c(both, list(measure = "procrustes", folds = 3, clusters = clusters,
                            permutations = 5)),
    hsic = c(both, list(estimator = "stimulus")),
    in_words = list(result = intervals),
    influence_matrix = list(result = intervals),
    jsd = list(p = outputs, q = outputs[n:1, ]),
    match_rows = list(x = x, y = y[n:1, ]),
    matched_neurons = list(x = x, y = y, mass = 0.5),
    measure = list(id = "cka", estimator = "stimulus"),
    neighbourhoods = list(coordinates = x[, 1:2], k = 3, within = rep(c("l", "r"), 6)),
    new_measure = list(fun = function(x, y) mean(x) * mean(y), direction = "similarity"),
    noise_ceiling = list(trials = trials, y = y, measure = "cka"),
    noise_covariance = list(x = rbind(x, x + y[, 1]), run = rep(1:2, each = n), method = "diag"),
    object_disentanglement = list(responses = x, object = rep(letters[1:2], 6), neurons = 4,
                                  repeats = 3),
    participation_ratio = list(x = x),
    pool_rdms = list(rdms = rdms, outer = "pearson"),
    predicted_bias = list(x = x, y = y, estimator = "stimulus"),
    prepare = list(x = layers, measure = "cka"),
    rank_measures = list(one = benchmark, metric = c(groups = "auprc"), ties = "min"),
    rdm = list(x = trials, distance = "crossnobis"),
    rdm_model = list(rdms = rdms, type = "weighted"),
    rdm_rows = list(x = x, y = y, inner = "euclidean", outer = "pearson"),
    install_cli = list(folder = dirname(file), ask = FALSE),
    read_representation = list(file = file, rows = 2:3),
    response_matrix = list(data = table, stimulus = "image", neurons = c("u1", "u2")),
    responses = list(x = long, stimulus = "image", neuron = "neuron", trial = "trial",
                     value = "value"),
    rsa = c(both, list(inner = "euclidean", outer = "pearson")),
    rsa_regression = list(formula = y ~ a + b, permutations = 19,
                          data = list(y = rdms$x, a = rdms$y, b = rep(c("p", "q", "r"), 4))),
    score_interval = list(x = x, y = layers, measure = "cka", over = "stimuli",
                          clusters = clusters),
    contributions = list(x = x, y = y, measure = "cka", by = "groups", groups = rep(1:3, 4)),
    score_matrix = list(result = scores, measure = "cka", value = "score"),
    score_weighted = list(x = x, y = y, measure = "cka", weights = rep(1:3, 4)),
    searchlight = list(data = x, neighbours = list(one = 1:3, two = 2:4), models = list(m = y),
                       measure = "rsa", permutations = 19),
    similarity = list(x = layers, y = both, measure = c("cka", "rsa")),
    space_parts = list(x = joint, method = "influence", permutations = 9, p_adjust = "holm"),
    split_time = list(x = trials, windows = list(early = 1:2, late = 2:3)),
    spike_counts = list(times = seq(0.1, 12, 0.1), units = rep(c("u1", "u2"), 60), onsets = 0:11,
                        window = c(0, 1), stimuli = rep(c("k", "l", "m"), 4)),
    stream_cka = list(chunks = list(both, lapply(both, `+`, 1)), estimator = "stimulus"),
    subject_ceiling = list(x = layers, measure = "rsa", group = c("g", "g", "h")),
    test_maps = list(maps = x, adjacency = list(2L, 1L, 4L, 3L), correction = "tfce",
                     alternative = "two_sided", permutations = 15, na = "places"),
    time_windows = list(times = 1:12, width = 3, step = 2, unit = "ms"),
    transform_rdm = list(x = rdms$x, method = "rank"),
    trial_array = list(data = long, stimulus = "image", neuron = "neuron", trial = "trial",
                       value = "value"),
    trial_to_trial = list(trials = trials, neurons = 2, repeats = 5)
  )
  if (requireNamespace("hdf5r", quietly = TRUE)) {
    calls$read_nwb <- list(file = file_of(small_nwb_bytes(), ".nwb", frame))
  }
  if (requireNamespace("RNifti", quietly = TRUE)) {
    image <- nifti_file(array(1:24, c(2, 3, 4)), frame = frame)
    calls$read_volumes <- list(files = image, mask = array(TRUE, c(2, 3, 4)), threshold = 0.5)
    calls$write_map <- list(values = c("1 1 1" = 2, "2 3 4" = 1), mask = image,
                            file = withr::local_tempfile(fileext = ".nii", .local_envir = frame))
  }
  ids <- setdiff(measures()$id, c(names(calls), "riemann"))
  k <- function(id) if ("k" %in% names(formals(getExportedValue("repalign", id)))) list(k = 4)
  c(calls, stats::setNames(lapply(ids, function(id) c(both, k(id))), ids))
}

# What a call of an exported function ends in: a result, which is printed, or its error. Warnings of
# R itself are errors here.
outcome_of <- function(name, arguments) {
  set.seed(1)
  tryCatch(withCallingHandlers({
    result <- do.call(getExportedValue("repalign", name), arguments, quote = TRUE)
    utils::capture.output(if (is.data.frame(result)) print(result))
    result
  }, warning = function(w) {
    if (!inherits(w, "repalign_warning")) stop("A warning of R: ", conditionMessage(w))
    invokeRestart("muffleWarning")
  }, message = function(m) invokeRestart("muffleMessage")), error = identity)
}

is_own_error <- function(outcome) {
  inherits(outcome, "repalign_error") && !inherits(outcome, "simpleError")
}
