# How long intervals of lists and evaluations by ranks take, in seconds of the processor:
#   Rscript bench/list-errors.R [layers=20] [n=500] [subjects=30] [draws=1000]
# Intervals of all pairs of layers (n x 128) by measures whose deletions or half-samples are made
# for all pairs at once, differences of all of these scores, three layers as models of a recording
# (60 neurons, 4 trials; its neurons are left out in turn, too), and 5 models with the RDMs of 92
# stimuli of all subjects, by ranks and by Kendall's tau, and with weights fitted in folds. Set the
# threads of the BLAS and ours to one (OPENBLAS_NUM_THREADS, OMP_NUM_THREADS).

library(repalign)

here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))
source(file.path(here, "timing.R"))
n <- setting("n", 500)
subjects <- setting("subjects", 30)
draws <- setting("draws", 1000)

quiet <- function(code) suppressMessages(suppressWarnings(code))

seconds <- function(what, code) {
  time <- system.time(result <- quiet(code))
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
of_cka <- seconds("intervals, cka", score_interval(layers))
seconds("  differences of all of them", compare_scores(of_cka))
seconds("intervals, rsa", score_interval(layers, measure = "rsa"))
seconds("intervals, cka, 200 half-samples", score_interval(layers, method = "half-samples"))
trials <- c(latent %*% matrix(rnorm(20 * 60), 20)) + 2 * array(rnorm(n * 60 * 4), c(n, 60, 4))
seconds("3 models of a recording, rsa", evaluate_models(trials, layers[1:3], measure = "rsa"))

rdms <- function(list) {
  lapply(list, function(x) rdm(x[seq_len(min(n, 92)), ], distance = "correlation"))
}
data <- quiet(rdms(lapply(seq_len(subjects), function(k) recorded(40))))
models <- quiet(rdms(layers[1:5]))
for (outer in c("cosine", "spearman", "kendall", "tau_b")) {
  seconds(paste("5 models, draws of both,", outer),
          evaluate_models(data, models, outer, draws = draws, permutations = 0))
}
weighted <- list(weighted = rdm_model(models, "weighted"))
for (outer in c("cosine", "spearman")) {
  seconds(paste("a weighted model, 2 x 2 folds twice,", outer),
          evaluate_models(data, weighted, outer, draws = draws / 5, permutations = 0,
                          folds = c(rdm = 2, condition = 2)))
}
