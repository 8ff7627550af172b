# rdm_rows() takes the comparison of two RDMs apart into a row for each condition.

#' @include result-class.R
NULL

# ---- the result and its picture

declare_result(
  "repalign_rdm_rows", from = "rdm_rows", digits = 3, words = "rows of RDMs",
  columns = described_columns(
    column("subject", "the RDM of `x`", key = TRUE, always = FALSE),
    column("model", "the RDM of `y`", key = TRUE, always = FALSE),
    column("condition", "the condition", key = TRUE, tidy = "term"),
    column("score", "how alike its row is in both", shown = 1),
    column("contribution", "its share of the score of both RDMs", shown = 2),
    column("n", "the number of its pairs", shown = 3)
  ),
  kept = list(whole = all_alike, outer = all_alike),
  heading = function(x, digits) {
    whole <- attr(x, "whole")
    paste0("Conditions of RDMs that are compared: ", attr(x, "outer"),
           if (!is.null(whole)) {
             paste0(", ", count_of(nrow(whole), "comparison"), ", score ",
                    paste(unique(format(range(whole$score), digits = digits)), collapse = " to "))
           })
  },
  sentence = function(x) {
    # A sentence for each comparison of two RDMs.
    need_columns(x, c("condition", "score", "contribution"), "told", "result")
    whole <- attr(x, "whole")
    sides <- intersect(c("subject", "model"), names(x))
    groups <- if (length(sides)) unname(row_groups(x, sides)) else list(seq_len(nrow(x)))
    vapply(groups, function(at) {
      rows <- x[at, , drop = FALSE]
      best <- which.max(rows$contribution)
      same <- lapply(sides, function(side) whole[[side]] == rows[[side]][1])
      score <- whole$score[Reduce(`&`, same, TRUE)]
      # a side that is one RDM has no column
      of <- function(side, arg) if (is.null(rows[[side]])) arg else as.character(rows[[side]][1])
      pair <- paste(of("subject", "`x`"), "and", of("model", "`y`"))
      name <- outer_names[[attr(x, "outer")]]
      if (!length(best)) return(paste0("All contributions to the ", name, " of ", pair,
                                       " are undefined (NA)."))
      paste0("Of ", count_of(nrow(rows), "condition"), ", condition ", rows$condition[best],
             " contributed most to the ", name, " of ", pair,
             brackets(if (length(score) == 1) paste("score", number_word(score)),
                      paste("contribution", number_word(rows$contribution[best])),
                      paste("score of its row", number_word(rows$score[best]))), ".",
             undefined_words(rows$contribution, "contribution"))
    }, "")
  }
)

#' @rdname rdm_rows
#' @param object what `rdm_rows()` returned.
#' @param ... unused.
#' @export
glance.repalign_rdm_rows <- function(x, ...) {
  no_other_arguments(...)
  need_kept(x, "whole", "rdm_rows()")
}

#' @rdname rdm_rows
#' @param value what is drawn along the axis: `"contribution"` or `"score"`.
#' @param most how many conditions are drawn, the largest absolute contributions first.
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_rdm_rows <- function(object, value = c("contribution", "score"), most = 20, ...) {
  no_other_arguments(...)
  value <- check_choice(value, c("contribution", "score"), "value")
  most <- check_count(most, "most")
  need_columns(object, c("condition", "contribution", value), "drawn")
  need_rows(object)
  rows <- as.data.frame(object)
  refuse_undefined(rows[[value]])
  rows$value <- rows[[value]]
  if (is.null(rows$model)) rows$model <- ""
  rows$model <- factor(rows$model, unique(rows$model))
  # the conditions with the largest absolute contributions over subjects, the largest on top
  group <- interaction(rows$model, rows$condition, drop = TRUE, lex.order = TRUE)
  first <- !duplicated(group)
  means <- rows[first, c("model", "condition")]
  known <- as.character(group[first])
  means$value <- as.vector(tapply(rows$value, group, mean, na.rm = TRUE)[known])
  drive <- tapply(rows$contribution, group, mean, na.rm = TRUE)[known]
  drive <- tapply(abs(drive), factor(means$condition, unique(means$condition)), mean)
  shown <- names(sort(-drive))[seq_len(min(most, length(drive)))]
  at <- function(table) {
    table <- table[table$condition %in% shown, ]
    table$title <- factor(table$condition, rev(shown))
    table
  }
  means <- at(means)
  rows <- at(rows)
  left_out <- length(drive) - length(shown)
  several <- !is.null(rows$subject) && length(unique(rows$subject)) > 1
  ggplot2::ggplot(means, by_column(x = "value", y = "title")) +
    ggplot2::geom_vline(xintercept = 0, colour = "grey60") +
    (if (value == "contribution") equal_share_line(object)) +
    ggplot2::geom_segment(by_column(xend = 0, yend = "title"), colour = forest_colour,
                          linewidth = 0.7) +
    (if (several) {
      ggplot2::geom_point(data = rows, size = 1.1, colour = "grey50", alpha = 0.7, na.rm = TRUE)
    }) +
    ggplot2::geom_point(size = 2.3, colour = forest_colour, na.rm = TRUE) +
    (if (!is.null(object$model)) ggplot2::facet_wrap(ggplot2::vars(.data[["model"]]))) +
    ggplot2::labs(x = paste(c(if (value == "score") "score of the row" else
                                "contribution to the score",
                              if (!is.null(attr(object, "outer"))) {
                                paste0("(", attr(object, "outer"), ")")
                              }), collapse = "\n"), y = NULL,
                  caption = caption_of(c(
                    if (several) "large: means over subjects; small: subjects",
                    if (value == "contribution") "dotted: all conditions alike",
                    if (left_out) paste(left_out, "conditions with smaller contributions are not",
                                        "shown")
                  ))) +
    picture_theme(lines = "x") +
    names_axis("y", levels(means$title))
}

# Where all conditions would stand if they contributed the same.
equal_share_line <- function(object) {
  whole <- attr(object, "whole")
  if (is.null(whole)) return(NULL)
  model <- if (is.null(whole$model)) rep("", nrow(whole)) else whole$model
  means <- tapply(whole$score / whole$conditions, factor(model, unique(model)), mean, na.rm = TRUE)
  lines <- data.frame(model = factor(names(means), names(means)), at = as.vector(means))
  lines <- lines[!is.na(lines$at), ]
  ggplot2::geom_vline(by_column(xintercept = "at"), lines, linetype = "dotted", colour = "grey30")
}

# ---- rows of a comparison

#' Which conditions drive the similarity of two RDMs
#'
#' A row per condition: how similar its dissimilarities to all other conditions are in both RDMs,
#' and how much it contributes to the score of [rsa()] (item-level RSA).
#'
#' @param x an RDM, a representation, or a list of these, one for each subject.
#' @param y as `x`, of the same conditions; of a list, each element is a model.
#' @param inner,outer,stimulus_noise see [rsa()].
#' @param na dissimilarities that are `NA`: `"error"`, or left out (`"pairwise"`).
#' @return A data frame of class `repalign_rdm_rows`. Columns: `subject` (if `x` is a list), `model`
#'   (if `y` is one), `condition`, `score`, `contribution` and `n`, the number of pairs of the
#'   condition. `glance()` has a row for each comparison: `score`, the sum of the contributions, and
#'   `conditions` and `pairs`.
#' @details
#' `score` compares one row of the first RDM with that of the second: with ranks, or a mean taken
#' out, within the row. `NA` where the row has less than 3 pairs, or does not vary.
#'
#' `contribution`: each score of [rsa()] is a sum over pairs of conditions, of which either
#' condition gets half; it is negative where a condition lowers the score. A condition far from all
#' others in both RDMs contributes much, whatever their order.
#'
#' When not to trust it: rows of two conditions share a pair, so that tests by a mixed model with
#' conditions and subjects as random effects are approximate. `score` has little precision with few
#' conditions.
#' @references Kriegeskorte, Mur and Bandettini (2008), Frontiers in Systems Neuroscience 2 (RSA).
#'   Diedrichsen et al. (2021), Neurons, Behavior, Data Analysis, and Theory 5 (whitened
#'   comparisons).
#' @examples
#' rows <- rdm_rows(rdm92$human_mean, rdm92$monkey)
#' head(rows[order(-rows$contribution), ])
#' # four subjects and two models, for a mixed model such as
#' # lme4::lmer(score ~ model + (1 | subject) + (1 | condition), rows)
#' subjects <- rdm92[paste0("human", 1:4, "_s1")]
#' rows <- rdm_rows(subjects, rdm92[c("monkey", "model_animacy")], outer = "pearson")
#' @seealso [rsa_regression()]
#' @order 1
#' @export
rdm_rows <- function(x, y, inner = c("correlation", "euclidean", "sqeuclidean", "cosine"),
                     outer = c("spearman", "pearson", "kendall", "cosine", "tau_b", "rho_a",
                               "whitened_cosine", "whitened_pearson"),
                     stimulus_noise = NULL, na = c("error", "pairwise"), ...) {
  need_arguments()
  inner <- check_choice(inner, rsa_inner, "inner")
  args <- check_outer_args(list(outer = outer, stimulus_noise = stimulus_noise, na = na))
  allow_na <- args$na == "pairwise"
  sides <- list(x = rows_side(x, "x", y, inner, args$outer, allow_na),
                y = rows_side(y, "y", x, inner, args$outer, allow_na))
  rdms <- c(sides$x$rdms, sides$y$rdms)
  places <- c(sides$x$places, sides$y$places)
  check_equal_sizes(rdms, places)
  rdms <- rdms_in_one_order(rdms, places, "y")
  n <- attr(rdms[[1]], "Size")
  check_rows(n, 4, "x", "a comparison of rows")
  labels <- labels_of_rdms(rdms)
  refuse_repeated_labels(labels, "x")
  stimulus_noise <- check_stimulus_noise(args$stimulus_noise, n, labels)
  if (is.null(labels)) labels <- as.character(seq_len(n))
  of_x <- seq_along(sides$x$rdms)
  grid <- expand.grid(y = seq_along(sides$y$rdms), x = of_x)
  parts <- lapply(seq_len(nrow(grid)), function(g) {
    at <- c(grid$x[g], length(of_x) + grid$y[g])
    part <- rows_of_pair(rdms[[at[1]]], rdms[[at[2]]], args$outer, stimulus_noise, places[at])
    part$rows <- cbind(condition = labels, part$rows)
    names <- Filter(length, list(subject = sides$x$names[at[1]], model = sides$y$names[grid$y[g]]))
    if (length(names)) lapply(part, function(table) cbind(as.data.frame(names), table)) else part
  })
  rows <- do.call(rbind, lapply(parts, `[[`, "rows"))
  whole <- do.call(rbind, lapply(parts, `[[`, "whole"))
  warn_if(anyNA(rows$contribution), "undefined", "The score is undefined (NA) where all ",
          "dissimilarities of a side are equal, or fewer than 3 pairs are there in both: ",
          "{count_of(sum(is.na(rows$contribution)), 'row')} without a contribution.")
  lost <- unique(rows$condition[is.na(rows$score) & !is.na(rows$contribution)])
  warn_if(length(lost), "undefined", "The score is undefined (NA) for the rows of ",
          "{enumerate(lost)}: their dissimilarities are equal on a side, or fewer than 3 are ",
          "there in both.", data = lost)
  if (allow_na) note_pairs(whole$pairs, packed_length(n), "compared")
  new_result(rows, "repalign_rdm_rows", list(whole = whole, outer = args$outer))
}

# The RDMs of a side, with the names of its list or NULL. Ranks stand for dissimilarities that are
# made of data and only ranked, because rounding must not break their ties.
# other: the value of the other side.
rows_side <- function(value, arg, other, inner, outer, allow_na) {
  several <- is_list_of_rdms(value)
  values <- if (several) named_subjects(value, arg) else list(value)
  places <- if (several) paste0(arg, "$", names(values)) else arg
  values <- labels_in_order(values, places, if (is_list_of_rdms(other)) other else list(other))
  rdms <- Map(function(one, place) {
    rdm <- rdm_of_value(one, place, inner, allow_na)
    data <- !inherits(one, "dist") && !is_square_rdm(one) && !is_labels(one)
    if (data && outer %in% ranked_outer) {
      rdm[] <- form_ranks(quietly_done(representation(one, place, side = "x")), inner)$ranks
    }
    rdm
  }, values, places)
  list(rdms = unname(rdms), names = if (several) names(values), places = places)
}

# Says how many pairs count where some are missing.
note_pairs <- function(counts, all, done) {
  inform_if(any(counts != all), "pairs_left_out", "na = \"pairwise\": {done} over ",
            "{paste(unique(range(counts)), collapse = ' to ')} of {format(all, big.mark = ',')} ",
            "pairs of conditions.")
}

# list(rows, whole) of two RDMs.
rows_of_pair <- function(x, y, outer, stimulus_noise, args) {
  n <- attr(x, "Size")
  there <- which(!is.na(x) & !is.na(y))
  refuse_if(length(there) < 3, "size", "`{args[1]}` and `{args[2]}` have ",
            "{count_of(length(there), 'pair')} of conditions in common: at least 3 are needed.",
            arg = args[2])
  places <- pair_places(there, n)
  a <- even_sizes(cbind(x[there]))$values[, 1]
  b <- even_sizes(cbind(y[there]))$values[, 1]
  shares <- shares_of(a, b, there, outer, stimulus_noise, n)
  ends <- factor(c(places$first, places$second), seq_len(n))
  pairs_of <- lapply(split(rep(seq_along(there), 2), ends), sort)
  score <- vapply(pairs_of, function(at) {
    if (length(at) < 3) return(NA_real_)
    # Kendall's tau has a faster way than the sum of its parts
    if (outer %in% tau_outer && any(a[at] != a[at[1]]) && any(b[at] != b[at[1]])) {
      return(score_of_ranks(rank(a[at]), rank(b[at]), list(outer = outer)))
    }
    clip_to_range(sum(shares_of(a[at], b[at], there[at], outer, stimulus_noise, n)), -1, 1)
  }, 0, USE.NAMES = FALSE)
  contribution <- vapply(pairs_of, function(at) sum(shares[at]) / 2, 0, USE.NAMES = FALSE)
  list(rows = data.frame(score = score, contribution = contribution, n = unname(lengths(pairs_of))),
       whole = data.frame(score = clip_to_range(sum(shares), -1, 1), conditions = n,
                          pairs = length(there)))
}

# at: the numbers of the pairs, in rising order.
shares_of <- function(a, b, at, outer, stimulus_noise, n) {
  if (!whitens(outer)) return(pair_shares(a, b, outer))
  # a' V^-1 b is split half by a and V^-1 b, half by V^-1 a and b
  there <- seq_len(packed_length(n)) %in% at
  values <- cbind(a, b)
  if (is_centred(outer)) {
    # the ordinary mean is taken off first, so that its digits cancel
    values <- without_column_means(values)
    ones <- as.vector(whitened_solutions(matrix(1, nrow(values), 1), there, stimulus_noise))
    values <- sweep(values, 2, colSums(ones * values) / sum(ones))
  }
  duals <- whitened_solutions(values, there, stimulus_noise)
  sizes <- colSums(duals * values)
  varies <- colSums(values^2) > tie_share^2 * colSums(cbind(a, b)^2)
  if (!all(varies)) return(rep(NA_real_, length(a)))
  (duals[, 1] * values[, 2] + duals[, 2] * values[, 1]) / 2 / sqrt(sizes[1]) / sqrt(sizes[2])
}

# ---- what each pair of stimuli contributes

# Contributions sum to the score that rsa() gives.

# a, b: the dissimilarities of the same pairs, without gaps. A vector of shares, or all NA where the
# comparison is undefined.
pair_shares <- function(a, b, outer) {
  if (outer %in% tau_outer) {
    # half of the share of each two pairs, which are concordant or discordant, belongs to each
    all <- as.double(length(a)) * (length(a) - 1)
    # pairs of pairs that are not tied, twice
    untied <- vapply(list(a, b), function(v) {
      ties <- as.double(tabulate(match(v, unique(v))))
      all - sum(ties * (ties - 1))
    }, 0)
    if (any(untied == 0)) return(rep(NA_real_, length(a)))
    return(net_concordance(a, b) / if (outer == "kendall") all else sqrt(prod(untied)))
  }
  if (outer %in% ranked_outer) {
    a <- rank(a)
    b <- rank(b)
  }
  varies <- function(v) {
    if (outer == "cosine") any(v != 0) else diff(range(v)) > tie_share * max(abs(v))
  }
  if (!varies(a) || !varies(b)) return(rep(NA_real_, length(a)))
  if (outer != "cosine") {
    a <- a - mean(a)
    b <- b - mean(b)
  }
  size <- if (outer == "rho_a") untied_rank_size(length(a)) else sqrt(sum(a^2)) * sqrt(sum(b^2))
  a * b / size
}

# For each element, with how many others it is concordant, less with how many it is discordant.
net_concordance <- function(a, b) below(a, b) + below(-a, -b) - below(a, -b) - below(-a, b)

# For each element, how many others are smaller in both a and b. In the order of a, neighbouring
# blocks are merged to ever larger ones; each merge counts, for the elements of the right block,
# the smaller ones of the left block.
below <- function(a, b) {
  count <- length(a)
  # equal values of a stand in falling order of b, and are not counted
  sorted <- order(a, -b)
  level <- match(b, sort(unique(b)))[sorted]
  found <- numeric(count)
  place <- seq_len(count) - 1
  width <- 1
  while (width < count) {
    merged <- place %/% (2 * width)
    left <- (place %/% width) %% 2 == 0
    # of equal values the right ones come first
    by <- order(merged, level, left)
    before <- cumsum(left[by])
    start <- before[match(merged[by], merged[by])] - left[by][match(merged[by], merged[by])]
    smaller <- numeric(count)
    smaller[by] <- before - start
    found <- found + ifelse(left, 0, smaller)
    width <- 2 * width
  }
  result <- numeric(count)
  result[sorted] <- found
  result
}
