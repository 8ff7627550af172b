# Times of the quality figures of a benchmark with their p-values: 50 models, 34 measures, 999
# relabellings, from scores that are there.
#   Rscript bench/benchmark-quality.R [models=50]

suppressMessages(library(repalign))
here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))
source(file.path(here, "timing.R"))

models <- setting("models", 50L)
set.seed(1)
groups <- rep(1:5, length.out = models)
scores <- lapply(1:34, function(measure) {
  score <- matrix(stats::runif(models^2), models)
  score + t(score) + outer(groups, groups, `==`) / 10
})
differences <- lapply(c(accuracy = 1, jsd = 2, disagreement = 3), function(target) {
  as.matrix(stats::dist(stats::rnorm(models)))
})
quality <- function(name) utils::getFromNamespace(name, "repalign")

say_machine()
say("%d models, 34 measures, 999 relabellings", models)
time <- seconds({
  relabellings <- quality("group_relabellings")(groups, 999)
  for (score in scores) {
    quality("group_quality")(score, TRUE, groups, best = 2, relabellings = relabellings)
  }
}, 3)
say("groups, all figures: %.1f s", time)
for (permute in c("models", "pairs")) for (correlation in c("spearman", "pearson", "kendall")) {
  time <- seconds({
    relabellings <- quality("output_relabellings")(models, TRUE, permute, 999)
    for (score in scores) {
      quality("output_quality")(score, TRUE, TRUE, differences, correlation, permute,
                                relabellings = relabellings)
    }
  }, 3)
  say("outputs, three targets, %s, permuting %s: %.1f s", correlation, permute, time)
}
