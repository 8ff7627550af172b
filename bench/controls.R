# Partial scores of simulated populations: x, y and the control z are samples of neurons and of
# stimuli. x and y share the 10 dimensions of z, and beside these `shared` of 10 others, so that the
# partial CKA of the populations is shared / 10. Prints medians of the estimators, and of the
# corrected one how its intervals hold the truth and how often p_zero is at most .05.
#
#   Rscript bench/controls.R [sets=300] [n=60,150,300] [q=25,40,60]

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
options(repalign.hints = FALSE, repalign.threads = 1)
count <- setting("sets", 300L)
stimuli <- settings("n", c(60L, 150L, 300L))
neurons <- settings("q", c(25L, 40L, 60L))

normal <- function(n, d) matrix(stats::rnorm(n * d), n)

one_set <- function(n, q, shared, trials) {
  z <- normal(n, 10)
  common <- normal(n, shared)
  sampled <- function(latent) latent %*% normal(ncol(latent), q)
  side <- function() sampled(cbind(z, common, normal(n, 10 - shared)))
  recorded <- function(x, session) {
    if (trials == 1) return(x)
    # noise of half of the variance of the signal
    noise <- stats::rnorm(length(x) * trials, sd = stats::sd(x) / sqrt(2))
    responses(array(as.vector(x) + noise, c(dim(x), trials)), session = rep(session, ncol(x)))
  }
  list(x = recorded(side(), "x"), y = recorded(side(), "y"), z = recorded(sampled(z), "z"))
}

quiet <- function(code) suppressMessages(suppressWarnings(code))

of_set <- function(s, trials) {
  score <- function(estimator) quiet(cka(s$x, s$y, estimator = estimator, given = s$z))
  corrected <- paste0("stimulus_neuron", if (trials > 1) "_trial")
  found <- quiet(score_interval(s$x, s$y, measure("cka", estimator = corrected, given = s$z)))
  c(naive = score("naive"), stimulus = score("stimulus"), corrected = found$score, se = found$se,
    low = found$conf_low, high = found$conf_high, p = found$p_zero)
}

cat("stimuli x neurons, trials, truth | medians: naive, stimulus, corrected | corrected: NA, no se,",
    "se / sd, cover, p_zero <= .05\n")
for (cell in seq_along(stimuli)) for (trials in c(1, 3)) for (shared in c(0, 5)) {
  n <- stimuli[cell]
  q <- neurons[cell]
  set.seed(n + q + shared + 100 * trials)
  found <- t(replicate(count, of_set(one_set(n, q, shared, trials), trials)))
  truth <- shared / 10
  known <- !is.na(found[, "se"])
  middle <- function(column) stats::median(found[, column], na.rm = TRUE)
  share <- function(values) mean(values, na.rm = TRUE)
  cat(sprintf("%d x %d, %d, %.1f | %.2f %.2f %.2f | %.3f %.3f %.2f %.3f %.3f\n", n, q, trials,
              truth, middle("naive"), middle("stimulus"), middle("corrected"),
              mean(is.na(found[, "corrected"])), mean(!known),
              middle("se") / stats::mad(found[known, "corrected"]),
              share(found[, "low"] <= truth & truth <= found[, "high"]),
              share(found[, "p"] <= 0.05)))
}
