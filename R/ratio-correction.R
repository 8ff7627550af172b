# cka_interval() corrects the ratio for its own bias, where simulation shows that this helps.

# The mean ratio is too high where few neurons hold most of the variance (is_uneven()): the
# correction then lowers bias and mean square error. Where variances are more even the bias is
# small, and the correction adds about as much error as it takes off (bench/ratio.R).

# A denominator with a larger relative standard error leaves too little to expand around.
largest_relative_error <- 0.7

# What the words of the column `correction` tell to report. Rows of other estimators ("other") and
# undefined ones have nothing to report.
correction_words <- c(
  given = "report `cka_corrected`: a few neurons hold most of the variance, which biases `cka`.",
  even = paste("report `cka`: no few neurons hold most of the variance, and a correction would add",
               "about as much error as it takes off."),
  uncertain = paste("report `cka` with its interval, or pool more data: the denominators are too",
                    "uncertain to correct the ratio.")
)

# The columns cka_corrected and correction of a row of cka_interval(). moments: means and
# covariances of the H values; se: the standard error of the ratio, NA where a deletion has none.
ratio_correction <- function(pair, moments, value, se, estimator) {
  word <- correction_word(pair, moments, value, se, estimator)
  corrected <- if (word == "given") corrected_ratio(moments$mean, moments$cov) else NA_real_
  data.frame(cka_corrected = corrected, correction = word)
}

correction_word <- function(pair, moments, value, se, estimator) {
  if (estimator != "stimulus_neuron") return("other")
  if (is.na(value)) return("undefined")
  if (is.na(se)) return("uncertain")
  error <- sqrt(diag(moments$cov)[2:3]) / moments$mean[2:3]
  if (max(error) >= largest_relative_error) return("uncertain")
  if (is_uneven(pair)) "given" else "even"
}

# The ratio without its second-order bias. That bias is taken off numerator and denominator apart
# (as Beale's estimator does for a ratio of two means): to second order this is the ratio minus
# ratio_bias_of(), but a noisy denominator makes it small instead of large and negative.
corrected_ratio <- function(center, cov) {
  a <- center[[2]]
  b <- center[[3]]
  numerator <- center[[1]] + cov[1, 2] / (2 * a) + cov[1, 3] / (2 * b)
  denominator <- 1 + 3 / 8 * cov[2, 2] / a^2 + 3 / 8 * cov[3, 3] / b^2 + cov[2, 3] / (4 * a * b)
  numerator / denominator / sqrt(a) / sqrt(b)
}

# Says for the words in a result which column to report.
print_corrections <- function(words) {
  for (word in intersect(names(correction_words), words)) {
    text <- paste0("correction ", dQuote(word, FALSE), ": ", correction_words[[word]])
    writeLines(strwrap(text, width = 79, exdent = 2))
  }
}
