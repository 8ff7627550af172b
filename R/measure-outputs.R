# These functions compare the outputs of two classifiers row by row. They are no measures of
# representations, but measures of representations can be tested against them.

#' Compare the outputs of two classifiers
#'
#' `jsd()`: how far apart the predicted probabilities are. `disagreement()`: how often the predicted
#' classes differ. `accuracy_difference()`: how far apart the accuracies are.
#'
#' @param p,q outputs of two classifiers for the same stimuli: numeric matrices or data frames
#'   stimuli x classes. `jsd()` takes probabilities or logits, the others any scores of which the
#'   largest in a row is the prediction.
#' @param from `"probability"`: rows sum to 1. `"logit"`: unnormalised log probabilities.
#' @param tolerance how far the sum of a row of probabilities may be from 1, by which it is divided.
#'   That of a softmax in float16 is off by at most 0.0005, in bfloat16 by 0.004.
#' @param labels the true class of every stimulus: column numbers (from 1) or column names.
#' @param na missing values: `"error"`, or leave out rows that have one (`"stimuli"`).
#' @param ... not used.
#' @return One number in \[0, 1\], which is 0 for equal outputs. `jsd()`: the mean over stimuli of
#'   the Jensen-Shannon divergence in bits; 1 when no class has a positive probability in both.
#'   `disagreement()`: the share of stimuli whose predicted classes differ. `accuracy_difference()`:
#'   the absolute difference between the shares of right predictions.
#' @details
#' The predicted class is the (first) column with the largest value. If ties are frequent (rounded
#' or saturated probabilities), compare unrounded logits.
#'
#' When not to trust it: two models of equal accuracy can disagree on many stimuli. `jsd()` depends
#' on how confident the models are (the softmax temperature).
#' @references Lin (1991), IEEE Transactions on Information Theory 37. Klabunde et al.
#'   (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark, equations 4 to 6).
#' @examples
#' set.seed(1)
#' p <- matrix(rnorm(40), 10)
#' q <- p + matrix(rnorm(40, sd = 0.5), 10)
#' jsd(p, q, from = "logit")
#' disagreement(p, q)
#' accuracy_difference(p, q, labels = sample(4, 10, replace = TRUE))
#' @seealso [benchmark_outputs()]
#' @name outputs
NULL

#' @rdname outputs
#' @export
jsd <- function(p, q, from = c("probability", "logit"), na = c("error", "stimuli"),
                tolerance = 1e-3, ...) {
  refuse_partial_words(sys.call(), sys.function(), parent.frame())
  from <- check_choice(from, c("probability", "logit"), "from")
  pair <- output_pair(p, q, na)
  tolerance <- check_not_negative(tolerance, "tolerance")
  mean_jsd(as_probabilities(pair$p, from, "p", tolerance),
           as_probabilities(pair$q, from, "q", tolerance))
}

# The divergence of matrices of probabilities.
mean_jsd <- function(p, q) {
  total <- p + q
  # with p = m (1 + d) and q = m (1 - d), every class adds m / 2 times jsd_term(d), which is never
  # negative, so that nothing cancels in the sum
  d <- ifelse(total > 0, (p - q) / total, 0)
  min(sum(total * jsd_term(d)) / (4 * log(2)) / nrow(p), 1)
}

# (1 + d) log(1 + d) + (1 - d) log(1 - d). It behaves like d^2 near 0, where the two terms cancel,
# so that a form in which they are combined is used for small d.
jsd_term <- function(d) {
  d <- abs(d)
  term <- (1 + d) * log1p(d) + ifelse(d < 1, (1 - d) * log1p(-d), 0)
  small <- d < 0.5
  term[small] <- log1p(-d[small]^2) + 2 * d[small] * atanh(d[small])
  term
}

#' @rdname outputs
#' @export
disagreement <- function(p, q, na = c("error", "stimuli"), ...) {
  refuse_partial_words(sys.call(), sys.function(), parent.frame())
  pair <- output_pair(p, q, na)
  mean(predicted(pair$p) != predicted(pair$q))
}

#' @rdname outputs
#' @export
accuracy_difference <- function(p, q, labels, na = c("error", "stimuli"), ...) {
  refuse_partial_words(sys.call(), sys.function(), parent.frame())
  pair <- output_pair(p, q, na)
  refuse_if(missing(labels), "labels", "`labels` is missing: give the true class of every row.")
  names <- colnames(pair$p)
  if (is.null(names)) names <- colnames(pair$q)
  labels <- in_order_of(labels, pair$names, "labels")
  truth <- check_classes(labels, length(pair$rows), ncol(pair$p), names)[pair$rows]
  # counts are subtracted before they are divided, so that equal accuracies differ by exactly 0
  abs(sum(predicted(pair$p) == truth) - sum(predicted(pair$q) == truth)) / length(truth)
}

predicted <- function(scores) max.col(scores, ties.method = "first")

# Checks the outputs and returns list(p, q, rows, names): two numeric matrices of the same stimuli
# and classes, which of the given stimuli they have, and the names of these.
output_pair <- function(p, q, na) {
  refuse_if(missing(p) || missing(q), "type", "The outputs of two classifiers are needed, `p` and ",
            "`q`.", arg = if (missing(p)) "p" else "q")
  na <- check_choice(na, c("error", "stimuli"), "na")
  check_encodings(list(p = p, q = q))
  p <- as_outputs(p, "p", na != "error")
  q <- as_outputs(q, "q", na != "error")
  both <- data_in_order(list(p = p, q = q))
  for (arg in names(both)) refuse_repeated_rows(both[[arg]], arg, "on both sides")
  p <- both$p
  q <- both$q
  refuse_if(ncol(p) != ncol(q), "size", "`p` has {count_of(ncol(p), 'column')} and `q` has ",
            "{ncol(q)}: the columns must be the same classes in the same order.", arg = "q")
  differ <- which(colnames(p) != colnames(q))
  refuse_if(length(differ), "names", "`p` and `q` have different column names, first in column ",
            "{differ[1]} ({quoted(colnames(p)[differ[1]])} and ",
            "{quoted(colnames(q)[differ[1]])}): put the classes in the same order, or ",
            "remove the names when they do correspond.", arg = "q")
  names <- first_row_names(both)
  rows <- rowSums(is.na(p)) + rowSums(is.na(q)) == 0
  refuse_if(!any(rows), "nonfinite", "Every stimulus has a missing value somewhere: na = ",
            "\"stimuli\" leaves none.", arg = "na")
  note <- stimuli_note(rows, names)
  if (!is.null(note)) inform("left_out", note)
  list(p = p[rows, , drop = FALSE], q = q[rows, , drop = FALSE], rows = rows, names = names)
}

as_outputs <- function(x, arg, allow_na) {
  refuse_if(!is.matrix(x) && !is.data.frame(x) && !inherits(x, "Matrix"), "type", "`{arg}` must ",
            "be a numeric matrix of class scores (stimuli x classes), not {describe(x)}.")
  x <- as_numeric_matrix(x, arg, allow_na)
  refuse_if(ncol(x) < 2, "size", "`{arg}` has one column: give one column per class, cbind() of ",
            "both for two classes.")
  x
}

as_probabilities <- function(x, from, arg, tolerance) {
  if (from == "logit") {
    # the largest logit of each row becomes 0, so that exp() cannot overflow
    x <- exp(x - x[cbind(seq_len(nrow(x)), predicted(x))])
    return(x / rowSums(x))
  }
  negative <- which(x < 0, arr.ind = TRUE)
  if (nrow(negative)) {
    at <- negative[1, ]
    refuse("value", "`{arg}` has a negative probability ({format(x[at[1], at[2]])}) in row ",
           "{at[1]}, column {at[2]}: for logits set from = \"logit\".")
  }
  sums <- rowSums(x)
  off <- which(!(abs(sums - 1) <= tolerance))
  # only the rounding of a softmax makes all sums nearly 1
  rounded <- length(off) && max(abs(sums - 1)) < 0.02
  refuse_if(length(off), "value", "`{arg}` has {length(off)} row{if (length(off) > 1) 's'} of ",
            "probabilities that do not sum to 1, first row {off[1]} (sum {format(sums[off[1]])}). ",
            if (rounded) "Rounded probabilities need a larger `tolerance` (bfloat16: 0.004)." else
              "For logits set from = \"logit\"; divide counts by their sums.")
  x / sums
}

# Checks the labels and returns the column numbers of the true classes. names: the column names of
# the outputs, or NULL.
check_classes <- function(labels, n, classes, names) {
  check_encoding(labels, "labels")
  if (!is.atomic(labels) || is.null(labels) || is.logical(labels) && !all(is.na(labels))) {
    label_error("must be class numbers or names, not ", describe(labels))
  }
  if (length(labels) != n) {
    label_error("has ", count_of(length(labels), "value"), ", but the outputs have ",
                count_of(n, "row"), ": give one per row")
  }
  if (anyNA(labels)) label_error("is missing (NA) in row ", which(is.na(labels))[1])
  if (is.factor(labels) || is.character(labels)) {
    labels <- as.character(labels)
    if (is.null(names)) {
      label_error("holds names, but the outputs have no column names: name their columns, or give ",
                  "column numbers")
    }
    twice <- names[duplicated(names)]
    if (length(twice)) label_error("holds names, but two columns have the name ", quoted(twice[1]))
    at <- match(labels, names)
    first <- which(is.na(at))[1]
    if (!is.na(first)) {
      label_error("is ", quoted(labels[first]), " in row ", first, ", which is not a ",
                  "column of the outputs; columns: ", enumerate(names))
    }
    return(at)
  }
  if (!is.numeric(labels) || is.object(labels)) {
    label_error("must be class numbers or names, not ", describe(labels))
  }
  bad <- which(labels != round(labels) | labels < 1 | labels > classes)
  if (length(bad)) {
    label_error("is ", format(labels[bad[1]]), " in row ", bad[1], ", but classes are numbered 1 ",
                "to ", classes, if (any(labels == 0)) ": if yours start at 0, add 1")
  }
  as.vector(labels)
}

label_error <- function(...) refuse("labels", "`labels` ", ..., ".")
