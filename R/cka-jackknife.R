# The jackknife of CKA: its H values by deletion of one stimulus or one unit at a time, and the
# variance of what is made of them.

check_jackknife_memory <- function(pair, trials = 1) {
  n <- pair$x$n * as.double(trials)
  columns <- ncol(pair$x$data) + ncol(pair$y$data)
  inner <- min(n, max(ncol(pair$x$data), ncol(pair$y$data)))^2
  check_memory(8 * (24 * n * columns + 3 * inner), "The jackknife",
               "Fewer stimuli or neurons need less; cka() gives the estimate alone.")
}

# Says which columns are deleted together: those of one unit, on both sides at once. x and y give
# for each column the number of its unit. The units of x and those of y are two samples (strata),
# unless some units are on both sides: then all units are one sample. The neurons of a complete side
# are no sample: none of them is deleted, and their units have the numbers after the first `count`.
# labels: NULL, or those of the columns that are deleted together, where these are others than those
# that the estimator goes by.
unit_layout <- function(pair, args, labels = NULL) {
  widths <- c(x = ncol(pair$x$data), y = ncol(pair$y$data))
  if (is.null(labels)) labels <- if (args$shared_neurons) {
    lapply(widths, seq_len)
  } else if (!is.null(args$units_x)) {
    list(x = check_labels(args$units_x, widths[[1]], "units_x", "x", colnames(pair$x$data)),
         y = check_labels(args$units_y, widths[[2]], "units_y", "y", colnames(pair$y$data)))
  } else {
    # columns to which an object gives one label, and else each alone
    own <- list(x = side_labels(pair$x, args, "x"), y = side_labels(pair$y, args, "y"))
    common <- pair_labels(pair, args)
    # a neuron that lies in one session is deleted with it
    named <- Filter(function(side) !is.null(attr(side, "neurons")), c(own, common))
    places <- unique(data.frame(
      neuron = as.character(unlist(lapply(named, attr, "neurons"), use.names = FALSE)),
      session = as.character(unlist(lapply(named, as.vector), use.names = FALSE))
    ))
    moved <- places$neuron[anyDuplicated(places$neuron)]
    if (length(moved)) {
      sides <- intersect(names(which(vapply(named, function(side) {
        moved %in% attr(side, "neurons")
      }, NA))), c("x", "y"))
      of <- unique(args_of(pair[sides]))
      refuse(c("repalign_error_moved_neurons", "repalign_error_choice"), "Neuron ",
             "{quoted(moved)} of ", enumerate(paste0("`", of, "`"), quote = FALSE),
             " is in several sessions: errors that delete whole sessions, for the noise that ",
             "neurons share in them, cannot delete it. Declare either `session` or `neuron` in ",
             "responses(), or leave all neurons in: score_interval(over = \"stimuli\")",
             if (any(vapply(pair[sides], has_trials, NA))) {
               "; \"stimulus_neuron_trial\" takes the noise out"
             }, ".", arg = of[1])
    }
    if (!is.null(common)) lapply(common, as.vector) else {
      # nothing is on both sides
      alone <- Map(function(own, width) if (is.null(own)) seq_len(width) else own, own, widths)
      list(x = paste("x", alone$x), y = paste("y", alone$y))
    }
  }
  layout_of_labels(labels, complete_of_pair(pair, args))
}

layout_of_labels <- function(labels, complete = c(x = FALSE, y = FALSE)) {
  # no label of a complete side is one of the other side
  for (side in names(which(complete))) {
    labels[[side]] <- sprintf("\rall of %s %d", side, seq_along(labels[[side]]))
  }
  of_sides <- lapply(labels[c("x", "y")], unique)
  sampled <- unique(unlist(of_sides[!complete[names(of_sides)]], use.names = FALSE))
  units <- c(sampled, unlist(of_sides[complete[names(of_sides)]], use.names = FALSE))
  strata <- lapply(of_sides[!complete[names(of_sides)]], match, units)
  if (length(strata) == 2 && any(strata$x %in% strata$y)) strata <- list(seq_along(units))
  list(labels = labels, units = units, x = match(labels$x, units), y = match(labels$y, units),
       count = length(sampled), strata = unname(Filter(length, strata)), complete = complete)
}

# For xy, xx and yy, and for naive and stimulus-corrected terms of neuron pairs, three sums: `total`
# over all neuron pairs, `unit` over those that a unit takes part in, and `within` over those of two
# neurons of the same unit. Each has n + 1 rows, for nothing deleted and for each stimulus deleted;
# `unit` and `within` have a column for each unit.
# clusters: codes; then whole clusters of stimuli are deleted, and n is their number.
# allowed: NULL where the neuron pairs within a unit are those that the estimator leaves out, else
# what cka_table() makes.
leave_out_sums <- function(pair, layout, clusters = NULL, allowed = NULL) {
  x <- centered_data(pair$x)
  y <- if (pair$self) x else centered_data(pair$y)
  list(
    xy = neuron_pair_sums(x, y, c("x", "y"), layout, clusters, allowed$xy),
    xx = shared_self_sums(pair$x, x, "x", layout, clusters, allowed$xx),
    yy = shared_self_sums(pair$y, y, "y", layout, clusters, allowed$yy),
    layout = layout, n = if (is.null(clusters)) nrow(x) else cluster_count(clusters),
    clusters = !is.null(clusters),
    scale = log2(c(form_centering(pair$x)$scale, form_centering(pair$y)$scale))
  )
}

# Those of a side, which are remembered with it for all pairs of a call, unless they are large. They
# have columns for the units of this side alone, and `at` says which column of h_table() each unit
# of the layout has: that of nothing deleted if it is not on this side.
shared_self_sums <- function(repr, x, side, layout, clusters, allowed) {
  if (layout$complete[[side]] || !is.null(allowed)) {
    return(self_sums(x, side, layout, clusters, allowed))
  }
  columns <- unique(layout[[side]])
  unit <- match(layout[[side]], columns)
  found <- function() self_sums(x, "x", layout_of_labels(list(x = unit, y = unit)), clusters)
  own <- if (length(x) > largest_shared) found() else
    remember(repr$cache, list("deletions within a side", unit, clusters), found())
  c(own, list(at = c(1, 1 + match(seq_len(layout$count), columns, 0))))
}

# Entries of a side of which four matrices are remembered.
largest_shared <- 2.5e5

# The same sums where no unit is deleted, which need less; the self terms are remembered with their
# representations. `unit` and `within` have one column, of no unit, and of what all have within.
held_neuron_sums <- function(pair, layout, clusters) {
  sums <- function(x, y, unit_x, unit_y) {
    # mostly no unit has neurons of both sides
    units <- if (any(unit_x %in% unit_y)) layout$count else 1
    parts <- Map(function(total, within) {
      list(total = total, unit = cbind(0 * total), within = cbind(rowSums(within)))
    }, loo_totals(x, y, clusters), within_unit_sums(x, y, unit_x, unit_y, units, clusters))
    counts <- neuron_pair_counts(unit_x, unit_y, layout$count)
    c(parts, list(pairs = list(total = counts$total, unit = 0, within = sum(counts$within))))
  }
  self <- function(repr, labels) {
    unit <- match(labels, unique(labels))
    remember(repr$cache, list("deleted self terms of neurons", unit, clusters), {
      x <- centered_data(repr)
      sums(x, x, unit, unit)
    })
  }
  list(xy = sums(centered_data(pair$x), centered_data(pair$y), layout$x, layout$y),
       xx = self(pair$x, layout$x), yy = self(pair$y, layout$y))
}

# The same sums where what is left out is not what is deleted together: over the neuron pairs whose
# weight in w is 1, or all of them (NULL). What the neuron correction leaves out is left out of all
# three sums, so that nothing is left `within`. sides: those whose neurons the pairs are made of.
weighted_sums <- function(x, y, w, layout, sides, clusters) {
  sums_over_weighted(function(w, swapped) {
    if (swapped) loo_columns(y, x, clusters, if (!is.null(w)) t(w)) else
      loo_columns(x, y, clusters, w)
  }, w, c(ncol(x), ncol(y)), layout, sides)
}

# columns_of: a function(w, swapped) that gives, for each kind of terms, the sums of each neuron of
# the first side (of the second one where they are swapped) over the neuron pairs of weights w.
# width: the numbers of neurons.
sums_over_weighted <- function(columns_of, w, width, layout, sides) {
  unit <- layout[sides]
  sampled <- !layout$complete[sides]
  equal <- if (all(sampled)) outer(unit[[1]], unit[[2]], "==")
  both <- if (any(equal)) if (is.null(w)) 1 * equal else w * equal
  rows <- columns_of(w, FALSE)
  # within a side the weights are symmetric
  columns <- if (sides[1] == sides[2]) rows else if (sampled[2]) columns_of(w, TRUE)
  inside <- if (!is.null(both)) columns_of(both, FALSE)
  of_units <- function(rows, columns, inside) {
    # rows, columns: the sums of each neuron of the two sides, inside: those over the pairs within
    # a unit, which both of them count, or NULL. Of a complete side nothing is deleted.
    count <- layout$count
    sums <- matrix(0, nrow(rows), count)
    if (sampled[1]) sums <- sums + sum_by_unit(rows, unit[[1]], count)
    if (sampled[2]) sums <- sums + sum_by_unit(columns, unit[[2]], count)
    if (is.null(inside)) sums else sums - sum_by_unit(inside, unit[[1]], count)
  }
  parts <- lapply(stats::setNames(names(rows), names(rows)), function(kind) {
    by_unit <- of_units(rows[[kind]], columns[[kind]], inside[[kind]])
    list(total = rowSums(rows[[kind]]), unit = by_unit, within = 0 * by_unit)
  })
  if (is.null(w)) w <- matrix(1, width[1], width[2])
  counts <- of_units(t(rowSums(w)), t(colSums(w)), if (!is.null(both)) t(rowSums(both)))
  c(parts, list(pairs = list(total = sum(w), unit = drop(counts), within = 0 * drop(counts))))
}

# The self term of a side whose neurons are not deleted. labels: NULL, or those of which pairs of
# equal ones are left out.
held_sums <- function(x, layout, clusters, labels = NULL) {
  totals <- loo_totals(x, x, clusters)
  count <- as.double(ncol(x))^2
  if (!is.null(labels)) {
    left_out <- excluded_pairs(labels, labels)
    count <- count - left_out$count
    unit <- match(labels, unique(labels))
    within <- within_unit_sums(x, x, unit, unit, max(unit), clusters)
    totals$stimulus <- totals$stimulus - rowSums(within$stimulus)
  }
  none <- matrix(0, length(totals$stimulus), layout$count)
  held <- function(total, none) list(total = total, unit = none, within = none)
  c(lapply(totals[c("naive", "stimulus")], held, none),
    list(pairs = held(count, numeric(layout$count))))
}

centered_data <- function(repr) {
  center <- form_centering(repr)
  .Call(C_center, repr$data, center$means, center$scale)
}

self_sums <- function(x, side, layout, clusters = NULL, allowed = NULL) {
  if (layout$complete[[side]]) return(held_sums(x, layout, clusters))
  neuron_pair_sums(x, x, c(side, side), layout, clusters, allowed)
}

# sides: those whose neurons the pairs are made of.
neuron_pair_sums <- function(x, y, sides, layout, clusters, allowed) {
  if (any(layout$complete[sides]) || !is.null(allowed)) {
    return(weighted_sums(x, y, allowed, layout, sides, clusters))
  }
  unit <- layout[sides]
  count <- layout$count
  rows <- loo_columns(x, y, clusters)
  columns <- if (sides[1] == sides[2]) rows else loo_columns(y, x, clusters)
  within <- within_unit_sums(x, y, unit[[1]], unit[[2]], count, clusters)
  sums_of_units(rows, columns, within, unit[[1]], unit[[2]], count)
}

# The three sums of each kind of terms, and the numbers of neuron pairs in them. rows, columns: the
# sums of each neuron of the first side and of the second.
sums_of_units <- function(rows, columns, within, unit_x, unit_y, units) {
  # rows and columns both count the neuron pairs within a unit, which must count once
  parts <- Map(function(rows, columns, within) {
    list(total = rowSums(rows), within = within, unit = sum_by_unit(rows, unit_x, units) +
           sum_by_unit(columns, unit_y, units) - within)
  }, rows, columns, within)
  c(parts, list(pairs = neuron_pair_counts(unit_x, unit_y, units)))
}

# The numbers of neuron pairs in these three sums.
neuron_pair_counts <- function(unit_x, unit_y, units) {
  count_x <- tabulate(unit_x, units)
  count_y <- tabulate(unit_y, units)
  within <- count_x * as.double(count_y)
  list(total = as.double(length(unit_x)) * length(unit_y),
       unit = count_x * as.double(length(unit_y)) + count_y * as.double(length(unit_x)) - within,
       within = within)
}

sum_by_unit <- function(values, unit, units) {
  if (length(unit) == units && identical(as.integer(unit), seq_len(units))) return(values)
  sums <- matrix(0, nrow(values), units)
  if (!anyDuplicated(unit)) {
    sums[, unit] <- values
    return(sums)
  }
  present <- sort(unique(unit))
  sums[, present] <- t(rowsum(t(values), unit, reorder = TRUE))
  sums
}

within_unit_sums <- function(x, y, unit_x, unit_y, units, clusters = NULL) {
  left_out <- excluded_pairs(unit_x, unit_y)
  rows <- 1 + if (is.null(clusters)) nrow(x) else cluster_count(clusters)
  sums <- list(naive = matrix(0, rows, units), stimulus = matrix(0, rows, units))
  if (length(left_out$x)) {
    single <- loo_pairs(x, y, left_out$x, left_out$y, clusters)
    for (kind in names(sums)) sums[[kind]][, unit_x[left_out$x]] <- single[[kind]]
  }
  for (block in left_out$blocks) {
    inside <- loo_columns(x[, block$x, drop = FALSE], y[, block$y, drop = FALSE], clusters)
    for (kind in names(sums)) sums[[kind]][, unit_x[block$x[1]]] <- rowSums(inside[[kind]])
  }
  sums
}

# The H values of every deletion. In the first row no stimulus is deleted, in the others one each;
# in the first column no unit is deleted, in the others one each.
h_table <- function(part, estimator) {
  sums <- part[[if (estimator == "naive") "naive" else "stimulus"]]
  pairs <- part$pairs
  if (corrections[[estimator]]$neurons && any(pairs$within > 0)) {
    # the neuron correction leaves out all neuron pairs within a unit
    sums <- list(total = sums$total - rowSums(sums$within), unit = sums$unit - sums$within)
    pairs <- list(total = pairs$total - sum(pairs$within), unit = pairs$unit - pairs$within)
  }
  counts <- c(pairs$total, pairs$total - pairs$unit)
  table <- cbind(sums$total, sums$total - sums$unit, deparse.level = 0)
  table <- table / rep(counts, each = nrow(table))
  # what rounding leaves of weights that are all gone is nothing
  table[, counts <= tie_share * counts[1]] <- NA
  if (is.null(part$at)) table else table[, part$at, drop = FALSE]
}

# The variance of a score from its table of deletions, as h_table() makes them. The main parts, of
# the stimuli and of each stratum of units, are added, and their interactions subtracted, because
# both main parts contain them. The result is never less than one of the main parts.
two_way_variance <- function(theta, loo) {
  parts <- two_way_products(theta, theta, loo)
  max(sum(parts$main) - sum(parts$interactions), parts$main)
}

two_way_products <- function(a, b, loo) {
  factor_n <- (loo$n - 1) / loo$n
  main <- factor_n * cross_deviation(a[-1, 1], b[-1, 1])
  interactions <- numeric()
  for (units in loo$layout$strata) {
    at <- 1 + units
    shrink <- if (length(units)) (length(units) - 1) / length(units) else 0
    main <- c(main, shrink * cross_deviation(a[1, at], b[1, at]))
    # those of estimates from trials vary about their mean, as in their reference values
    around <- if (isTRUE(loo$centered)) cross_deviation else function(a, b) sum(a * b)
    both <- around(deletion_interaction(a, at), deletion_interaction(b, at))
    interactions <- c(interactions, factor_n * shrink * both)
  }
  list(main = main, interactions = interactions)
}

# Degrees of freedom of a variance whose main parts are estimated apart (Satterthwaite).
two_way_df <- function(theta, variance, loo) {
  if (is.na(variance) || variance == 0) return(NA_real_)
  main <- two_way_products(theta, theta, loo)$main
  sizes <- c(loo$n, lengths(loo$layout$strata))
  variance^2 / sum((main^2 / (sizes - 1))[main > 0])
}

cross_deviation <- function(a, b) sum((a - mean(a)) * (b - mean(b)))

deletion_interaction <- function(a, at) {
  inner <- a[-1, at, drop = FALSE] - a[-1, 1]
  inner - rep(a[1, at] - a[1, 1], each = nrow(inner))
}

# Means and covariances of the three H values, for the bias of their ratio.
two_way_moments <- function(h, loo) {
  cov <- matrix(0, 3, 3)
  for (i in 1:3) {
    for (j in 1:i) {
      parts <- two_way_products(h[[i]], h[[j]], loo)
      net <- sum(parts$main) - sum(parts$interactions)
      # the estimated interactions may exceed the main parts, but a variance cannot be negative
      cov[i, j] <- cov[j, i] <- if (i == j) max(net, parts$main) else net
    }
  }
  list(mean = c(h$xy[1, 1], h$xx[1, 1], h$yy[1, 1]), cov = cov)
}
