# Draws of RDMs and stimuli with replacement are made here for evaluate_models().

resample_choices <- c("both", "rdm", "condition", "none")

# Returns list(factors, rdm, condition): which of "rdm" and "condition" are drawn, and weights, a
# draw a column: how often each group and each stimulus comes. NULL where a factor is not drawn.
as_draws <- function(resample, draws, groups, n) {
  if (is.list(resample)) return(given_draws(resample, groups, n))
  resample <- check_choice(resample, resample_choices, "resample")
  if (resample == "none") return(list(factors = character(), count = 0L))
  draws <- check_count(draws, "draws", least = 2)
  factors <- if (resample == "both") c("rdm", "condition") else resample
  check_factor_sizes(factors, groups, n)
  check_memory(24 * as.double(draws) * (groups + n), "The draws", "Take fewer `draws`.")
  drawn <- function(size) {
    counts_of(matrix(sample.int(size, size * as.double(draws), TRUE), draws), size)
  }
  list(factors = factors, count = draws,
       rdm = if ("rdm" %in% factors) drawn(groups),
       condition = if ("condition" %in% factors) drawn(n))
}

check_factor_sizes <- function(factors, groups, n) {
  if ("rdm" %in% factors && groups < 2) {
    abort("`resample` draws RDMs, but there is one ", "group of them: its variance between ",
          "subjects is not known. Give resample = \"condition\".",
          class = "repalign_error_size", arg = "resample")
  }
  if ("condition" %in% factors && n < 4) {
    abort("`resample` draws stimuli, but there are ", n, ": at least 4 are needed. Give resample ",
          "= \"rdm\" or \"none\".", class = "repalign_error_size", arg = "resample")
  }
}

# at: indices, a draw a row. Counts, a draw a column.
counts_of <- function(at, size) {
  matrix(as.double(apply(at, 1, tabulate, size)), size)
}

given_draws <- function(resample, groups, n) {
  known <- c("rdm", "condition")
  if (!length(resample) || is.null(names(resample)) || !all(names(resample) %in% known) ||
      anyDuplicated(names(resample))) {
    abort("`resample` as a list has matrices named \"rdm\", \"condition\" or both: indices with ",
          "one draw a row.", class = "repalign_error_type", arg = "resample")
  }
  sizes <- c(rdm = groups, condition = n)
  factors <- intersect(known, names(resample))
  counts <- lapply(stats::setNames(factors, factors), function(factor) {
    counts_of(check_indices(resample[[factor]], factor, sizes[[factor]]), sizes[[factor]])
  })
  check_factor_sizes(factors, groups, n)
  rows <- vapply(counts, ncol, 0L)
  if (length(unique(rows)) > 1) {
    abort("`resample` has ", rows[1], " draws of RDMs and ", rows[2], " of stimuli: the rows of ",
          "both matrices are the same draws.", class = "repalign_error_size", arg = "resample")
  }
  list(factors = factors, count = rows[[1]], rdm = counts$rdm, condition = counts$condition)
}

check_indices <- function(at, factor, size) {
  what <- if (factor == "rdm") "groups of RDMs" else "stimuli"
  place <- paste0("`resample$", factor, "`")
  if (is.data.frame(at)) at <- as.matrix(at)
  if (!is.numeric(at) || !is.matrix(at) || nrow(at) < 2) {
    abort(place, " must be a matrix of indices with at least two rows, not ", describe(at), ".",
          class = "repalign_error_type", arg = "resample")
  }
  if (ncol(at) != size) {
    abort(place, " has ", count_of(ncol(at), "column"), ", but a draw has as many indices as ",
          "there are ", what, ": ", size, ".", class = "repalign_error_size", arg = "resample")
  }
  bad <- which(is.na(at) | at != round(at) | at < 1 | at > size, arr.ind = TRUE)
  if (nrow(bad)) {
    abort(place, " has an index that is not a whole number from 1 to ", size, ", first in row ",
          bad[1, 1], ", column ", bad[1, 2], ".", class = "repalign_error_value",
          arg = "resample")
  }
  at
}

# The parts that variances are made of: draws of both factors and of each alone. Each is list(w, m):
# weights of stimuli and of groups.
parts_of_draws <- function(draws, groups, n) {
  ones <- function(size) matrix(1, size, draws$count)
  part <- function(w, m) {
    list(w = if (is.null(w)) ones(n) else w, m = if (is.null(m)) ones(groups) else m)
  }
  parts <- list()
  if (length(draws$factors) == 2) parts$both <- part(draws$condition, draws$rdm)
  if ("rdm" %in% draws$factors) parts$rdm <- part(NULL, draws$rdm)
  if ("condition" %in% draws$factors) parts$condition <- part(draws$condition, NULL)
  parts
}
