# The samples beside the stimuli, of which score_interval() takes errors: neurons and subjects.

# ---- interval factors

# ---- neurons

# For each row of a linear CKA whose neurons are a sample, its table of deletions (cka_table());
# NULL for other rows.
neuron_tables <- function(task) {
  k <- length(task$set)
  tables <- vector("list", nrow(task$pairs) * k)
  if (!any(task$settings$neurons)) return(tables)
  for (p in seq_len(nrow(task$pairs))) {
    pair <- side_pair(task$sides, task$pairs$i[p], task$pairs$j[p])
    for (m in which(vapply(task$set, is_linear_cka, NA))) {
      if (way_of(task$set[[m]], task$settings$method)$name != "closed") next
      tables[[(p - 1) * k + m]] <- cka_table(pair, task$set[[m]]$args, task$codes,
                                             given_units(pair, task$settings))
    }
  }
  tables
}

is_linear_cka <- function(measure) {
  measure$id %in% c("cka", "angular_cka", "rv") && identical(measure$args$kernel, "linear")
}

# The labels of the call, for both sides; NULL without any.
given_units <- function(pair, settings) {
  given <- settings$units
  if (!length(given[["x"]]) && !length(given[["y"]])) return(NULL)
  sapply(c("x", "y"), given_labels, pair, given, simplify = FALSE)
}

# The unit of each neuron: from the call, from the measure, or each neuron is one. Units of x and y
# are different samples unless both sides have some of them.
neuron_labels <- function(pair, measure, settings) {
  labels <- given_units(pair, settings)
  if (is_linear_cka(measure)) return(unit_layout(pair, measure$args, labels)$labels)
  if (is.null(labels)) labels <- sapply(c("x", "y"), function(side) {
    paste(side, seq_len(NCOL(pair[[side]]$data)))
  }, simplify = FALSE)
  layout_of_labels(labels, complete_of_pair(pair, measure$args))$labels
}

# Neurons of a side without labels are units of their own, which no label of the other side names.
given_labels <- function(side, pair, given) {
  width <- NCOL(pair[[side]]$data)
  if (is.null(given[[side]])) return(paste0("\r", side, " ", seq_len(width)))
  check_labels(given[[side]], width, paste0("units_", side), pair[[side]]$arg,
               colnames(pair[[side]]$data))
}

# The samples of neurons of a call: list(name, size, rows, units), where rows are those of the
# result, and `units` has for each row the labels of the units as that row knows them. Neurons of
# one representation are one sample for all of its rows, on either side.
neuron_samples <- function(task) {
  samples <- list()
  k <- length(task$set)
  for (p in seq_len(nrow(task$pairs))) {
    pair <- side_pair(task$sides, task$pairs$i[p], task$pairs$j[p])
    for (m in seq_along(task$set)) {
      for (sample in samples_of_row(pair, task, p, m)) {
        key <- sample$key
        if (is.null(samples[[key]])) samples[[key]] <- sample[c("name", "size")]
        samples[[key]]$rows <- c(samples[[key]]$rows, (p - 1) * k + m)
        samples[[key]]$units <- c(samples[[key]]$units, list(sample$units))
      }
    }
  }
  unname(samples)
}

samples_of_row <- function(pair, task, p, m) {
  labels <- neuron_labels(pair, task$set[[m]], task$settings)
  wanted <- labels[names(which(task$settings$neurons))]
  if (any(labels$y %in% labels$x)) {
    units <- unique(unlist(wanted))
    return(list(list(key = paste(c("both", units), collapse = "\r"), units = units,
                     size = length(units), name = "neurons of both sides")))
  }
  lapply(names(wanted), function(side) {
    repr <- pair[[side]]
    units <- unique(wanted[[side]])
    at <- if (side == "x") task$pairs$i[p] else task$pairs$j[p]
    one_list <- task$sides$self || task$sides$same
    key <- c(at, if (!one_list) side, sub("^[xy] ", "", units))
    list(key = paste(key, collapse = "\r"), units = units, size = length(units),
         name = paste("neurons of", title_of(repr)))
  })
}

# The deviations of a sample and its interactions with the stimuli, for all rows that it is part of.
neuron_factor <- function(sample, task, columns, tables) {
  rows <- sample$rows
  size <- sample$size
  m <- units_of(task$n, task$codes)
  values <- vapply(columns[rows], function(column) column$value, 0)
  full <- change_matrix(columns[rows], m)
  change <- matrix(NA_real_, size, length(rows))
  products <- matrix(0, length(rows), length(rows))
  sums <- numeric(length(rows))
  centered <- vapply(tables[rows], function(table) isTRUE(table$centered), NA)
  closed <- closed_rows(task)[rows]
  all <- seq_len(if (size > 1) size else 0)
  # few at a time, so that what is made of each fits into memory
  each <- max(1, floor(4 * room_for_dots() / packed_length(task$n)))
  for (at in split(all, (all - 1) %/% each)) {
    without <- columns_without_units(sample, at, task, tables)
    for (u in seq_along(at)) {
      change[at[u], ] <- vapply(without[, u], function(column) column$value, 0) - values
      inner <- sweep(change_matrix(without[, u], m) - full, 2, closed, "*")
      products <- products + crossprod(inner)
      sums <- sums + colSums(inner)
    }
  }
  # those of estimates from trials vary about their mean, as in cka_interval()
  products <- products - outer(centered * sums, centered * sums) / (m * size)
  share <- (m - 1) / m * (size - 1) / size
  deviations <- -sqrt((size - 1) / size) * sweep(change, 2, colMeans(change))
  list(name = sample$name, size = size, rows = rows, deviations = deviations,
       interaction = share * products)
}

# Of which rows are interactions of stimuli and neurons known?
closed_rows <- function(task) {
  closed <- vapply(task$set, function(measure) {
    way_of(measure, task$settings$method)$name == "closed"
  }, NA)
  rep(closed, nrow(task$pairs))
}

# What deletions of stimuli change, units x rows; 0 where only the value is known.
change_matrix <- function(columns, m) {
  vapply(columns, function(column) {
    if (is.null(column$change)) numeric(m) else column$change
  }, numeric(m))
}

# The columns without each of some units of a sample: a matrix, rows of the sample x units. All
# scores of one measure are made together.
columns_without_units <- function(sample, at, task, tables) {
  k <- length(task$set)
  measure_of <- (sample$rows - 1) %% k + 1
  columns <- pairs <- matrix(list(), length(sample$rows), length(at))
  cuts <- new.env()
  for (r in seq_along(sample$rows)) {
    table <- tables[[sample$rows[r]]]
    units <- sample$units[[r]][at]
    if (is.null(table)) {
      pairs[r, ] <- pairs_without_units(task, (sample$rows[r] - 1) %/% k + 1, measure_of[r], units,
                                        cuts)
    } else {
      errors <- errors_of(task$set[[measure_of[r]]])
      columns[r, ] <- lapply(units, function(unit) column_of_table(table, errors, unit))
    }
  }
  lacking <- which(vapply(columns, is.null, NA))
  for (same in split(lacking, measure_of[row(columns)[lacking]])) {
    measure <- task$set[[measure_of[row(columns)[same[1]]]]]
    way <- way_of(measure, task$settings$method)
    groups <- vapply(pairs[same], function(pair) pair$group, "")
    for (group in split(same, groups)) {
      columns[group] <- reduced_columns(pairs[group], measure, way, task)
    }
  }
  columns
}

# The columns of pairs that make up a grid. NA where the data that are left have no score.
reduced_columns <- function(pairs, measure, way, task) {
  if (is.null(pairs[[1]]$x)) return(rep(list(list(value = NA_real_)), length(pairs)))
  side <- function(name) {
    keys <- vapply(pairs, function(pair) pair$keys[[name]], "")
    list(reprs = lapply(pairs[!duplicated(keys)], `[[`, name), at = match(keys, unique(keys)))
  }
  sides <- list(x = side("x"), y = side("y"), self = FALSE, same = FALSE)
  task$sides <- sides
  task$pairs <- data.frame(i = sides$x$at, j = sides$y$at)
  if (way$name != "closed") {
    scores <- quiet_scores(task$pairs, sides, list(measure))
    return(lapply(scores[, 1], function(score) list(value = score)))
  }
  together <- if (at_once(way, task)) {
    tryCatch(without_words(closed_columns(task, measure, way$errors)),
             repalign_error = function(e) NULL)
  }
  if (!is.null(together)) return(together)
  lapply(pairs, function(pair) {
    tryCatch(closed_column(pair, measure, way, task$codes),
             repalign_error = function(e) list(value = NA_real_))
  })
}

# A pair without the neurons of each unit, on both sides. Each representation is cut once. Adds
# `keys` of the representations, and a `group` of pairs that make up a grid: the same side is cut,
# or, where both are, by the same unit.
pairs_without_units <- function(task, p, m, units, cuts) {
  pair <- side_pair(task$sides, task$pairs$i[p], task$pairs$j[p])
  at <- c(x = task$pairs$i[p], y = task$pairs$j[p])
  labels <- neuron_labels(pair, task$set[[m]], task$settings)
  lapply(seq_along(units), function(u) {
    keep <- lapply(labels[c("x", "y")], `!=`, units[u])
    if (!any(keep$x) || !any(keep$y)) return(list(group = "nothing is left"))
    reduced <- !vapply(keep, all, NA)
    keys <- paste(names(at), at, ifelse(reduced, u, ""))
    cut <- function(side, key) {
      if (!reduced[[side]]) return(pair[[side]])
      if (is.null(cuts[[key]])) cuts[[key]] <- without_neurons(pair[[side]], keep[[side]])
      cuts[[key]]
    }
    names(keys) <- names(at)
    c(pair_of(cut("x", keys[["x"]]), cut("y", keys[["y"]])),
      list(keys = keys, group = if (all(reduced)) paste("both", u) else names(at)[reduced][1]))
  })
}

without_neurons <- function(repr, keep) {
  cut <- repr
  cut$cache <- new_cache()
  cut$cache$said <- said_of(repr$cache)
  for (part in c("choices", "neighbours")) cut$cache[[part]] <- repr$cache[[part]]
  cut_representation(cut, rep(TRUE, repr$n), keep)
}

# ---- subjects

# The scores of subjects become their mean. Subjects are the representations of x. Returns
# list(columns, factors, scores, pairs): with one row for each y and measure.
pool_subjects <- function(task, columns) {
  k <- length(task$set)
  subjects <- length(task$sides$x$reprs)
  others <- unique(task$pairs$j)
  groups <- lapply(seq_along(others), function(o) which(task$pairs$j == others[o]))
  rows <- unlist(lapply(groups, function(at) lapply(seq_len(k), function(m) (at - 1) * k + m)),
                 recursive = FALSE)
  pooled <- lapply(rows, function(at) mean_column(columns[at]))
  scores <- vapply(rows, function(at) mean(task$scores[at]), 0)
  list(columns = pooled, scores = scores,
       factors = list(subject_factor(rows, columns, task$scores, units_of(task$n, task$codes))),
       pairs = data.frame(i = 1L, j = others), subjects = subjects)
}

mean_column <- function(columns) {
  average <- function(part) {
    Reduce(`+`, lapply(columns, function(column) column[[part]])) / length(columns)
  }
  column <- list(value = average("value"), spread = NA_real_)
  if (is.null(columns[[1]]$halves)) column$change <- average("change")
  else column$halves <- average("halves")
  column
}

subject_factor <- function(rows, columns, scores, m) {
  size <- length(rows[[1]])
  each <- vapply(rows, function(at) scores[at], numeric(size))
  deviations <- sweep(each, 2, colMeans(each)) / sqrt(size * (size - 1))
  products <- matrix(0, length(rows), length(rows))
  means <- vapply(rows, function(at) rowMeans(change_matrix(columns[at], m)), numeric(m))
  for (u in seq_len(size)) {
    own <- change_matrix(columns[vapply(rows, function(at) at[u], 0)], m)
    products <- products + crossprod((means - own) / (size - 1))
  }
  list(name = "subjects", size = size, rows = seq_along(rows), deviations = deviations,
       interaction = (m - 1) / m * (size - 1) / size * products)
}

# ---- neuron deletions

# Standard errors of the pooled values of an analysis whose neurons count as a sample, too: the
# jackknife over stimuli and neurons of cka_interval(), with the weights that random subsets give to
# the neuron pairs.

# For each estimator list(se, df). members: the random subsets; used: which of them the
# neuron-corrected values are pooled over.
sampled_neuron_errors <- function(comparison, members, used, setup) {
  layout <- neuron_units(comparison, setup$neurons)
  tables <- deleted_pools(comparison, members, used, layout, setup)
  loo <- list(n = setup$stimuli, layout = layout)
  sapply(setup$estimator, function(e) {
    h <- lapply(tables, function(part) part[[e]])
    theta <- matrix(ratio_of(vapply(h, as.vector, numeric(length(h$xy)))), nrow(h$xy))
    variance <- two_way_variance(theta, loo)
    # equal deletions leave no parts to count degrees of freedom of
    df <- if (isTRUE(variance == 0)) Inf else two_way_df(theta, variance, loo)
    list(se = sqrt(variance), df = df)
  }, simplify = FALSE)
}

# The unit of each neuron of a and b, the sides of a comparison; the strata are as in unit_layout(),
# but only those of the neurons that are deleted (wanted, by side).
neuron_units <- function(comparison, wanted) {
  codes <- comparison$codes
  of_side <- function(code, x) if (is.null(code)) seq_len(ncol(x)) else code + 1L
  a <- of_side(codes$xx$x, comparison$x)
  b <- of_side(codes$yy$y, comparison$y) + max(a)
  if (!is.null(codes$xy) && !any(comparison$complete)) {
    a <- codes$xy$x + 1L
    b <- codes$xy$y + 1L
  }
  count <- max(a, b)
  strata <- if (any(a %in% b)) list(seq_len(count)) else list(unique(a), unique(b))[wanted]
  list(a = a, b = b, count = count, strata = strata)
}

# For each of the three H values and each estimator a table of pooled values: nothing and each
# stimulus deleted in its rows, nothing and each unit in its columns.
deleted_pools <- function(comparison, members, used, layout, setup) {
  data <- list(a = comparison$x, b = comparison$y)
  columns <- sum(vapply(data, function(x) as.double(ncol(x)), 0))
  check_memory(8 * (40 * nrow(data$a) * columns + 12 * columns^2),
               "The jackknife over stimuli and neurons",
               "Fewer neurons or stimuli need less, and over = \"stimuli\".")
  pool <- function(part, members, used) {
    deleted_pool(data, members, part, used, comparison, layout, setup)
  }
  if (!comparison$exchangeable) {
    return(sapply(names(part_sides), pool, members, used, simplify = FALSE))
  }
  # both denominators are pooled anyway, from the subsets of both sides
  self <- pool("xx", list(a = cbind(members$a, members$b)), c(used, used))
  list(xy = pool("xy", members, used), xx = self, yy = self)
}

deleted_pool <- function(data, members, part, used, comparison, layout, setup) {
  at <- part_sides[[part]]
  x <- data[[at[1]]]
  y <- data[[at[2]]]
  codes <- comparison$codes[[part]]
  size <- c(ncol(x), ncol(y))
  count <- subset_counts(members[[at[1]]], members[[at[2]]], size, codes)
  w <- pooled_weights(members[[at[1]]], members[[at[2]]], size, count, codes, used)
  unit <- list(x = layout[[at[1]]], y = layout[[at[2]]], count = layout$count)
  self <- part != "xy"
  plain <- if (any(setup$estimator != "stimulus_neuron")) {
    weighted_deletions(x, y, w$all, unit, self, setup$clusters)
  }
  corrected <- if ("stimulus_neuron" %in% setup$estimator) {
    weighted_deletions(x, y, allowed_weights(w), unit, self, setup$clusters)
  }
  list(naive = plain$naive, stimulus = plain$stimulus, stimulus_neuron = corrected$stimulus)
}

# Means of the pair terms of x and y weighted by w, for every deletion; what is left of the weights
# is divided by its sum. self: x and y are one side, and w is symmetric.
weighted_deletions <- function(x, y, w, unit, self, clusters) {
  within <- w * outer(unit$x, unit$y, "==")
  rows <- loo_columns(x, y, clusters, w)
  columns <- if (self) rows else loo_columns(y, x, clusters, t(w))
  inside <- if (any(within != 0)) loo_columns(x, y, clusters, within)
  left <- drop(without_units(t(rowSums(w)), t(colSums(w)), t(rowSums(within)), unit))
  # what rounding leaves of weights that are all gone is nothing
  left[left <= tie_share * left[1]] <- NA
  means <- sapply(c("naive", "stimulus"), function(kind) {
    sums <- without_units(rows[[kind]], columns[[kind]], inside[[kind]], unit)
    sweep(sums, 2, left, "/")
  }, simplify = FALSE)
  means$stimulus[] <- drop_rounding(means$stimulus, means$naive)
  means
}

# Sums over all neuron pairs, and without those of each unit. rows, columns: the sums of each neuron
# of x and of y; inside: those over the pairs within a unit, which both of them count, or NULL.
without_units <- function(rows, columns, inside, unit) {
  taken <- sum_by_unit(rows, unit$x, unit$count) + sum_by_unit(columns, unit$y, unit$count)
  if (!is.null(inside)) taken <- taken - sum_by_unit(inside, unit$x, unit$count)
  total <- rowSums(rows)
  cbind(total, total - taken, deparse.level = 0)
}
