# participation_ratio() and its jackknife.

#' @include result-class.R
NULL

declare_result(
  "repalign_dimension", from = "participation_ratio", words = "participation ratios",
  columns = described_columns(
    column("naive", "the dimensionality of the data", shown = 6),
    column("stimulus", "that corrected for few stimuli", shown = 5),
    column("stimulus_neuron", "that corrected for few stimuli and neurons", shown = 1,
           tidy = "estimate"),
    column("psi_stimuli", "how evenly stimuli drive the population", shown = 7),
    column("psi_neurons", "how even the variances of the neurons are", shown = 8),
    column("rho", "how even the sizes of the entries are", shown = 9),
    column("naive_se", "the standard error", always = FALSE),
    column("naive_low", "the lower limit of the interval", always = FALSE),
    column("naive_high", "the upper limit of the interval", always = FALSE),
    column("stimulus_se", "the standard error", always = FALSE),
    column("stimulus_low", "the lower limit of the interval", always = FALSE),
    column("stimulus_high", "the upper limit of the interval", always = FALSE),
    column("stimulus_neuron_se", "the standard error", shown = 2, tidy = "std.error",
           always = FALSE),
    column("stimulus_neuron_low", "the lower limit of the interval", shown = 3, tidy = "conf.low",
           always = FALSE),
    column("stimulus_neuron_high", "the upper limit of the interval", shown = 4,
           tidy = "conf.high", always = FALSE)
  ),
  kept = list(conf_level = one_level),
  heading = function(x, digits) {
    level <- attr(x, "conf_level")
    paste0("Participation ratios: ", count_of(nrow(x), "row"),
           if (!is.null(level)) paste0(", ", format(100 * level), "% intervals"))
  },
  term = function(rows) rep("stimulus_neuron", nrow(rows)),
  sentence = function(x) {
    need_columns(x, c("naive", "stimulus_neuron"), "told", "result")
    vapply(seq_len(nrow(x)), function(row) {
      if (is.na(x$stimulus_neuron[row])) {
        return(paste0("The participation ratio corrected for few stimuli and neurons is undefined ",
                      "(NA); that of the data is ", number_word(x$naive[row]), "."))
      }
      text <- with_limits_words(x$stimulus_neuron[row], x$stimulus_neuron_low[row],
                                x$stimulus_neuron_high[row])
      paste0("The participation ratio corrected for few stimuli and neurons was ", text[["score"]],
             brackets(if (!is.null(x$stimulus_neuron_low)) {
               interval_phrase(text[-1], attr(x, "conf_level"), "stimuli and neurons")
             }), if (x$stimulus_neuron[row] < 0) ", which means nothing",
             "; that of the data as they are was ", number_word(x$naive[row]), ".")
    }, "")
  }
)

#' Participation ratios: how many dimensions, stimuli and neurons count
#'
#' How many dimensions a representation has, and how evenly its variance is spread over stimuli and
#' neurons.
#'
#' @param x a representation (stimuli x neurons), an array stimuli x neurons x trials, such as
#'   [trial_array()] makes, or [responses()]. From several trials, noise is left out of the
#'   corrected dimensionalities.
#' @param y the same stimuli and neurons in a second trial, when `x` is one trial.
#' @param units one label per neuron, as `units_x` of [cka()], for `stimulus_neuron`.
#' @param conf_level coverage of the intervals; `NULL`: none.
#' @param na see [similarity()].
#' @param ... not used.
#' @return A data frame with one row. Three columns are dimensionalities (effective numbers of
#'   dimensions): `naive`; `stimulus`, corrected for few stimuli; `stimulus_neuron`, corrected for
#'   few stimuli and few neurons. Three are ratios in (0, 1\], without a correction: `psi_stimuli`,
#'   1 when all stimuli drive the population equally strongly; `psi_neurons`, 1 when all neurons
#'   have the same variance; and `rho`, 1 when all centred entries have the same size. With
#'   `conf_level`, each dimensionality also has its standard error and interval: `naive_se`,
#'   `naive_low`, `naive_high`; `stimulus_se`, `stimulus_low`, `stimulus_high`; and
#'   `stimulus_neuron_se`, `stimulus_neuron_low`, `stimulus_neuron_high`.
#' @details
#' The dimensionality of a covariance matrix with eigenvalues lambda is `sum(lambda)^2 /
#' sum(lambda^2)`. It is d when d dimensions have the same variance and the others none; the naive
#' value is too low when stimuli or neurons are few.
#'
#' With several trials, noise drops out, also where neurons share it; with runs, also what a run
#' adds to all stimuli. A stimulus is left out, with a message, when any neuron lacks a second trial
#' of it. In `naive` and the ratios noise remains.
#'
#' Intervals of `naive` and `stimulus` do not cover their bias. With neurons of very unequal gains
#' `stimulus_neuron` is 3% to 21% too high. At least 4 stimuli are needed, 5 for intervals, and 2
#' neurons for `stimulus_neuron`.
#'
#' When not to trust it: with one trial, the noise counts as part of the representation. Noise that
#' outlasts a trial (drifts) does not drop out. The corrected dimensionalities are `NA`, with a
#' warning of class `repalign_undefined`, when their denominator is not positive, may be
#' negative, and scatter widely when it is near 0: a warning of class `repalign_unstable` points out
#' negative values, and those above an eighth of the number of stimuli times that of neurons.
#' Stimuli that depend on each other make the values too low and the intervals too narrow (see
#' [dependence]), and so do neurons that do, without `units`.
#' @references Chun et al. (2026), ICLR, \doi{10.48550/arXiv.2509.26560} (dimensionality). Chun et
#'   al. (2025), \doi{10.48550/arXiv.2502.15104}, appendix B (the ratios).
#' @examples
#' # 40 neurons from a population with 100 equal dimensions
#' set.seed(1)
#' population <- linear_population(n = 200, q = 40, d = 100)
#' participation_ratio(population$x, conf_level = 0.95)
#' # single trials of V4: what is noise is left out
#' participation_ratio(macaque_v4$trials[1:200, , 1:2])
#' @export
participation_ratio <- function(x, y = NULL, units = NULL, conf_level = NULL,
                                na = c("error", "stimuli", "neurons"), ...) {
  need_arguments()
  if (!is.null(conf_level)) {
    conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  }
  sample <- open_dimension(x, y, units, !is.null(conf_level), na)
  repr <- sample$repr
  layout <- neuron_layout(repr$columns$units, ncol(repr$data), isTRUE(repr$responses$complete))
  tables <- if (!is.null(conf_level)) {
    n <- as.double(repr$n)
    q <- ncol(repr$data)
    events <- if (is.null(sample$trials)) 1 else sample$trials$events
    dense <- if (isTRUE(sample$trials$runs)) 3 * n^2 else 3 * min(n, q)^2
    check_memory(8 * (30 * n * q + 4 * n * events * q + dense), "The jackknife",
                 "Fewer stimuli or neurons need less; without `conf_level` none is made.")
    deletion_tables(sample, layout)
  }
  f <- form_linear(repr)
  entries <- as.double(f$n) * f$d
  spread <- list(psi_stimuli = mean(f$k)^2 / mean(f$k^2), psi_neurons = mean(f$s)^2 / mean(f$s^2),
                 rho = (sum(f$s) / entries)^2 / (sum(f$f) / entries))
  result <- data.frame(dimensionalities(sample, layout, is.null(repr$columns$units)), spread)
  if (!is.null(conf_level)) {
    loo <- list(n = length(tables$h$naive$total) - 1, layout = layout)
    # one for each deleted stimulus: without one that dominates, all values are much smaller
    floor <- rounding_share * tables$h$naive$total / tables$h$pairs$total
    intervals <- lapply(estimators, function(estimator) {
      h <- h_table(tables$h, layout$of(estimator))
      ratio <- h_table(tables$numerator, layout$of(estimator)) / h
      ratio[is.na(h) | h <= floor] <- NA
      if (!length(layout$strata)) ratio <- ratio[, 1, drop = FALSE]
      undefined <- sum(is.na(ratio[-1]))
      warn_if(undefined > 0 && !is.na(ratio[[1]]), "undefined", "The standard error of the ",
              "dimensionality {quoted(estimator)} is undefined (NA): {undefined} of its ",
              "delete-one values have a denominator that is not positive, or no pair of neurons. ",
              "There are too few stimuli, neurons or units.")
      variance <- two_way_variance(ratio, loo)
      half <- stats::qt(0.5 + conf_level / 2, two_way_df(ratio, variance, loo)) * sqrt(variance)
      stats::setNames(list(sqrt(variance), ratio[[1]] - half, ratio[[1]] + half),
                      paste0(estimator, c("_se", "_low", "_high")))
    })
    result <- data.frame(result, do.call(c, intervals))
  }
  new_result(result, "repalign_dimension", list(conf_level = conf_level))
}

# Which columns belong to each unit; without labels each neuron is one. Where the columns are all
# neurons that there are (complete), none of them is left out or deleted.
neuron_layout <- function(units, q, complete = FALSE) {
  labels <- if (is.null(units)) seq_len(q) else units
  unit <- match(labels, unique(labels))
  count <- max(unit)
  list(labels = labels, unit = unit, x = unit, count = count,
       strata = if (!complete) list(seq_len(count)), left_out = excluded_pairs(unit, unit),
       complete = c(x = FALSE), of = function(estimator) {
         if (complete) sub("_neuron", "", estimator, fixed = TRUE) else estimator
       })
}

# list(naive, stimulus, stimulus_neuron), NA with a warning where a denominator is not positive.
dimensionalities <- function(sample, layout, unlabelled) {
  form <- form_linear(sample$repr)
  naive <- self_h(sample$repr, list(kernel = "linear", estimator = "naive"), NULL)
  result <- list(naive = (sum(form$k) / form$d / form$n)^2 / naive$value, stimulus = NA_real_,
                 stimulus_neuron = NA_real_)
  single <- form$d == 1 && unlabelled && length(layout$strata)
  warn_if(single, "undefined", "`{sample$repr$arg}` has a single neuron (column): the ",
          "neuron-corrected dimensionality is undefined (NA).")
  for (e in c("stimulus", if (!single) "stimulus_neuron")) {
    parts <- dimension_parts(sample, layout, e)
    positive <- is_positive(parts$h)
    if (positive) result[[e]] <- parts$numerator / parts$h$value
    warn_if(!positive, "undefined", "A corrected dimensionality is undefined (NA): the H value of ",
            "`{sample$repr$arg}` with itself is not positive. There are too few stimuli or ",
            "neurons.")
    warn_if(isTRUE(result[[e]] < 0), "unstable", "The dimensionality corrected by {quoted(e)} is ",
            "negative ({number_word(result[[e]])}), which means nothing: without noise there is ",
            "next to no variance, or there are too few stimuli or trials.")
    # without any dimension that neurons share, chance gives 1 / dimensionality a standard deviation
    # of 2 / (stimuli x neurons)
    warn_if(isTRUE(result[[e]] > form$n * form$d / 8), "unstable", "The dimensionality corrected ",
            "by {quoted(e)} is {number_word(result[[e]])}, above an eighth of stimuli times ",
            "neurons ({form$n} x {form$d}): its denominator is so near 0 that chance may make it ",
            "many times too large. All it says is that there are too many dimensions for these ",
            "data.")
  }
  result
}

# Both parts of a corrected dimensionality, as means over the allowed pairs of neurons:
# numerator, an unbiased estimate of C_aa C_bb; h, that of C_ab^2 as pair_h() gives it. Data are
# times a power of two, which drops out of the ratio.
dimension_parts <- function(sample, layout, estimator) {
  estimator <- layout$of(estimator)
  neurons <- corrections[[estimator]]$neurons
  labels <- if (neurons) layout$labels
  pair <- self_pair(sample$repr)
  if (!is.null(labels) && layout$count == 1) no_allowed_pair(pair, TRUE)
  if (is.null(sample$trials)) {
    # The mean of C_aa C_bb over all pairs of neurons, or without the pairs of equal labels. All
    # that is needed are the sums that the H value is made of, too: no matrix of stimuli or of
    # neurons.
    totals <- linear_totals(pair)
    sum <- variance_sum(totals)
    count <- totals$pairs
    if (neurons) {
      sum <- sum - excluded_sum(pair, layout$left_out, TRUE, variance_sum)
      count <- count - layout$left_out$count
    }
    args <- with_estimator(list(kernel = "linear"), estimator)
    return(list(numerator = sum / count, h = self_h(sample$repr, args, labels)))
  }
  left_out <- if (neurons) layout$left_out
  count <- as.double(ncol(sample$trials$x))^2 - if (neurons) left_out$count else 0
  h <- sum_of_allowed(sample$trials, left_out)
  variance <- if (sample$trials$runs) {
    table <- run_variance_sums(sample$trials, layout)
    table$total[1] - if (neurons) sum(table$within[1, ]) else 0
  } else {
    moments <- sample_moments(sample)
    all <- trial_variance(moments)
    if (neurons) {
      single <- some_neurons(moments, left_out$x)
      blocks <- vapply(left_out$blocks, function(block) {
        trial_variance(some_neurons(moments, block$x))
      }, 0)
      # the same for each neuron alone, whose kernel has the squares |m_a|^4
      squares <- single$means^2
      all <- all - sum(variance_from_traces(single$p, squares, colSums(squares)^2)) - sum(blocks)
    }
    all
  }
  list(numerator = variance / count,
       h = list(value = h / count, magnitude = trial_magnitude(sample$trials) / count))
}

# Products over different neurons and different stimuli, added up over all pairs of neurons. With
# D_ij the squared distance of stimuli i and j, (D_ij D_kl) / 4 over four different stimuli is the
# unbiased estimate of the squared total variance. Its sum over stimuli, written with the centred
# kernel K: norm_products is (trace K)^2, square_products the sum of K_ii^2, and cross_squares that
# of K_ij^2.
variance_sum <- function(totals) {
  n <- as.double(totals$n)
  ((n^2 - 3 * n + 1) * totals$norm_products - n * (n - 1) * totals$square_products +
     2 * totals$cross_squares) / falling(n, 4)
}

# ---- deletions

# Delete-one standard errors of dimensionalities, over stimuli and units.

# Numerators and H values with each stimulus (or cluster), each unit and both deleted, in the form
# that h_table() reads: sums over all pairs of neurons (n + 1 rows: nothing deleted, then each
# stimulus deleted), over the pairs that a unit takes part in, and over those within it.
deletion_tables <- function(sample, layout) {
  means <- centered_data(sample$repr)
  h <- self_sums(means, "x", layout, sample$codes)
  trials <- sample$trials
  if (!is.null(trials)) {
    # the naive values are in the units of the means
    factor <- 2^(4 * log2(form_centering(sample$repr)$scale) - 2 * sum(trials$scale))
    sums <- trial_cross_sums(trials, layout$unit, layout$unit, layout$count)$stimulus
    h$stimulus <- lapply(sums, `*`, factor)
  }
  corrected <- if (isTRUE(trials$runs)) {
    run_variance_sums(trials, layout)
  } else {
    moments <- sample_moments(sample)
    result <- variance_sums(moments, layout)
    # a unit that holds nearly all of the variance is really deleted: subtraction would cancel too
    # many digits
    for (i in dominant_units(moments$means, seq_len(nrow(moments$means)))) {
      without <- lapply(moments, function(values) values[-i, , drop = FALSE])
      left <- variance_sums(shift_moments(without), layout)
      result$total[i + 1] <- left$total[1]
      for (part in c("unit", "within")) result[[part]][i + 1, ] <- left[[part]][1, ]
    }
    result
  }
  if (!is.null(trials)) corrected <- lapply(corrected, `*`, factor)
  # (sum of the variances)^2 of the naive estimator. Without s of n stimuli, a centred sum of
  # squares loses their squares, and the square of their sum over n - s.
  n <- nrow(means)
  codes <- if (is.null(sample$codes)) seq_len(n) else sample$codes
  kept <- n - tabulate(codes)
  lost <- rowsum(means^2, codes) + rowsum(means, codes)^2 / kept
  trace <- function(lost, sums) rbind(sums / n, (rep(sums, each = nrow(lost)) - lost) / kept)
  squares <- colSums(means^2)
  by_unit <- function(values) sum_by_unit(values, layout$unit, layout$count)
  total <- as.vector(trace(cbind(rowSums(lost)), sum(squares)))
  unit <- unname(trace(by_unit(lost), drop(by_unit(matrix(squares, 1)))))
  naive <- list(total = total^2, unit = 2 * total * unit - unit^2, within = unit^2)
  list(numerator = list(naive = naive, stimulus = corrected, pairs = h$pairs), h = h)
}

# Sums of C_aa C_bb over the same pairs. They are quadratic in the squared distances D of the
# stimuli, which add up over units: the pairs that unit g takes part in have 2 A(D, D_g) - A(D_g),
# where A(D, E) is the sum of D_ij E_kl / 4 over tuples of four different stimuli.
variance_sums <- function(moments, layout) {
  p <- moments$p
  squares <- moments$means^2
  by_unit <- function(values) sum_by_unit(values, layout$unit, layout$count)
  all <- distances(cbind(rowSums(p)), cbind(rowSums(squares)))
  each <- distances(by_unit(p), by_unit(squares))
  products <- through(moments$means, moments$means, moments$means)
  total <- tuple_table(all, all, whole_kernel(moments$means, all, products))
  within <- matrix(0, nrow(p) + 1, layout$count)
  at <- layout$left_out$x
  if (length(at)) {
    m <- moments$means[, at, drop = FALSE]
    alone <- distances(p[, at, drop = FALSE], m^2)
    # D and E alike, of each neuron alone
    of_each <- function(values) m * rep(colSums(m * values), each = nrow(m))
    k_p <- of_each(alone$p)
    k_noise <- of_each(alone$noise)
    kernel <- list(k_p = k_p, k_noise = k_noise, l_p = k_p, l_noise = k_noise,
                   both = m^2 * rep(colSums(m^2), each = nrow(m)))
    within[, layout$unit[at]] <- tuple_table(alone, alone, kernel)
  }
  for (block in layout$left_out$blocks) {
    m <- moments$means[, block$x, drop = FALSE]
    inside <- distances(cbind(rowSums(p[, block$x, drop = FALSE])), cbind(rowSums(m^2)))
    kernel <- whole_kernel(m, inside, through(m, m, m))
    within[, layout$unit[block$x[1]]] <- tuple_table(inside, inside, kernel)
  }
  repeated <- lapply(all, function(values) values[, rep(1, layout$count), drop = FALSE])
  # D of all neurons, E of each unit
  m <- moments$means
  of_unit <- function(values) by_unit(m * rep(crossprod(m, values), each = nrow(m)))
  kernel <- list(k_p = through(m, m, each$p), k_noise = through(m, m, each$noise),
                 l_p = of_unit(all$p), l_noise = of_unit(all$noise), both = by_unit(m * products))
  cross <- tuple_table(repeated, each, kernel)
  list(total = as.vector(total), unit = 2 * cross - within, within = within)
}

# Squared distances D_ij = p_i + p_j - 2 K_ij of sets of neurons, one a column, of which only sums
# are ever made: p, the traces of P_i; noise, p_i - K_ii, for which the diagonal of D has to be set
# to 0; rows, the sums of D_ij over j. Kernels K are those of centred means: their rows add up to 0.
distances <- function(p, k) {
  noise <- p - k
  rows <- nrow(p) * p + rep(colSums(p), each = nrow(p)) - 2 * noise
  list(p = p, noise = noise, rows = rows)
}

# What tuple_table() needs of the kernels K of D and L of E:
#   k_p, k_noise  K times p and noise of E      l_p, l_noise  L times p and noise of D
#   both          the sums over j of K_ij L_ij
# D and E alike, of the neurons m; products: their kernel times m.
whole_kernel <- function(m, d, products) {
  p <- through(m, m, d$p)
  noise <- through(m, m, d$noise)
  list(k_p = p, k_noise = noise, l_p = p, l_noise = noise, both = cbind(rowSums(m * products)))
}

# A(D, E) for each pair of columns, nothing deleted in the first row, then each stimulus. Over
# tuples of different stimuli it is (sum D sum E - 4 r'e + 2 sum D_ij E_ij) / (4 (n)_4) with row
# sums r and e. Without stimulus i, the row sums lose D_ij and E_ij.
tuple_table <- function(d, e, kernels) {
  n <- as.double(nrow(d$p))
  every <- function(values) rep(values, each = nrow(d$p))
  times <- function(a, v, kernel_v) {
    a$p * every(colSums(v)) + every(colSums(a$p * v)) - 2 * kernel_v - 2 * a$noise * v
  }
  # kernels do not see constants
  d_rows <- times(d, e$rows, n * kernels$k_p - 2 * kernels$k_noise)
  e_rows <- times(e, d$rows, n * kernels$l_p - 2 * kernels$l_noise)
  both <- n * d$p * e$p + d$p * every(colSums(e$p)) + every(colSums(d$p)) * e$p +
    every(colSums(d$p * e$p)) - 2 * kernels$l_p - 2 * kernels$k_p + 4 * kernels$both -
    4 * d$noise * e$noise
  sums <- list(d = colSums(d$rows), e = colSums(e$rows), rows = colSums(d$rows * e$rows),
               both = colSums(both))
  whole <- (sums$d * sums$e - 4 * sums$rows + 2 * sums$both) / (4 * falling(n, 4))
  left <- (every(sums$d) - 2 * d$rows) * (every(sums$e) - 2 * e$rows) -
    4 * (every(sums$rows) - d$rows * e$rows - d_rows - e_rows + both) +
    2 * (every(sums$both) - 2 * both)
  rbind(whole, left / (4 * falling(n - 1, 4)), deparse.level = 0)
}
