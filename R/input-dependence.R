# Do stimuli depend on each other? Rows may be a time series, or groups of similar stimuli in any
# order, or near copies of each other. If they were sampled so, whatever counts each row as
# independent is wrong: p-values are too small, intervals too narrow, corrected estimates and
# ceilings too high. Single draws of a population that has classes look the same, and are right.

# Every function that gives p-values (`use` is "null"), or intervals or ceilings over stimuli
# ("errors"), judges its rows once: open_sides() for all that opens a call, warn_of_rows() for the
# others. Labels and designs that tell what depends on what answer the question; those functions
# know which. ("evaluation" is for errors beside p_chance, "order" for minibatches of successive
# rows.)

#' Which permutations are allowed
#'
#' Stimuli that depend on each other, time series, and how null scores are made.
#'
#' @details
#' Frames of one film and views of one object are sampled together. Permutation tests take stimuli
#' as exchangeable, intervals and ceilings as independent: p-values can then be far too small,
#' intervals too narrow, corrected scores too high.
#'
#' @section Groups of stimuli:
#' What counts is how stimuli were *sampled*, which the data do not show:
#'
#' * *Groups were drawn, and several stimuli of each:* 20 objects of 5 views, runs of a film,
#'   repeated images. The sample has 20 independent parts, not 100: name them in `clusters`.
#' * *Each stimulus was drawn by itself,* from a population that has classes, such as a test set of
#'   photographs: nothing to do, unless you want to generalise to other classes: then these are
#'   groups.
#'
#' | your data | p-values ([calibrate()]) | intervals, ceilings, corrected scores |
#' | --- | --- | --- |
#' | single stimuli | nothing to do | nothing to do |
#' | groups of similar stimuli | `clusters`: whole groups change places | `clusters` |
#' | categories, sessions, not in question | `blocks`: only within a block | `clusters` |
#' | a time series | `series`: the whole series is shifted | `clusters`: successive points |
#' | anything else | a design in `permutations` | `clusters` |
#'
#' `clusters` has one label per stimulus, by name or in their order; `NA` leaves it out. Stretches
#' of a series are clusters if they are several times as long as the correlation lasts; better,
#' leave out their first points.
#'
#' @section The warning:
#' Functions that give p-values, intervals or ceilings warn once, with class `repalign_dependence`,
#' if neighbouring rows are similar, if many rows are near copies of others, or if the pairs of rows
#' that are most similar on one side stand out on the other, too. One of these arguments ends the
#' warning: if all stimuli are independent, give each its own label in `clusters`.
#'
#' No warning is no proof: weak groups, small groups among more than 300 stimuli in a mixed order,
#' and weak series are often not seen, RDMs of two values never.
#'
#' @section Time series:
#' `series` of [calibrate()], and of functions that use it, is for rows that are points in time.
#'
#' `TRUE` or `"circular"` shifts the series and joins its end to its beginning. The test is exact
#' for periodic series, good where one of the two is fast, and rejects too often where both are
#' slow, the more the more neurons there are (a warning of class `repalign_series`). For measures
#' that weigh all neurons equally (matching, [cca()], [gulp()]), [scale()] the columns, or the
#' warning can miss slow neurons.
#'
#' `"linear"` compares the middle half of `x` (all columns of the result are about it) with
#' stretches of `y`, shifted by up to N = n/4 rows either way. The series in `y` must be stationary,
#' or its steps must be (a random walk) if the measure does not depend on where the cloud of points
#' lies; nothing is asked of `x`. The level is at most twice alpha (at most alpha if you multiply
#' p-values by (2N + 1)/(N + 1)), the power is lower, and no p-value is below 1/(2N + 1).
#'
#' @section Engines:
#' How null scores are made if all permutations are allowed (`engine` of [calibrate()]):
#'
#' * `"coset"`: all cyclic shifts of random orders, the fastest for many permutations; up to twice
#'   as many as were asked for.
#' * `"random"`: independent permutations; `"auto"` takes them where they cost less, of 2,000
#'   stimuli and more.
#' * `"exact"`: all permutations, at most a million; `"auto"` takes it if there are no more than
#'   were asked for.
#' * `"moments"`, never taken by `"auto"`: a Pearson type III distribution with the exact mean,
#'   variance and skewness over all permutations, for p-values below \eqn{1/(K + 1)}, the smallest
#'   of K permutations. It needs 6 stimuli, and `cka`, `rv`, distance correlation, linear
#'   regression, gulp or whitened [rsa()] (without `stimulus_noise`), without `aggregate`.
#'
#' The first three give exact tests. `"moments"` is an approximation, and an error of class
#' `repalign_error_design` where three moments do not suffice. P-values such as 1e-20 mean "very
#' small". `null_mean` and `null_sd` of distance correlation and gulp are approximate.
#' @references Harris (2020), \doi{10.48550/arXiv.2012.06862} (linear shifts). Geyer (1992), Stat.
#'   Sci. 7 (where a sum of autocorrelations ends). Kazi-Aoual et al. (1995), Comput. Stat. Data
#'   Anal. 20, and Josse, \enc{Pagès}{Pages} and Husson (2008), Comput. Stat. Data Anal. 53
#'   (moments). Koning and Hemerik (2024), Biometrika 111.
#' @examples
#' # groups of three similar stimuli change places as a whole
#' set.seed(1)
#' groups <- rep(1:20, each = 3)
#' x <- matrix(rnorm(20 * 5), 20)[groups, ] + matrix(rnorm(60 * 5, sd = 0.3), 60)
#' y <- matrix(rnorm(20 * 5), 20)[groups, ] + matrix(rnorm(60 * 5, sd = 0.3), 60)
#' calibrate(x, y, clusters = groups)
#' tryCatch(calibrate(x, y), repalign_dependence = function(w) conditionMessage(w))
#'
#' # two unrelated random walks of 100 points
#' x <- apply(matrix(rnorm(100 * 5), 100), 2, cumsum)
#' y <- apply(matrix(rnorm(100 * 5), 100), 2, cumsum)
#' calibrate(x, y, "rv", series = "linear")
#'
#' # a p-value that no number of permutations could show
#' x <- matrix(rnorm(200), 40)
#' calibrate(x, x + matrix(rnorm(200), 40), engine = "moments")
#' @seealso `series` of [responses()], `vignette("chance")`
#' @name dependence
#' @aliases engines time_series
NULL

# Neighbouring rows count as alike where their mean squared distance is below this share of that of
# all rows (AR(1) series with a coefficient of 0.5 have 0.6).
alike_share <- 0.6

# And it must be lower than that of shuffled rows by so many standard deviations: on one side of a
# pair for intervals, which any dependence makes too narrow, on both sides for p-values, which are
# right as long as the rows of one side are exchangeable. Shuffled rows, heavy tails among them, did
# that in less than 0.3% of the data sets (bench/rows.R).
alike_deviations <- c(errors = 4, null = 3)

# Of longer or wider data some rows and columns are enough, and of long lists some elements.
most_judged_rows <- 300

most_judged_columns <- 1000

most_judged_elements <- 20

# Without the order of the rows: nearest neighbours on one side must be alike on the other, by this
# difference of cosines from what the pairs with the lowest cosines (this share of all) would let
# expect. Related sides have up to 0.33, and most 0.1 (bench/rows.R).
shared_excess <- 0.35

far_share <- 0.8

# Of fewer rows, nearest neighbours say little.
least_grouped <- 20

# ---- the warning

# x, y: lists of representations or of what they are made of (matrices, dist objects, neighbour
# graphs); without y all pairs within x are judged, and a single one by itself. remedy: what the
# function that was called offers, after the sentence that says what is wrong. Returns the text of
# the warning, or NULL.
warn_of_rows <- function(x, y = NULL, use, remedy) {
  text <- text_about_rows(x, y, use, remedy)
  warn_again(text)
  text
}

# Some functions take results of others and give p-values of them: the warning belongs to these,
# too.
warn_again <- function(text) {
  if (length(text)) warn("dependence", text[[1]], data = attr(text, "share"))
  invisible(text)
}

text_about_rows <- function(x, y, use, remedy) {
  x <- evidence_of_rows(x)
  y <- if (!is.null(y)) evidence_of_rows(y)
  pairs <- if (!is.null(y)) expand.grid(i = seq_along(x), j = seq_along(y)) else
    if (length(x) > 1) as.data.frame(t(utils::combn(length(x), 2)), optional = TRUE) else
      data.frame(i = rep(1L, length(x)), j = rep(1L, length(x)))
  if (!nrow(pairs)) return(NULL)
  a <- x[pairs[[1]]]
  b <- (if (is.null(y)) x else y)[pairs[[2]]]
  # What stands for the mean squared distance of neighbours in a pair, 1 where it tells nothing. For
  # p-values the similarity of neighbours on both sides counts, because they are right if one side
  # is exchangeable; for the variance of a score their mean.
  share <- mapply(function(a, b) {
    known <- Filter(function(side) !is.null(side$share), list(a, b))
    sides <- alike_sides(known, use)
    if (!length(sides) || use == "null" && length(sides) < length(known)) return(1)
    alike <- vapply(known, function(side) max(1 - side$share, 0), 0)
    1 - if (use == "null") prod(alike)^(1 / length(alike)) else mean(alike)
  }, a, b)
  at <- which.min(share)
  series <- share[at] < alike_share
  found <- if (series) {
    paste0("Neighbouring rows", of_sides(alike_sides(list(a[[at]], b[[at]]), use)), " are alike ",
           "(their mean squared distance is ", format(share[at], digits = 2), " of that of all ",
           "rows). ")
  } else if (use != "order") Find(Negate(is.null), Map(found_without_order, a, b))
  if (is.null(found)) return(NULL)
  errors <- paste0("intervals, which count each row as independent, are too narrow, and corrected ",
                   "estimates and ceilings too high. ")
  consequence <- switch(use,
    null = "p-values, which take rows as exchangeable, are too small. ", errors = errors,
    evaluation = paste0(errors, "`p_chance`, which takes rows as exchangeable, is too small. "),
    order = NULL, no_branch(use))
  text <- if (use == "order") c(found, remedy) else {
    c(found, "If rows were sampled in groups (views of an object) or in time, ", consequence,
      remedy, " If each was drawn by itself (a test set, sorted by class or not), there is ",
      "nothing to do: see ?dependence.")
  }
  structure(paste(text, collapse = ""), share = if (series) share[[at]])
}

# Does any order of the rows show groups? Near copies are told of sides that are related, too.
found_without_order <- function(a, b) {
  where <- of_sides(list(a, b), " in ")
  # Rows of discrete data, such as labels of categories, are equal by chance; those of the two sides
  # then seldom agree.
  fewest <- min(length(a$copies), length(b$copies))
  if (fewest > 0 && length(intersect(a$copies, b$copies)) >= fewest / 2) {
    return(paste0("Many rows are near copies of other rows", where, ". "))
  }
  if (is.null(a$nearest) || is.null(b$nearest)) return(NULL)
  seen <- list(shared_nearest(a$nearest, b$nearest), shared_nearest(b$nearest, a$nearest))
  excess <- vapply(seen, function(one) one[["seen"]] - one[["expected"]], 0)
  if (!isTRUE(min(excess) > shared_excess)) return(NULL)
  shown <- format(round(seen[[which.min(excess)]], 2))
  paste0("Rows form the same groups", where, " (nearest neighbours on one side have a mean cosine ",
         "of ", shown[1], " on the other, where the other pairs of rows predict ", shown[2], "). ")
}

of_sides <- function(sides, word = " of ") {
  args <- unique(unlist(lapply(sides, function(side) side$arg)))
  if (length(args)) paste0(word, enumerate(paste0("`", args, "`"), quote = FALSE))
}

# RDMs (columns of values, as in rdm_table()) as they are judged: many RDMs of one thing, each in
# units of its own, are judged by their mean.
judged_rdms <- function(values, n, mean = FALSE) {
  values <- as.matrix(values)
  if (mean) {
    size <- sqrt(colMeans(values^2, na.rm = TRUE))
    values <- as.matrix(rowMeans(sweep(values, 2, ifelse(size > 0, size, 1), "/"), na.rm = TRUE))
  }
  lapply(seq_len(ncol(values)), function(at) {
    structure(values[, at], Size = n, class = "dist", Diag = FALSE, Upper = FALSE)
  })
}

# Does a number of permutations leave all orders of the rows free, where designs would restrict
# them? Without any permutation there is no p-value.
all_orders <- function(permutations) {
  is.numeric(permutations) && is.null(dim(permutations)) && !is_no_permutation(permutations)
}

is_no_permutation <- function(permutations) {
  is.numeric(permutations) && length(permutations) == 1 && permutations %in% 0
}

# What functions offer.
cluster_remedy <- paste("Name stimuli that depend on each other in `clusters` (a label of its own",
                        "for every stimulus if all are independent).")

declared_cluster_remedy <- sub("`clusters`", "`cluster` of responses()", cluster_remedy,
                               fixed = TRUE)

evaluation_remedy <- paste("Name stimuli that depend on each other in `clusters`, or groups within",
                           "which stimuli may be exchanged in `blocks`.")

measure_cluster_remedy <- sub("`clusters`", "`clusters` of the measure", cluster_remedy,
                              fixed = TRUE)

design_remedy <- paste("Name groups within which conditions may be exchanged in a design of",
                       "permute::how() for `permutations`; it can also shift a series.")

permutation_remedy <- paste("Name groups in `clusters` (or in `blocks`, to exchange rows within",
                            "groups only); for a time series use series = \"linear\".")

# ---- pairs

# Those whose neighbouring rows are more alike than in most other orders.
alike_sides <- function(sides, use) {
  limit <- alike_deviations[[if (use == "null") "null" else "errors"]]
  Filter(function(side) isTRUE(side$deviations > limit), sides)
}

# The mean cosine on side b of rows that are nearest neighbours on side a: what is seen, and what
# the line through the pairs that are far from each other on side a lets expect.
shared_nearest <- function(a, b) {
  line <- crossprod(a$line, b$cosines)
  c(seen = mean(b$cosines[a$at]), expected = line[[1]] + max(line[[2]], 0) * a$distance)
}

# ---- evidence of one representation

evidence_of_rows <- function(objects) {
  count <- min(length(objects), most_judged_elements)
  lapply(objects[unique(round(seq(1, length(objects), length.out = count)))], row_evidence)
}

# share: the mean squared distance of neighbouring rows over that of all rows; deviations: by how
# many standard deviations the sum of the neighbours' inner products exceeds its mean over all
# orders of the rows; copies: pairs of rows that are near copies, as numbers; arg: what messages
# call it. nearest: a list of the cosines of all pairs of centred rows; `at`, for each row, the pair
# with its nearest; `line`, what gives, by products with cosines of another side, their mean over
# pairs that are far from each other and their slope over these; and `distance`, how much larger the
# cosine with the nearest row is. A list without them where nothing is known, as of data that
# prepare() did not keep.
row_evidence <- function(object) {
  arg <- if (is.list(object)) object$arg
  object <- if (is.list(object) && !is.null(object$kind)) data_of(object) else object
  if (is_absent(object)) return(list())
  n <- stimulus_count(object)
  at <- judged_neighbours(n)
  if (length(at$rows) < 5) return(list())
  gram <- if (inherits(object, "dist")) gram_of_distances(object, at$rows)
  else if (is.list(object)) gram_of_graph(object, at$rows)
  else gram_of_rows(object, at$rows)
  if (is.null(gram)) return(list(share = 1, deviations = 0))
  norms <- diag(gram)
  if (!all(is.finite(gram)) || sum(norms) <= 0) return(list())
  m <- length(at$first)
  inner <- sum(gram[cbind(at$first, at$second)])
  distance <- sum(norms[at$first] + norms[at$second]) - 2 * inner
  moments <- shuffled_moments(gram, m, at$sharing)
  sd <- sqrt(max(moments$variance, 0))
  found <- list(share = distance / m / (2 * sum(norms) / (length(norms) - 1)),
                deviations = if (sd > 0) (inner - moments$mean) / sd else 0, arg = arg)
  # distances of graphs take three values
  if (is.list(object)) return(found)
  n <- nrow(gram)
  pairs <- .Call(C_row_pairs, gram, floor(far_share * choose(n, 2)))
  # the far pairs may not differ, and of few rows nearest neighbours say little
  nearest <- if (n >= least_grouped && !is.nan(pairs$middle)) {
    list(cosines = pairs$cosines, at = pairs$nearest, line = pairs$line,
         distance = mean(pairs$cosines[pairs$nearest]) - pairs$middle)
  }
  c(found, list(copies = near_copies(pairs$squares, n), nearest = nearest))
}

# rows: which are looked at; first, second: neighbours among them; sharing: how many ordered pairs
# of neighbour pairs have a row in common. The last row and the first count as neighbours, so that
# all rows have as many: an outlier at an end would else be in fewer pairs than chance lets expect.
judged_neighbours <- function(n) {
  if (n <= most_judged_rows) {
    i <- seq_len(n)
    return(list(rows = i, first = i, second = c(i[-1], 1L), sharing = 2 * n))
  }
  starts <- floor(seq(1, n - 1, length.out = most_judged_rows / 2))
  i <- seq_along(starts)
  list(rows = c(starts, starts + 1), first = i, second = length(starts) + i, sharing = 0)
}

# Inner products of centred rows.
gram_of_rows <- function(x, rows) {
  columns <- round(seq(1, ncol(x), length.out = min(ncol(x), most_judged_columns)))
  if (length(rows) < nrow(x) || length(columns) < ncol(x)) x <- x[rows, columns, drop = FALSE]
  x <- known_columns(x)
  storage.mode(x) <- "double"
  tcrossprod(centered(x, common_scale(list(x))))
}

# Those of points at such squared distances, which need not exist: the moments ask for rows that add
# up to 0 only.
gram_of_distances <- function(d, rows) {
  n <- as.double(attr(d, "Size"))
  i <- rep(rows, length(rows))
  j <- rep(rows, each = length(rows))
  low <- pmin(i, j)
  values <- numeric(length(i))
  at <- i != j
  values[at] <- d[(n * (low - 1) - low * (low - 1) / 2 + pmax(i, j) - low)[at]]
  largest <- max(abs(values), 0, na.rm = TRUE)
  if (largest == 0 || !is.finite(largest)) return(NULL)
  # two values only are labels: a design, of which no row is drawn
  if (length(unique(values[at & !is.na(values)])) <= 2) return(NULL)
  values <- values / largest
  if (kind_of_values(d) == "distances") values <- values^2
  # pairs that lack tell nothing
  lacking <- at & is.na(values)
  values[lacking] <- mean(values[at & !lacking])
  gram_of_squares(matrix(values, length(rows)))
}

# Neighbours are at a distance of 0, or half of it if only one names the other, and all others at 1.
gram_of_graph <- function(graph, rows) {
  k <- ncol(graph$idx)
  squares <- matrix(1, length(rows), length(rows))
  at <- cbind(rep(seq_along(rows), k), match(graph$idx[rows, ], rows))
  squares[at[!is.na(at[, 2]), , drop = FALSE]] <- 0
  squares <- (squares + t(squares)) / 2
  diag(squares) <- 0
  gram_of_squares(squares)
}

gram_of_squares <- function(squares) {
  means <- rowMeans(squares)
  -(squares - outer(means, means, "+") + mean(means)) / 2
}

# Mean and variance, over all orders of the rows, of a sum of m entries K_ij of a centred kernel:
# what entries, products of two in a row, and products of two apart are on average.
shuffled_moments <- function(gram, m, sharing) {
  n <- as.double(nrow(gram))
  trace <- sum(diag(gram))
  diagonal <- sum(diag(gram)^2)
  squares <- sum(gram^2)
  choices <- cumprod(n - 0:3)
  entry <- -trace / choices[2]
  same <- (squares - diagonal) / choices[2]
  in_a_row <- (2 * diagonal - squares) / choices[3]
  apart <- (trace^2 + 2 * squares - 6 * diagonal) / choices[4]
  list(mean = m * entry,
       variance = m * same + sharing * in_a_row + (m * (m - 1) - sharing) * apart -
         (m * entry)^2)
}

# ---- near copies

# Squared distances are those of copies below one of these shares of the median, if there is a gap
# above it: up to four times as much there are at most a quarter as many. In d dimensions distances
# of independent rows go on as the power d/2, which is no such gap in even one dimension.
copy_shares <- c(0.04, 0.02, 0.01, 0.005, 0.0025, 0.001, 1e-4, 1e-6, 1e-8)

# Of the rows, this share at least must have a copy, and so many different rows must be left: what
# takes fewer values is a design, such as labels of categories.
least_copied <- 0.4

least_different <- 6

near_copies <- function(squares, n) {
  limits <- copy_shares * stats::median(squares)
  if (limits[1] <= 0 || min(squares) > limits[1]) return(NULL)
  for (limit in limits) {
    count <- sum(squares <= limit)
    if (2 * count < least_copied * n) return(NULL)
    if (sum(squares <= 4 * limit) > 1.25 * count) next
    at <- which(squares <= limit)
    copies <- which(lower.tri(diag(n)), arr.ind = TRUE)[at, , drop = FALSE]
    if (length(unique(c(copies))) >= least_copied * n &&
        n - length(unique(copies[, 1])) >= least_different) return(at)
  }
  NULL
}
