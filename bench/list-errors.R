# How long intervals of lists and evaluations by ranks take, in seconds of the processor:
#   Rscript bench/list-errors.R [grids] [default] [subjects] [models] [layers=20] [n=500] [subjects=30]
#                               [draws=1000] [beside=LIBRARY] [rounds=3]
# grids: intervals of all pairs of layers (n x 128) by measures whose deletions or half-samples are
# made for all pairs at once, differences of all of these scores, the interval of one pair, three
# layers as models of a recording (60 neurons, 4 trials; its neurons are left out in turn, too), 12
# recordings of subjects, and tables with a row for each pair. default: what errors over neurons,
# which are the default of the corrected CKA, cost beside errors over stimuli. subjects: 8 models of 100 subjects, 5
# layers with 50 windows of time, and 3 models by Gaussian kernels corrected for trials. models: 5
# models with the RDMs of 92 stimuli of all subjects, by ranks and by Kendall's tau, and with
# weights fitted in folds, also under permutations. Set the threads of the BLAS and ours to one
# (OPENBLAS_NUM_THREADS, OMP_NUM_THREADS). beside: a library with another version of the package;
# both run in turn, and of each the least time counts.

here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))

times_with <- function(library) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  path <- paste(c(library, .libPaths()), collapse = .Platform$path.sep)
  lines <- system2(file.path(R.home("bin"), "Rscript"),
                   c(script, grep("^beside=", given, value = TRUE, invert = TRUE)),
                   stdout = TRUE, env = paste0("R_LIBS=", path))
  stats::setNames(as.double(sub(".* ([0-9.]+) s$", "\\1", lines)), trimws(substr(lines, 1, 44)))
}

if (length(words("beside", NULL))) {
  both <- lapply(seq_len(setting("rounds", 3)), function(round) {
    list(ours = times_with(NULL), other = times_with(words("beside", NULL)))
  })
  least <- function(side) do.call(pmin, lapply(both, `[[`, side))
  cat(sprintf("%-44s %7.2f s, beside %7.2f s: %5.2f times as fast\n", names(least("ours")),
              least("ours"), least("other"), least("other") / least("ours")), sep = "")
  quit("no")
}

library(repalign)

n <- setting("n", 500)
subjects <- setting("subjects", 30)
draws <- setting("draws", 1000)

seconds <- function(what, code) {
  time <- system.time(result <- quietly(code))
  cat(sprintf("%-44s %7.2f s\n", what, time[[1]] + time[[2]]))
  invisible(result)
}

set.seed(1)
latent <- matrix(rnorm(n * 20), n)
recorded <- function(width) {
  latent %*% matrix(rnorm(20 * width), 20) + 2 * matrix(rnorm(n * width), n)
}
layers <- lapply(stats::setNames(nm = paste0("layer", seq_len(setting("layers", 20)))),
                 function(name) recorded(128))

if (wanted("grids")) {
  of_cka <- seconds("intervals, cka", score_interval(layers))
  seconds("  differences of all of them", compare_scores(of_cka))
  seconds("intervals, rsa", score_interval(layers, measure = "rsa"))
  seconds("interval of one pair, rsa", score_interval(layers[[1]], layers[[2]], "rsa"))
  seconds("intervals, cka, 200 half-samples", score_interval(layers, method = "half-samples"))
  trials <- c(latent %*% matrix(rnorm(20 * 60), 20)) + 2 * array(rnorm(n * 60 * 4), c(n, 60, 4))
  seconds("3 models of a recording, rsa", evaluate_models(trials, layers[1:3], measure = "rsa"))
  for (outer in c("spearman", "pearson", "kendall")) {
    seconds(paste("8 layers, neurons left out,", outer),
            score_interval(trials[1:200, , 1], lapply(layers[1:8], `[`, 1:200, TRUE),
                           measure("rsa", outer = outer), over = c("stimuli", "neurons_x"),
                           draws = 20))
  }
  recordings <- lapply(stats::setNames(nm = paste0("subject", 1:12)), function(name) recorded(60))
  seconds("8 layers with 12 subjects, rsa",
          score_interval(recordings, layers[1:8], "rsa", over = c("stimuli", "subjects")))
  seconds("calibrate(), 199 permutations", calibrate(layers, permutations = 199))
  seconds("brain_to_brain() of 6 recordings", brain_to_brain(recordings[1:6]))
}

if (wanted("default")) {
  corrected <- measure("cka", estimator = "stimulus_neuron")
  brain <- recorded(60)
  for (over in list("stimuli", NULL)) {
    of <- if (is.null(over)) "by default" else "over stimuli"
    seconds(paste("score_interval(),", of), score_interval(brain, layers, corrected, over = over))
    seconds(paste("evaluate_models(),", of),
            evaluate_models(brain, layers, measure = corrected, over = over, permutations = 0))
    seconds(paste("all pairs of layers,", of), score_interval(layers, NULL, corrected, over = over))
  }
}

if (wanted("subjects")) {
  many <- function(count, stimuli, width) {
    lapply(stats::setNames(nm = paste0("m", seq_len(count))), function(name) {
      recorded(width)[seq_len(stimuli), ]
    })
  }
  people <- many(100, 60, 40)
  seconds("8 models of 100 subjects", evaluate_models(people, many(8, 60, 100)))
  seconds("8 models of 100 subjects, rsa",
          evaluate_models(people, many(8, 60, 100), measure = "rsa"))
  seconds("5 layers with 50 windows, corrected cka",
          score_interval(many(50, 200, 80), many(5, 200, 128),
                         measure("cka", estimator = "stimulus_neuron")))
  trials <- c(latent[1:100, ] %*% matrix(rnorm(20 * 40), 20)) +
    2 * array(rnorm(32000), c(100, 40, 8))
  seconds("3 models of trials, Gaussian kernels",
          evaluate_models(trials, many(3, 100, 50), measure = measure("cka", kernel = "rbf")))
}

if (!wanted("models")) quit("no")

rdms <- function(list) {
  lapply(list, function(x) rdm(x[seq_len(min(n, 92)), ], distance = "correlation"))
}
data <- quietly(rdms(lapply(seq_len(subjects), function(k) recorded(40))))
models <- quietly(rdms(layers[1:5]))
for (outer in c("cosine", "spearman", "kendall", "tau_b")) {
  seconds(paste("5 models, draws of both,", outer),
          evaluate_rdms(data, models, outer, draws = draws, permutations = 0))
}
weighted <- list(weighted = rdm_model(models, "weighted"))
for (outer in c("cosine", "spearman", "kendall")) {
  seconds(paste("a weighted model, 2 x 2 folds twice,", outer),
          evaluate_rdms(data, weighted, outer, draws = draws / 5, permutations = 0,
                        folds = c(rdm = 2, condition = 2)))
  seconds(paste("its p-value by permutations,", outer),
          evaluate_rdms(data, weighted, outer, "none", permutations = draws / 10,
                        folds = c(rdm = 2, condition = 2)))
}
