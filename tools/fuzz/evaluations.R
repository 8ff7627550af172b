# Random calls of evaluate_rdms(), and what a valid result of it is.

draw_rdms <- function(count, n, odd) {
  shared <- matrix(stats::rnorm(n * 3), n)
  rdms <- lapply(seq_len(count), function(k) {
    rdm <- stats::dist(shared + stats::rnorm(1) * matrix(stats::rnorm(n * 3), n))^2
    switch(odd, none = rdm, ties = round(rdm), signed = rdm - mean(rdm),
           category = if (k == 1) stats::dist(rep_len(1:2, n)) else rdm,
           gaps = replace(rdm, sample.int(length(rdm), sample.int(length(rdm) %/% 4 + 1, 1)), NA))
  })
  stats::setNames(rdms, paste0("rdm", seq_len(count)))
}

draw_rdm_model <- function(rdms) {
  switch(sample.int(5, 1), rdms[[1]], repalign::rdm_model(rdms, "select"),
         repalign::rdm_model(rdms, "interpolate"), repalign::rdm_model(rdms, "weighted"),
         repalign::rdm_model(rdms, "weighted", nonnegative = TRUE, ridge = stats::rexp(1)))
}

draw_evaluation <- function() {
  n <- 3 + sample.int(12, 1)
  count <- sample.int(6, 1)
  odd <- one_of(c("none", "ties", "signed", "category", "gaps"), c(0.5, 0.1, 0.1, 0.1, 0.2))
  outer <- one_of(repalign:::rsa_outer)
  components <- draw_rdms(2 + sample.int(2, 1), n, if (odd == "gaps") "none" else odd)
  models <- lapply(seq_len(sample.int(3, 1)), function(k) draw_rdm_model(components))
  names(models) <- paste0("model", seq_along(models))
  args <- c(list(rdms = draw_rdms(count, n, odd), models = models, outer = outer,
                 resample = one_of(c("both", "rdm", "condition", "none")),
                 draws = 1 + sample.int(12, 1)),
            given(group = if (chance(0.3)) sample.int(count, count, TRUE),
                  folds = if (chance(0.4)) c(rdm = sample.int(2, 1), condition = sample.int(2, 1)),
                  repeats = if (chance(0.3)) sample.int(3, 1),
                  permutations = one_of(c(0, 3, 9)),
                  clusters = if (chance(0.1)) sample.int(n, n, TRUE),
                  blocks = if (chance(0.05)) rep_len(1:2, n),
                  stimulus_noise = if (grepl("whitened", outer) && chance(0.3)) {
                    stats::rexp(n) + 0.1
                  },
                  na = if (odd == "gaps" && chance(0.9)) "pairwise",
                  threads = draw_threads()))
  list(fun = "evaluate_rdms", call = call_of("evaluate_rdms", args), args = args,
       evaluation = TRUE)
}

check_evaluation <- function(drawn, value, outcome) {
  within <- function(p) all(is.na(p) | p >= 0 & p <= 1)
  rows <- as.data.frame(value)
  c(check_finite_columns(rows),
    check_within(rows$score, c(-1, 1), "a score"),
    problem((anyNA(rows$score) || anyNA(rows$se) || anyNA(rows$ceiling_low)) &&
              !warned_of(outcome, "repalign_undefined"), "NA without a warning"),
    problem(!within(rows$p_zero) || !within(rows$p_ceiling) || !within(rows$p_chance),
            "a p-value outside of 0 to 1"),
    problem(any(rows$se <= 0, na.rm = TRUE), "a standard error that is not positive"),
    problem(any(rows$left_out > rows$draws), "more draws left out than there are"),
    check_methods(value, list(print = print, tidy = repalign::tidy, vcov = stats::vcov)))
}
