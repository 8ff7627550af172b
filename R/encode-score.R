# From out-of-fold predictions to the scores of encode(), with their noise ceilings.

# ---- sums

# What all scores are made of, for each fold and column of y: an array folds x columns x sums.
#
# error     squared errors of the predictions
# about_m   squared deviations from the mean of the training rows
# about_own squared deviations from the mean of the test rows
# predicted, shared  squares of the predictions, and their products with y, about the training mean
# cor       the correlation over the test rows; NA where one of both is constant
fold_sums <- function(y, folds, values) {
  n <- nrow(y)
  largest <- apply(abs(y), 2, max)
  names <- c("error", "about_m", "about_own", "predicted", "shared", "cor")
  # sums of squares; 0 where they are rounding
  size_of <- function(x, each) {
    sums <- colSums(x^2)
    replace(sums, sums <= each * (tie_share * largest)^2, 0)
  }
  sums <- vapply(seq_along(folds$test), function(k) {
    test <- folds$test[[k]]
    each <- length(test)
    m <- colMeans(y[train_of(folds, k, n), , drop = FALSE])
    own <- y[test, , drop = FALSE]
    about <- own - rep(m, each = each)
    predicted <- values[[k]] - rep(m, each = each)
    centred <- own - rep(colMeans(own), each = each)
    varying <- predicted - rep(colMeans(predicted), each = each)
    sizes <- lapply(list(centred, varying, predicted), size_of, each)
    cbind(colSums((own - values[[k]])^2), colSums(about^2), sizes[[1]], sizes[[3]],
          colSums(about * predicted),
          ratio(colSums(centred * varying), sqrt(sizes[[1]] * sizes[[2]])))
  }, matrix(0, ncol(y), length(names)))
  aperm(array(sums, c(ncol(y), length(names), length(folds$test)), list(NULL, names, NULL)),
        c(3, 1, 2))
}

# The sums of some columns.
sums_of <- function(sums, columns) sums[, columns, , drop = FALSE]

# ---- scores

# One score for each column.
neuron_scores <- function(sums, folds, settings) {
  part <- function(name) matrix(sums[, , name], dim(sums)[1])
  if (settings$score_by == "r2") {
    if (settings$average == "pooled") {
      return(ratio(colSums(part("about_m")) - colSums(part("error")), colSums(part("about_m"))))
    }
    return(means_of_known(1 - part("error") / replace(part("about_own"),
                                                      part("about_own") == 0, NA)))
  }
  if (settings$average == "folds") return(means_of_known(part("cor")))
  each <- function(name) rowsum(part(name), folds$repeat_of)
  colMeans(ratio(each("shared"), sqrt(each("about_m") * each("predicted"))))
}

ratio <- function(a, b) replace(a / b, b == 0, NA)

means_of_known <- function(values) {
  means <- colMeans(values, na.rm = TRUE)
  replace(means, is.nan(means), NA)
}

# The number of a target. scores: of its neurons; undefined ones do not count.
target_score <- function(scores, sums, settings) {
  known <- which(!is.na(scores))
  if (!length(known)) return(NA_real_)
  if (settings$summary != "weighted") return(summary_of(scores[known], settings$summary))
  part <- function(name) matrix(sums[, known, name], dim(sums)[1])
  if (settings$average == "pooled") return(1 - sum(part("error")) / sum(part("about_m")))
  mean(1 - rowSums(part("error")) / rowSums(part("about_own")))
}

summary_of <- function(values, summary) {
  if (!length(values)) return(NA_real_)
  switch(summary, median = stats::median(values), mean = mean(values), no_branch(summary))
}

# The score of each fold by itself, of the neurons that are defined.
fold_scores <- function(scores, sums, settings) {
  known <- which(!is.na(scores))
  vapply(seq_len(dim(sums)[1]), function(k) {
    of <- function(name) sums[k, known, name]
    if (!length(known)) return(NA_real_)
    about <- if (settings$average == "pooled") of("about_m") else of("about_own")
    if (settings$summary == "weighted") return(1 - sum(of("error")) / sum(about))
    each <- if (settings$score_by == "r2") 1 - of("error") / replace(about, about == 0, NA) else
      if (settings$average == "folds") of("cor") else
        ratio(of("shared"), sqrt(of("about_m") * of("predicted")))
    summary_of(each[!is.na(each)], settings$summary)
  }, 0)
}

# ---- noise

# Which share of the variance of the means over trials is no noise of trials, for each neuron: 1 -
# (variance within stimuli * mean(1 / T_i)) / variance of the means, with T_i trials of stimulus i.
# values: stimuli x neurons x trials. NA where nothing was repeated.
trial_reliability <- function(values) {
  values <- values / unit_of(values[!is.na(values)])
  count <- rowSums(!is.na(values), dims = 2)
  means <- rowMeans(values, na.rm = TRUE, dims = 2)
  within <- 0
  for (t in seq_len(dim(values)[3])) {
    left <- values[, , t] - means
    within <- within + colSums(matrix(left, nrow(means))^2, na.rm = TRUE)
  }
  repeats <- colSums(count - 1)
  between <- apply(means, 2, stats::var)
  reliability <- 1 - within / repeats * colMeans(1 / count) / between
  replace(reliability, repeats == 0 | between == 0, NA)
}

# Scores of neurons without the noise of trials: NA of those too noisy to tell.
normalised_scores <- function(scores, reliability, settings) {
  reliability[is.na(reliability) | reliability <= settings$min_reliability] <- NA
  if (settings$score_by == "r2") scores / reliability else scores / sqrt(reliability)
}

# list(ceiling, normalized) of a target: what the noise of trials leaves, and the score without it.
target_ceiling <- function(scores, reliability, sums, settings) {
  known <- which(!is.na(scores) & !is.na(reliability))
  if (!length(known)) return(list(ceiling = NA_real_, normalized = NA_real_))
  if (settings$summary == "weighted") {
    size <- colSums(matrix(sums[, known, "about_m"], dim(sums)[1]))
    ceiling <- sum(size * reliability[known]) / sum(size)
    score <- target_score(replace(scores, -known, NA), sums, settings)
    return(list(ceiling = ceiling,
                normalized = if (ceiling > settings$min_reliability) score / ceiling else NA_real_))
  }
  ceiling <- summary_of(reliability[known], settings$summary)
  if (settings$score_by == "cor") ceiling <- if (ceiling >= 0) sqrt(ceiling) else NA_real_
  each <- normalised_scores(scores, reliability, settings)
  list(ceiling = ceiling, normalized = summary_of(each[!is.na(each)], settings$summary))
}
