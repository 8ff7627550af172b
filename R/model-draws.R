# What evaluate_rdms() draws anew, with clusters of stimuli as a whole; the folds into which data
# and draws are cut; and the standard errors that follow from the draws.

# ---- draws

# Returns list(factors, rdm, condition): which of "rdm" and "condition" are drawn, and weights, a
# draw a column: how often each group and each stimulus comes. NULL where a factor is not drawn.
# n: how many stimuli, or clusters of them, there are, and `words` for these. resample: NULL for
# all that can be drawn.
as_draws <- function(resample, draws, groups, n, words = "stimuli") {
  if (is.list(resample)) return(given_draws(resample, groups, n, words))
  if (is.null(resample)) resample <- if (groups < 2) "condition" else "both"
  resample <- check_choice(resample, c("both", "rdm", "condition", "none"), "resample")
  if (resample == "none") return(list(factors = character(), count = 0L))
  draws <- check_count(draws, "draws", least = 2)
  # A standard deviation of B draws has a relative error of about 1 / sqrt(2 (B - 1)).
  warn_if(draws < few_draws, "few_draws", "`draws` is {draws}: standard errors of so few draws ",
          "are off by about {round(100 / sqrt(2 * (draws - 1)))}% themselves, and `conf_low`, ",
          "`conf_high` and p-values with them. Take at least {few_draws}, better 1000.",
          data = draws)
  factors <- if (resample == "both") c("rdm", "condition") else resample
  check_factor_sizes(factors, groups, n, words)
  check_memory(24 * as.double(draws) * (groups + n), "The draws", "Take fewer `draws`.")
  drawn <- function(size) {
    counts_of(matrix(sample.int(size, size * as.double(draws), TRUE), draws), size)
  }
  list(factors = factors, count = draws, rdm = if ("rdm" %in% factors) drawn(groups),
       condition = if ("condition" %in% factors) drawn(n))
}

few_draws <- 20

check_factor_sizes <- function(factors, groups, n, words) {
  refuse_if("rdm" %in% factors && groups < 2, "size", "`resample` draws RDMs, but there is one ",
            "group of them, which tells no variance. Give resample = \"condition\".")
  refuse_if("condition" %in% factors && n < 4, "size", "`resample` draws {words}, but there are ",
            "{n}: at least 4 are needed. Give resample = ", if (groups > 1) "\"rdm\" or ",
            "\"none\".")
}

# at: indices, a draw a row. Counts, a draw a column.
counts_of <- function(at, size) matrix(as.double(apply(at, 1, tabulate, size)), size)

given_draws <- function(resample, groups, n, words) {
  known <- c("rdm", "condition")
  refuse_if(!length(resample) || is.null(names(resample)) ||
              !all(names(resample) %in% known) || anyDuplicated(names(resample)), "type",
            "`resample` as a list has matrices named \"rdm\", \"condition\" or both: indices with ",
            "one draw a row.")
  sizes <- c(rdm = groups, condition = n)
  factors <- intersect(known, names(resample))
  counts <- lapply(stats::setNames(factors, factors), function(factor) {
    what <- if (factor == "rdm") "groups of RDMs" else words
    at <- resample[[factor]]
    size <- sizes[[factor]]
    place <- paste0("`resample$", factor, "`")
    if (is.data.frame(at)) at <- as.matrix(at)
    refuse_if(!is.numeric(at) || !is.matrix(at) || nrow(at) < 2, "type", "{place} must be a ",
              "matrix of indices with at least two rows, not {describe(at)}.", arg = "resample")
    refuse_if(ncol(at) != size, "size", "{place} has {count_of(ncol(at), 'column')}, but a draw ",
              "has as many indices as there are {what}: {size}.", arg = "resample")
    bad <- which(is.na(at) | at != round(at) | at < 1 | at > size, arr.ind = TRUE)
    refuse_if(nrow(bad), "value", "{place} has an index that is not a whole number from 1 to ",
              "{size}, first in row {bad[1, 1]}, column {bad[1, 2]}.", arg = "resample")
    counts_of(at, sizes[[factor]])
  })
  check_factor_sizes(factors, groups, n, words)
  rows <- vapply(counts, ncol, 0L)
  refuse_if(length(unique(rows)) > 1, "size", "`resample` has {rows[1]} draws of RDMs and ",
            "{rows[2]} of {words}: the rows of both matrices are the same draws.")
  list(factors = factors, count = rows[[1]], rdm = counts$rdm, condition = counts$condition)
}

# ---- folds

# Returns list(rdm, condition, repeats) for random folds, list(given, repeats = 1) for a table of
# them, or NULL without cross-validation.
as_folds <- function(folds, repeats, task) {
  if (is.data.frame(folds)) return(list(given = given_folds(folds, task), repeats = 1L))
  if (is.list(folds)) folds <- unlist(folds)
  unknown <- setdiff(names(folds), c("rdm", "condition"))
  refuse_if(is.numeric(folds) && length(unknown), "labels", "`folds` names ",
            "{quoted(unknown[1])}: what is cut into folds is \"rdm\" or \"condition\".")
  refuse_if(!is.numeric(folds) || is.null(names(folds)) || !length(folds) ||
              anyDuplicated(names(folds)), "type", "`folds` must be numbers of folds, such as ",
            "c(rdm = 2, condition = 2), or a data frame with the columns fold, set, factor and ",
            "index, not {describe(folds)}.")
  count <- c(rdm = 1L, condition = 1L)
  for (name in names(folds)) count[[name]] <- check_count(folds[[name]], paste0("folds: ", name))
  repeats <- check_count(repeats, "repeats")
  groups <- max(task$group)
  refuse_if(count[["rdm"]] > groups, "size", "`folds` cuts the RDMs into {count[['rdm']]} folds, ",
            "but there are {count_of(groups, 'group')} of them.")
  units <- units_of(task$n, task$codes)
  refuse_if(count[["condition"]] > 1 && units < 3 * count[["condition"]], "size",
            "`folds` cuts {units} {unit_words(task$codes)} into {count[['condition']]} folds, but ",
            "each needs at least 3 of them: take fewer folds.")
  if (any(count > 1)) c(as.list(count), repeats = repeats)
}

# A table of folds as a list of list(train, test), each with flags of RDMs (m) and stimuli (w).
given_folds <- function(folds, task) {
  lacking <- setdiff(c("fold", "set", "factor", "index"), names(folds))
  refuse_if(length(lacking), "type", "`folds` has no column {enumerate(lacking)}.")
  sizes <- c(rdm = length(task$group), condition = task$given)
  usable <- nrow(folds) && all(folds$set %in% c("train", "test")) &&
    all(folds$factor %in% names(sizes)) && is.numeric(folds$index) && !anyNA(folds$fold) &&
    all(folds$index %in% seq_len(max(sizes))) &&
    all(folds$index <= sizes[as.character(folds$factor)])
  refuse_if(!usable, "value", "`folds` must have \"train\" or \"test\" in the column set, \"rdm\" ",
            "or \"condition\" in factor, and in index the number of an RDM or a stimulus.")
  lapply(split(folds, factor(folds$fold, unique(folds$fold))), function(rows) {
    flags <- function(set, factor) {
      if (!any(folds$factor == factor)) return(rep(TRUE, sizes[[factor]]))
      seq_len(sizes[[factor]]) %in% rows$index[rows$set == set & rows$factor == factor]
    }
    fold <- lapply(c(train = "train", test = "test"), function(set) {
      list(m = as.double(flags(set, "rdm")), w = as.double(flags(set, "condition")[task$kept]))
    })
    wrong <- function(...) refuse("value", "`folds`: fold {rows$fold[1]} ", ..., ".")
    for (set in c("train", "test")) {
      if (!any(fold[[set]]$m > 0)) wrong("has no RDM to ", set)
      units <- of_each_unit(cbind(fold[[set]]$w), task)
      if (any(of_each_stimulus(units, task) != fold[[set]]$w)) {
        wrong("splits a cluster of stimuli, of which only some are there to ", set)
      }
      if (sum(units) < 3) wrong("has fewer than 3 ", unit_words(task$codes), " to ", set)
    }
    groups <- lapply(fold, function(set) unique(task$group[set$m > 0]))
    # a factor that is not cut is the same in both sets
    if (!setequal(groups$train, groups$test) && length(intersect(groups$train, groups$test))) {
      wrong("has RDMs of one group in training and test, which share what is to be predicted")
    }
    shared <- fold$train$w > 0 & fold$test$w > 0
    if (any(shared) && !identical(fold$train$w, fold$test$w)) {
      wrong("has stimulus ", which(shared)[1], " in training and test")
    }
    fold
  })
}

# Rounds of one draw (weights m of the RDMs and w of the stimuli): list(train, test, counts), of
# which the first two are list(m, w), for every fold; NULL if the draw has too few stimuli or RDMs
# for them. `counts` is the weight of the round in the mean over folds: how many RDMs times stimuli
# it tests, in given folds compared with all data, of which each fold counts alike. codes: NULL, or
# the cluster of each stimulus; no fold splits one.
folds_of_draw <- function(folds, group, w, m, codes = NULL) {
  if (is.null(codes)) codes <- seq_along(w)
  units <- w[!duplicated(codes)]
  different <- function(w) sum(w[!duplicated(codes)] > 0)
  if (!is.null(folds$given)) {
    rounds <- lapply(folds$given, function(fold) {
      round <- lapply(fold, function(set) list(m = set$m * m, w = set$w * w))
      c(round, counts = tested(round$test) / tested(fold$test))
    })
    usable <- vapply(unlist(lapply(rounds, `[`, c("train", "test")), recursive = FALSE),
                     function(set) different(set$w) >= 3 && any(set$m > 0), NA)
    return(if (all(usable)) rounds)
  }
  there <- unique(group[m > 0])
  if (length(there) < folds$rdm || sum(units > 0) < 3 * folds$condition) return(NULL)
  fold_rdm <- random_fold(there, folds$rdm, max(group))[group]
  fold_condition <- random_fold(which(units > 0), folds$condition, length(units))[codes]
  rounds <- expand.grid(rdm = seq_len(folds$rdm), condition = seq_len(folds$condition))
  lapply(seq_len(nrow(rounds)), function(k) {
    in_m <- fold_rdm == rounds$rdm[k]
    in_w <- fold_condition == rounds$condition[k]
    test <- list(m = m * in_m, w = w * in_w)
    list(train = list(m = if (folds$rdm > 1) m * !in_m else m,
                      w = if (folds$condition > 1) w * !in_w else w),
         test = test, counts = tested(test))
  })
}

tested <- function(set) sum(set$m) * sum(set$w)

# Before anything is computed: folds that most draws cannot be cut into. The draws that are left
# would be those that are most like all data, and their variance too small; with a fold for each
# group, they are all data.
refuse_lost_draws <- function(folds, drawn, task) {
  if (is.null(folds) || !is.null(folds$given) || !drawn$count) return(invisible())
  groups <- max(task$group)
  lost <- function(weights, needed) {
    if (is.null(weights)) rep(FALSE, drawn$count) else colSums(weights > 0) < needed
  }
  by_rdm <- lost(drawn$rdm, folds$rdm)
  by_condition <- lost(drawn$condition, 3 * folds$condition)
  each_group <- !is.null(drawn$rdm) && folds$rdm == groups
  if (!each_group && mean(by_rdm | by_condition) <= 0.5) return(invisible())
  reason <- if (each_group || mean(by_rdm) > mean(by_condition)) {
    paste0("folds = c(rdm = ", folds$rdm, ") needs ", folds$rdm, " different groups of RDMs in ",
           "each draw, and there are ", groups, ". Take fewer folds, such as c(rdm = 2) where ",
           "there are at least 3 groups, or draw no RDMs (resample = \"condition\" or \"none\").")
  } else {
    paste0("folds = c(condition = ", folds$condition, ") needs ", 3 * folds$condition,
           " different ", unit_words(task$codes), " in each draw, and there are ",
           units_of(task$n, task$codes), ". Take fewer folds, or draw no stimuli (resample = ",
           "\"rdm\" or \"none\").")
  }
  refuse("size", "{sum(by_rdm | by_condition)} of {drawn$count} draws cannot be cut into `folds`, ",
         "and those that can are too much like all data to give errors: {reason}")
}

# The fold of each of `size` things of which only some are there.
random_fold <- function(there, folds, size) {
  fold <- integer(size)
  fold[there] <- if (folds == 1) 1L else sample(rep(sample.int(folds), length.out = length(there)))
  fold
}

# ---- clusters

# Clusters of stimuli are drawn as a whole, kept together by folds, and pairs of stimuli within them
# do not count.

# Adds to a task of evaluate_rdms() `given`, the number of stimuli that the user gave, `kept`, the
# numbers of those that take part, and `constant`, which models say the same about all pairs that
# count. With clusters, the task has the stimuli that have a label, no dissimilarities within
# clusters (NA), and `codes`, the number of the cluster of each stimulus.
clustered_task <- function(task, codes) {
  task$given <- task$n
  task$kept <- seq_len(task$n)
  task$constant <- rep(FALSE, length(task$models))
  if (is.null(codes)) return(task)
  check_clusters(codes, task$n, "rdms", 2, "a comparison of RDMs")
  task$kept <- which(!is.na(codes))
  places <- packed_places(task$kept, task$n)
  task$codes <- unname(labelled_codes(codes))
  within <- !between_clusters(task$codes)
  cut <- function(values) {
    values <- values[places, , drop = FALSE]
    values[within, ] <- NA
    values
  }
  task$values <- cut(task$values)
  task$components <- lapply(task$components, cut)
  task$stimulus_noise <- cut_stimulus_noise(task$stimulus_noise, task$kept)
  task$labels <- task$labels[task$kept]
  task$n <- length(task$kept)
  refuse_if(sum(!within) < 3, "size", "`clusters` leaves {count_of(sum(!within), 'pair')} of ",
            "stimuli of different clusters: at least 3 are needed.")
  task$constant <- vapply(task$components, function(components) all(apply(components, 2, is_flat)),
                          NA, USE.NAMES = FALSE)
  task
}

# Do values differ by no more than rounding?
is_flat <- function(values) {
  if (all(is.na(values))) return(TRUE)
  range <- range(values, na.rm = TRUE)
  range[2] - range[1] <= tie_share * max(abs(range))
}

# Which pairs of stimuli are of different clusters: all, without clusters.
counting_pairs <- function(task) {
  if (is.null(task$codes)) rep(TRUE, nrow(task$values)) else between_clusters(task$codes)
}

# Rows for stimuli from rows for units, and back.
of_each_stimulus <- function(values, task) {
  if (is.null(task$codes)) values else values[task$codes, , drop = FALSE]
}

of_each_unit <- function(values, task) {
  if (is.null(task$codes)) values else values[!duplicated(task$codes), , drop = FALSE]
}

# Below so many clusters their variance is known from too few of them.
few_clusters <- 6

# ---- variances over draws of RDMs, of stimuli and of both

# The bootstrap of a sample of size N has a variance that is smaller by (N - 1)/N, and the part of
# both factors by the product of these; so with a = N/(N - 1), b = n/(n - 1)
#
#     V = a V_rdm + b V_condition - a b (V_both - V_rdm - V_condition),
#
# which is at least either main part and at most their sum. In the words of contrast_errors():
# list(main, interactions, df), where interactions below 0 count as 0 (`capped`). With repeated
# folds there is also with_folds, the covariance over draws before what the choice of folds adds is
# taken out.

# draws: arrays draws x columns x repeats of each part. sizes: c(rdm, condition). column: of which
# columns.
parts_of_variance <- function(draws, sizes, columns) {
  covariance <- lapply(draws, draw_covariance, columns)
  a <- sizes[["rdm"]] / (sizes[["rdm"]] - 1)
  b <- sizes[["condition"]] / (sizes[["condition"]] - 1)
  main <- list()
  if (!is.null(draws$rdm)) main <- c(main, list(a * covariance$rdm))
  if (!is.null(draws$condition)) main <- c(main, list(b * covariance$condition))
  interactions <- if (!is.null(draws$both)) {
    list(a * b * (covariance$both - covariance$rdm - covariance$condition))
  }
  widest <- draws[[if (is.null(draws$both)) 1 else "both"]]
  with_folds <- if (dim(widest)[3] > 1) {
    values <- usable_draws(widest, columns)
    if (nrow(values) < 2) matrix(NA_real_, length(columns), length(columns)) else
      stats::cov(rowMeans(values, dims = 2))
  }
  list(main = main, interactions = interactions,
       df = min(sizes[intersect(c("rdm", "condition"), names(draws))]) - 1, capped = TRUE,
       with_folds = with_folds)
}

# Draws in which all columns are defined.
usable_draws <- function(draws, columns) {
  values <- draws[, columns, , drop = FALSE]
  values[rowSums(is.na(matrix(values, nrow(values)))) == 0, , , drop = FALSE]
}

# With repeated folds, what the choice of folds adds is taken out.
draw_covariance <- function(draws, columns) {
  values <- usable_draws(draws, columns)
  count <- length(columns)
  if (nrow(values) < 2) return(matrix(NA_real_, count, count))
  repeats <- dim(values)[3]
  of <- function(x) stats::cov(matrix(x, ncol = count))
  if (repeats == 1) return(of(values))
  mean_of <- of(rowMeans(values, dims = 2))
  single <- Reduce(`+`, lapply(seq_len(repeats), function(k) of(values[, , k]))) / repeats
  (repeats * mean_of - single) / (repeats - 1)
}

# Without resampling: the variance of the mean over RDMs, whose groups are independent. values: RDMs
# x columns.
parts_of_table <- function(values, group) {
  groups <- max(group)
  deviations <- rowsum(values - rep(colMeans(values), each = nrow(values)), group)
  covariance <- crossprod(deviations) / nrow(values)^2 * groups / (groups - 1)
  list(main = list(covariance), interactions = NULL, df = groups - 1, capped = TRUE)
}

# Standard errors of scores less the lower ceiling.
ceiling_errors <- function(whole, draws, sizes, task) {
  models <- seq_along(whole$scores)
  se <- rep(NA_real_, length(models))
  # all of these are undefined in the same draws
  defined <- which(!is.na(whole$scores))
  if (!length(defined)) return(se)
  parts <- if (length(draws)) {
    less_lower <- lapply(draws, function(part) {
      part[, models, , drop = FALSE] - part[, rep(length(se) + 1, length(se)), , drop = FALSE]
    })
    parts_of_variance(less_lower, sizes, defined)
  } else if (!is.null(whole$table)) {
    parts_of_table(whole$table[, defined, drop = FALSE] - whole$lower_each, task$group)
  }
  if (!is.null(parts)) se[defined] <- contrast_errors(parts, diag(length(defined)))$se
  se
}
