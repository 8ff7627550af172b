# The second-order bias of a ratio of H values, and where cka_interval() corrects for it.

#' @include result-class.R
NULL

declare_result(
  "repalign_ratio_bias", from = "ratio_bias", words = "values of ratio_bias()",
  columns = described_columns(
    column("ratio", "the pooled ratio", shown = 1, tidy = "estimate"),
    column("bias", "its second-order bias", shown = 2),
    column("corrected", "ratio - bias", shown = 3, tidy = "estimate.corrected"),
    column("mean_single", "the mean of the ratios of single rows", shown = 4),
    column("bias_single", "the second-order bias of the ratio of a single row", shown = 5)
  ),
  heading = function(x, digits) paste0("Bias of a ratio of H values: ", count_of(nrow(x), "row")),
  term = function(rows) rep("ratio", nrow(rows)),
  sentence = function(x) {
    need_columns(x, c("ratio", "bias", "corrected"), "told", "result")
    vapply(seq_len(nrow(x)), function(row) {
      # a bias of rounding size is none
      bias <- if (isTRUE(abs(x$bias[row]) <= tie_share * abs(x$ratio[row]))) 0 else x$bias[row]
      paste0("The pooled ratio was ", number_word(x$ratio[row]), "; its second-order bias is ",
             number_word(bias), ", and without it the ratio is ",
             number_word(x$corrected[row]), ".")
    }, "")
  }
)

#' Second-order bias of a ratio of H values
#'
#' The CKA is a ratio of estimates, which is biased even if each of its parts is unbiased: by how
#' much, from several estimates of the H values.
#'
#' @param h a numeric matrix or data frame with one row per independent estimate (trial, laboratory,
#'   split), at least two, and the columns `h_xy`, `h_xx` and `h_yy`.
#' @param ... not used.
#' @return A data frame with one row: `ratio`, the pooled ratio \eqn{mean(h_{xy}) /
#'   \sqrt{mean(h_{xx}) mean(h_{yy})}}{mean(h_xy) / sqrt(mean(h_xx) mean(h_yy))}; `bias`, its
#'   second-order bias; `corrected`, which is `ratio - bias`; `mean_single`, the mean of the
#'   ratios of the single rows, where these are defined; `bias_single`, the second-order bias
#'   of the ratio of a single row.
#' @details
#' When not to trust it: the standard deviations of `h_xx` and `h_yy` must be small relative to
#' their means. Where rows share stimuli or neurons, the bias of the pooled ratio is understated. A
#' mean denominator that is not positive is an error.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, appendix B.3.
#' @examples
#' set.seed(1)
#' h <- t(replicate(50, {
#'   pop <- linear_population(n = 40, q = 30, d = 20)
#'   unlist(cka_interval(pop$x, pop$y, "stimulus_neuron")[c("h_xy", "h_xx", "h_yy")])
#' }))
#' ratio_bias(h)
#' @export
ratio_bias <- function(h, ...) {
  need_arguments()
  refuse_if(!is.matrix(h) && !is.data.frame(h), "type", "`h` must be a matrix or data frame with ",
            "the columns h_xy, h_xx and h_yy, not {describe(h)}.")
  h <- as_numeric_matrix(h, "h")
  refuse_if(ncol(h) != 3, "size", "`h` has {count_of(ncol(h), 'column')}; it needs three: h_xy, ",
            "h_xx, h_yy.")
  # the three columns by name where they are named so, else in their order
  wanted <- c("h_xy", "h_xx", "h_yy")
  known <- wanted %in% colnames(h)
  refuse_if(any(known) && !all(known), "value", "`h` has the column {enumerate(wanted[known])} ",
            "but not {enumerate(wanted[!known])}: name all three, or none (in this order).")
  if (all(known)) h <- h[, wanted, drop = FALSE]
  refuse_if(nrow(h) < 2, "rows", "`h` has a single row: a variance needs at least 2 estimates ",
            "(rows).")
  # the ratio has no units: bring each column near one, so that squares are doubles
  unit <- apply(abs(h), 2, max)
  unit[unit == 0] <- 1
  h <- sweep(h, 2, unit, "/")
  unit <- unit[[1]] / sqrt(unit[[2]]) / sqrt(unit[[3]])
  center <- colMeans(h)
  refuse_if(center[2] <= 0 || center[3] <= 0, "value", "The mean of ",
            "`{c('h_xx', 'h_yy')[if (center[2] <= 0) 1 else 2]}` in `h` is not positive, so the ",
            "ratio is undefined: give more estimates (rows).", arg = "h")
  bias <- unit * ratio_bias_of(center, stats::cov(h))
  ratio <- unit * center[[1]] / sqrt(center[[2]] * center[[3]])
  single <- unit * ratio_of(h)
  defined <- !is.na(single)
  rows <- data.frame(ratio = ratio, bias = bias / nrow(h), corrected = ratio - bias / nrow(h),
                     mean_single = if (any(defined)) mean(single[defined]) else NA_real_,
                     bias_single = bias)
  new_result(rows, "repalign_ratio_bias")
}

# center: means of h_xy, h_xx, h_yy; cov: covariances of one draw of them.
# Written so that h_xy = 0 is no exception.
ratio_bias_of <- function(center, cov) {
  x <- center[[1]]
  a <- center[[2]]
  b <- center[[3]]
  terms <- x * (3 / 8 * cov[2, 2] / a^2 + 3 / 8 * cov[3, 3] / b^2 + cov[2, 3] / (4 * a * b)) -
    cov[1, 2] / (2 * a) - cov[1, 3] / (2 * b)
  terms / sqrt(a) / sqrt(b)
}

# ---- ratio correction

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
  even = paste("report `cka`. Many neurons share the variance, so that its bias is small; no",
               "`cka_corrected` is given (NA), because taking off so small a bias would add about",
               "as much error as it removes."),
  uncertain = paste("report `cka` with its interval, or pool more data: the denominators are too",
                    "uncertain to correct the ratio.")
)

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
correction_notes <- function(words) {
  shown <- intersect(names(correction_words), words)
  unlist(lapply(shown, function(word) {
    strwrap(paste0("correction ", dQuote(word, FALSE), ": ", correction_words[[word]]), width = 79,
            exdent = 2)
  }))
}
