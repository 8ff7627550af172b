# What tests of all classes of results share.

# Results of every class, by calls that together have all columns of the class.
results_by_class <- function() {
  set.seed(301)
  noise <- function(n, q) matrix(stats::rnorm(n * q), n)
  p <- linear_population(30, 8, 4)
  layers <- list(a = p$y, b = noise(30, 6), c = noise(30, 5))
  models <- list(m = layers[1:2], k = layers[3])
  gaps <- stats::dist(p$x)
  gaps[3] <- NA
  pairwise <- measure("rsa", na = "pairwise")
  trials <- array(rep(p$x, 4) + stats::rnorm(30 * 8 * 4), c(30, 8, 4))
  rdms <- lapply(list(r = p$x, s = p$y, t = layers$b), function(x) stats::dist(x[1:10, ]))
  labels <- rep(c("one", "two"), each = 15)
  nets <- grouped_models()
  outputs <- lapply(nets, function(net) exp(net) / rowSums(exp(net)))
  groups <- benchmark_groups(nets, groups_of(nets), "rv", model_permutations = 9, dataset = "d",
                             architecture = "e")
  with_errors <- score_interval(p$x, layers)
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  quiet(list(
    repalign_similarity = list(similarity(models), similarity(gaps, stats::dist(p$y), pairwise),
                               held_out(p$x, layers, permutations = 9)),
    repalign_calibration = list(calibrate(models, permutations = 9, p_adjust = "BH")),
    repalign_analysis = list(
      brain_to_brain(p$x, p$y, neurons = 4, repeats = 2), trial_to_trial(trials, neurons = 4),
      brain_to_model(responses(trials), layers, neurons = 4, repeats = 2),
      object_disentanglement(p$x, labels, repeats = 2),
      brain_to_model(p$x, layers, neurons = 4, repeats = 2, complete = "y")
    ),
    repalign_summary = list(summary(brain_to_model(responses(trials), layers, neurons = 4,
                                                   repeats = 2, complete = "y"))),
    repalign_interval = list(score_interval(models),
                             cka_interval(p$x, p$y, clusters = rep(1:10, each = 3)),
                             cka_interval(p$x, p$y, complete = "y"),
                             score_interval(gaps, stats::dist(p$y), pairwise, draws = 20),
                             score_interval(p$x, p$y, measure("rv", given = p$x + 10 * p$y[, 1]))),
    repalign_benchmark = list(groups, benchmark_outputs(nets, outputs, measures = "rv",
                                                        model_permutations = 9)),
    repalign_ranks = list(rank_measures(groups, metric = c(groups = "conformity"))),
    repalign_evaluation = list(evaluate_rdms(rdms[2:3], rdms[1:2], draws = 20),
                               evaluate_models(p$x, layers, permutations = 9, over = "stimuli")),
    repalign_comparison = list(compare_scores(with_errors, margin = 0.1, draws = 99),
                               compare_scores(with_errors, rbind(first = c(1, -1, 0)), draws = 99)),
    repalign_best = list(best_score(with_errors, draws = 99)),
    repalign_best_comparison = list(compare_best(with_errors, "a", c("b", "c"), draws = 99)),
    repalign_regression = list(
      rsa_regression(all ~ s + t, c(rdms, list(all = rdms[c("r", "t")])), permutations = 9),
      rsa_regression(r ~ s + t, rdms, permutations = 9)
    ),
    repalign_regression_group = list(
      summary(rsa_regression(r ~ s + t, rdms, permutations = 9))
    ),
    repalign_rdm_rows = list(rdm_rows(rdms[1:2], rdms[2:3])),
    repalign_plan = list(plan_recording(p$x, p$y, stimuli = c(30, 60), target_se = 0.1)),
    repalign_searchlight = list(searchlight(p$x, list(1:4, 3:6, 5:8), p$y, permutations = 9)),
    repalign_ceiling = list(noise_ceiling(trials, layers)),
    repalign_sessions = list(across_sessions(lapply(list(a = 1, b = 2, c = 3), function(day) {
      array(trials + sin(day * seq_along(trials)^2), dim(trials),
            list(NULL, paste("cell", letters[1:8]), NULL))
    }))),
    repalign_consensus = list(consensus(list(one = p$x, two = p$y, three = p$x[, 1:5]), layers,
                                        permutations = 9)),
    repalign_encoding = list(encode(layers, trials, folds = rep(1:5, 6)),
                             encode(models, p$x, lambda = 1, folds = rep(1:5, 6))),
    repalign_parts = list(space_parts(encode(
      list(one = feature_spaces(a = p$x, b = p$y), two = feature_spaces(c = p$y, d = p$x)),
      trials, folds = rep(1:5, 6), lambda = c(1, 10)
    ), permutations = 9), space_parts(encode(
      list(m = list(one = feature_spaces(a = p$x, b = p$y))), trials, folds = rep(1:5, 6)
    ))),
    repalign_stream = list(stream_cka(list(list(x = p$x[1:15, ], y = p$y[1:15, ]),
                                           list(x = p$x[16:30, ], y = p$y[16:30, ])))),
    repalign_subject_ceiling = list(subject_ceiling(rdms, "rsa"), subject_ceiling(layers, "cka")),
    repalign_dimension = list(participation_ratio(p$x),
                              participation_ratio(p$y, conf_level = 0.9)),
    repalign_predicted_bias = list(predicted_bias(p)),
    repalign_ratio_bias = list(ratio_bias(matrix(c(1:3, 4:6, 6, 4, 5), 3))),
    repalign_contributions = list(contributions(p$x, p$y), contributions(
      p$x, layers[1:2], "rsa", by = "groups", groups = labels
    ), contributions(p$x, p$y, by = "components")),
    repalign_map_test = list(
      test_maps(p$x, adjacency = adjacency(times = 8), correction = "tfce", permutations = 19),
      test_maps(p$x, adjacency = adjacency(times = 8), correction = "cluster_mass",
                permutations = 19)
    ),
    repalign_measures = list(measures())
  ))
}
