# The samples beside the stimuli, of which score_interval() takes errors: neurons and subjects.

# ---- interval factors

# ---- neurons

# For each row of a linear CKA whose neurons are a sample, its table of deletions (cka_table());
# NULL for other rows.
neuron_tables <- function(task) {
  k <- length(task$set)
  tables <- vector("list", nrow(task$pairs) * k)
  if (!any(task$settings$neurons)) return(tables)
  closed <- vapply(task$set, function(measure) {
    is_linear_cka(measure) && way_of(measure, task)$name == "closed"
  }, NA)
  for (p in seq_len(nrow(task$pairs))) {
    pair <- side_pair(task$sides, task$pairs$i[p], task$pairs$j[p])
    for (m in which(closed)) {
      if (!any(sampled_sides(pair, task$set[[m]], task$settings))) next
      row <- (p - 1) * k + m
      args <- task$set[[m]]$args
      units <- given_units(pair, task$settings)
      tables[[row]] <- if (is.na(task$scores[row])) {
        # what is undefined has no errors, which would take long
        layout <- unit_layout(pair, args, units)
        list(values = matrix(NA_real_, 1 + units_of(task$n, task$codes), 1 + layout$count),
             layout = layout, centered = FALSE)
      } else {
        # what the table is made of is several times as large
        cka_table(pair, args, task$codes, units)[c("values", "layout", "centered")]
      }
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
  sapply(c("x", "y"), function(side) {
    width <- NCOL(pair[[side]]$data)
    # neurons of a side without labels are units of their own, which no label of the other side
    # names
    if (is.null(given[[side]])) return(paste0("\r", side, " ", seq_len(width)))
    check_labels(given[[side]], width, paste0("units_", side), pair[[side]]$arg,
                 colnames(pair[[side]]$data))
  }, simplify = FALSE)
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

# The samples of neurons of a call: list(name, size, rows, units), where rows are those of the
# result, and `units` has for each row the labels of the units as that row knows them. Neurons of
# one representation are one sample for all of its rows, on either side. With controls, `own` has a
# list of such labels for each row, see samples_of_partial().
neuron_samples <- function(task) {
  samples <- list()
  k <- length(task$set)
  for (p in seq_len(nrow(task$pairs))) {
    pair <- side_pair(task$sides, task$pairs$i[p], task$pairs$j[p])
    for (m in seq_along(task$set)) {
      found <- if (is.null(task$beside[[m]])) samples_of_row(pair, task, p, m) else
        samples_of_partial(pair, task, p, m)
      for (sample in found) {
        key <- sample$key
        own <- if (is.null(sample$own)) list(sample$units) else sample$own
        if (is.null(samples[[key]])) samples[[key]] <- sample[c("name", "size")]
        samples[[key]]$rows <- c(samples[[key]]$rows, (p - 1) * k + m)
        samples[[key]]$units <- c(samples[[key]]$units, own[1])
        if (length(task$beside)) samples[[key]]$own <- c(samples[[key]]$own, list(own))
      }
    }
  }
  unname(samples)
}

samples_of_row <- function(pair, task, p, m) {
  sides <- names(which(sampled_sides(pair, task$set[[m]], task$settings)))
  if (!length(sides)) return(NULL)
  labels <- neuron_labels(pair, task$set[[m]], task$settings)
  wanted <- labels[sides]
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
# without_units: function(at), the columns without these units.
neuron_factor <- function(sample, task, columns, tables, without_units = function(at) {
                            columns_without_units(sample, at, task, tables)
                          }) {
  rows <- sample$rows
  size <- sample$size
  m <- units_of(task$n, task$codes)
  values <- vapply(columns[rows], function(column) column$value, 0)
  full <- change_matrix(columns[rows], m)
  change <- matrix(NA_real_, size, length(rows))
  products <- matrix(0, length(rows), length(rows))
  sums <- numeric(length(rows))
  centered <- vapply(tables[rows], function(table) isTRUE(table$centered), NA)
  # of which rows are interactions of stimuli and neurons known?
  closed <- vapply(task$set, function(measure) way_of(measure, task)$name == "closed", NA)
  closed <- rep(closed, nrow(task$pairs))[rows]
  for (at in units_at_a_time(size, task$n)) {
    without <- t(without_units(at))
    of_units <- rep(seq_along(rows), each = length(at))
    change[at, ] <- vapply(without, function(column) column$value, 0) - values[of_units]
    inner <- (change_matrix(without, m) - full[, of_units]) * rep(closed[of_units], each = m)
    dim(inner) <- c(m * length(at), length(rows))
    products <- products + crossprod(inner)
    sums <- sums + colSums(inner)
  }
  # those of estimates from trials vary about their mean, as in cka_interval()
  products <- products - outer(centered * sums, centered * sums) / (m * size)
  share <- (m - 1) / m * (size - 1) / size
  deviations <- -sqrt((size - 1) / size) * sweep(change, 2, colMeans(change))
  list(name = sample$name, size = size, rows = rows, deviations = deviations,
       interaction = share * products)
}

# Few at a time, so that what is made of each fits into memory; a single unit is never deleted.
units_at_a_time <- function(size, n) {
  all <- seq_len(if (size > 1) size else 0)
  split(all, (all - 1) %/% max(1, floor(4 * room_for_dots() / packed_length(n))))
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
      columns[r, ] <- apply(table$values[, 1 + match(units, table$layout$units), drop = FALSE], 2,
                            jackknife_column, errors, simplify = FALSE)
    }
  }
  lacking <- which(vapply(columns, is.null, NA))
  for (same in split(lacking, measure_of[row(columns)[lacking]])) {
    measure <- task$set[[measure_of[row(columns)[same[1]]]]]
    way <- way_of(measure, task)
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
    keys <- stats::setNames(paste(names(at), at, ifelse(reduced, u, "")), names(at))
    cut <- function(side, key) {
      if (!reduced[[side]]) return(pair[[side]])
      if (is.null(cuts[[key]])) {
        repr <- pair[[side]]
        repr$cache <- cache_of_part(repr$cache)
        cuts[[key]] <- cut_representation(repr, rep(TRUE, repr$n), keep[[side]])
      }
      cuts[[key]]
    }
    c(pair_of(cut("x", keys[["x"]]), cut("y", keys[["y"]])),
      list(keys = keys, group = if (all(reduced)) paste("both", u) else names(at)[reduced][1]))
  })
}

# ---- subjects

# The scores of subjects become their mean. Subjects are the representations of x, and are a sample
# themselves, or these subjects, of whom `factors` are: then the mean of all deviations is that of
# the mean. Returns list(columns, factors, scores, pairs): with one row for each y and measure.
pool_subjects <- function(task, columns, factors) {
  k <- length(task$set)
  subjects <- length(task$sides$x$reprs)
  others <- unique(task$pairs$j)
  rows <- unlist(recursive = FALSE, lapply(others, function(other) {
    at <- which(task$pairs$j == other)
    lapply(seq_len(k), function(m) (at - 1) * k + m)
  }))
  pooled <- lapply(rows, function(at) {
    average <- function(part) Reduce(`+`, lapply(columns[at], `[[`, part)) / length(at)
    deviations <- if (is.null(columns[[at[1]]]$halves)) "change" else "halves"
    c(list(value = average("value"), spread = NA_real_),
      stats::setNames(list(average(deviations)), deviations))
  })
  scores <- vapply(rows, function(at) mean(task$scores[at]), 0)
  # the row of the means that each row goes into
  new <- integer(length(columns))
  new[unlist(rows)] <- rep(seq_along(rows), each = subjects)
  factors <- if (task$settings$these) lapply(factors, function(factor) {
    # neurons of all subjects are one main part
    of <- new[factor$rows]
    means <- function(values) rowsum(values, of) / subjects
    factor$pooled <- !anyDuplicated(of)
    factor$deviations <- t(means(t(factor$deviations)))
    factor$interaction <- means(t(means(factor$interaction)))
    factor$rows <- sort(unique(of))
    factor
  }) else {
    # of few subjects nothing is subtracted: their variance may be found to be near 0
    few <- subjects < few_subjects
    each <- vapply(rows, function(at) task$scores[at], numeric(subjects))
    deviations <- sweep(each, 2, colMeans(each)) / sqrt(subjects * (subjects - 1))
    products <- matrix(0, length(rows), length(rows))
    m <- units_of(task$n, task$codes)
    means <- vapply(rows, function(at) rowMeans(change_matrix(columns[at], m)), numeric(m))
    for (u in seq_len(subjects)) {
      own <- change_matrix(columns[vapply(rows, function(at) at[u], 0)], m)
      products <- products + crossprod((means - own) / (subjects - 1))
    }
    list(list(name = "subjects", size = subjects, rows = seq_along(rows), deviations = deviations,
              interaction = (!few) * (m - 1) / m * (subjects - 1) / subjects * products,
              most_df = if (few) subjects - 1))
  }
  list(columns = pooled, scores = scores, factors = factors,
       pairs = data.frame(i = 1L, j = others), subjects = subjects)
}

# ---- neuron deletions

# Standard errors of the pooled values of an analysis whose neurons count as a sample, too: the
# jackknife over stimuli and neurons of cka_interval(), with the weights that random subsets give to
# the neuron pairs.

# For each estimator list(se, df). members: the random subsets; used: which of them the
# neuron-corrected values are pooled over; wanted: whose neurons are a sample; trials: of the
# estimator by trials what trial_terms_of() gives, else NULL.
sampled_neuron_errors <- function(comparison, members, used, wanted, estimators, setup,
                                  trials = NULL) {
  codes <- if (is.null(trials)) comparison$codes else comparison$trials$codes
  # the neurons that are deleted; those of both sides are deleted from both at once
  of_side <- function(code, x) if (is.null(code)) seq_len(ncol(x)) else code
  labels <- list(x = paste("x", of_side(codes$xx$x, comparison$x)),
                 y = paste("y", of_side(codes$yy$y, comparison$y)))
  if (!is.null(codes$xy) && !any(comparison$complete)) labels <- codes$xy[c("x", "y")]
  shared <- any(labels$x %in% labels$y)
  layout <- layout_of_labels(labels, c(x = !wanted[["x"]], y = !wanted[["y"]]) & !shared)
  columns <- ncol(comparison$x) + as.double(ncol(comparison$y))
  check_memory(8 * (40 * nrow(comparison$x) * columns + 12 * columns^2),
               "The jackknife over stimuli and neurons",
               "Fewer neurons or stimuli need less, and over = \"stimuli\".")
  # one of the three H values: for each estimator a table of pooled values, nothing and each
  # stimulus deleted in its rows, nothing and each unit in its columns
  pool <- function(part, members, used) {
    at <- part_sides[[part]]
    sides <- c(a = "x", b = "y")[at]
    given <- trials[[part]]
    codes <- if (is.null(trials)) comparison$codes[[part]] else given$codes
    x <- comparison[[sides[1]]]
    y <- comparison[[sides[2]]]
    a <- members[[at[1]]]
    b <- members[[at[2]]]
    count <- subset_counts(a, b, c(ncol(x), ncol(y)), codes, given$mask)
    w <- pooled_weights(a, b, c(ncol(x), ncol(y)), count, codes, used, given$mask)
    if (is.null(trials)) return(pooled_tables(x, y, w, layout, sides, estimators, setup$clusters))
    sums <- weighted_trial_sums(given$sample, allowed_weights(w), layout, sides)
    stats::setNames(list(h_table(sums, "stimulus") * given$factor), estimators)
  }
  tables <- if (!comparison$exchangeable) {
    sapply(names(part_sides), pool, members, used, simplify = FALSE)
  } else {
    # both denominators are pooled anyway, from the subsets of both sides
    self <- pool("xx", list(a = cbind(members$a, members$b)), c(used, used))
    list(xy = pool("xy", members, used), xx = self, yy = self)
  }
  sapply(estimators, function(e) {
    h <- vapply(tables, function(part) as.vector(part[[e]]), numeric(length(tables$xy[[e]])))
    errors_of_table(ratio_of(h), layout, setup, !is.null(trials))
  }, simplify = FALSE)
}

# list(se, df) of a table of deletions, given as its columns one after another.
errors_of_table <- function(theta, layout, setup, centered = FALSE) {
  loo <- list(n = setup$stimuli, layout = layout, centered = centered)
  theta <- matrix(theta, setup$stimuli + 1)
  variance <- two_way_variance(theta, loo)
  # equal deletions leave no parts to count degrees of freedom of
  df <- if (isTRUE(variance == 0)) Inf else two_way_df(theta, variance, loo)
  list(se = sqrt(variance), df = df)
}

# w: from pooled_weights().
pooled_tables <- function(x, y, w, layout, sides, estimators, clusters) {
  tables <- function(w) {
    sums <- weighted_sums(x, y, w, layout, sides, clusters)
    naive <- h_table(sums, "naive")
    list(naive = naive, stimulus = drop_rounding(h_table(sums, "stimulus"), naive))
  }
  plain <- if (any(estimators != "stimulus_neuron")) tables(w$all)
  c(plain, if ("stimulus_neuron" %in% estimators) {
    list(stimulus_neuron = tables(allowed_weights(w))$stimulus)
  })
}
