# When is a corrected CKA not to be trusted? These functions warn of it, with class
# repalign_unstable.

# When the true CKA is 1 and neurons have equal gains, chance gave no value above this with so many
# stimuli and neurons on each side, but a third of the values with 30 stimuli and 10 neurons
# (bench/unstable.R). A value above it must have another cause, such as shared neurons without
# labels, or neurons of unequal gains, of which a few hold most of the variance.
far_above_one <- 1.5

enough_stimuli <- 60

enough_neurons <- 40

# With a larger standard error over stimuli and neurons, the value says little (bench/unstable.R).
unstable_error <- 0.2

# ---- the error of a single score

# The jackknife error of a corrected CKA over stimuli and neurons, as far as the warning needs it: 0
# where it is surely small, Inf where a deletion has no ratio. x, y: the self terms of both sides.
# The variance is at least its largest main part and at most the sum of them, and these are cheap;
# only between the two the interactions of stimuli and neurons must be known.
error_of_cka <- function(pair, x, y, args) {
  if (pair$x$n < 5) return(Inf)
  rough <- max(rough_error(pair$x, x, args$clusters), rough_error(pair$y, y, args$clusters))
  if (rough < calm_error) return(0)
  limit <- unstable_error^2
  # those of the means over trials are much alike, but where a neuron lacks a mean
  plain <- vapply(c("x", "y"), function(side) {
    !has_holes(pair[[side]]) && is.null(side_labels(pair[[side]], args, side))
  }, NA)
  if (is.null(args$clusters) && !args$shared_neurons && all(plain)) {
    main <- main_parts_of_cka(pair, complete_of_pair(pair, args))
    if (anyNA(main)) return(Inf)
    if (max(main) > limit || sum(main) <= limit) return(sqrt(max(main)))
  }
  # what does not fit into memory has many stimuli and neurons; neurons of several sessions, or with
  # few trials, have a score, but no such error
  table <- tryCatch(cka_table(pair, args, labelled_codes(args$clusters)),
                    repalign_error = function(e) NULL)
  if (is.null(table)) return(0)
  variance <- two_way_variance(table$values, table$loo)
  if (is.na(variance)) Inf else sqrt(variance)
}

# Below this, the rough error of a denominator was never that of a score with a jackknife error
# above `unstable_error` (bench/unstable.R): most larger data need no jackknife.
calm_error <- 0.1

# A rough relative error of a corrected self term h, from sizes alone. stimuli, neurons: the squared
# norms of the centred stimuli and of the neurons. In a Gaussian population of dimensionality g, the
# sampling of n stimuli and q neurons adds 8 / (g n) and 8 / (g q) to the squared error, by its
# moments of fourth order. That h is a mean of products of four responses adds 4 / n^2, 4 / q^2 and
# 4 g^2 / (n q)^2. Here n and q are effective numbers: a stimulus or a neuron that has most of the
# variance counts as if it were alone. g is estimated by the squared variance divided by h.
# rows: how many stimuli the norms of neurons go over, where `stimuli` holds clusters of them.
relative_error <- function(h, stimuli, neurons, rows = length(stimuli)) {
  variance <- sum(neurons) / ((rows - 1) * length(neurons))
  g <- variance^2 / h
  n <- effective_count(stimuli)
  q <- effective_count(neurons)
  sqrt(8 / g * (1 / n + 1 / q) + 4 * (1 / n^2 + 1 / q^2 + (g / (n * q))^2))
}

effective_count <- function(size) sum(size)^2 / sum(size^2)

# Do few neurons hold most of the variance of a side? When the effective number of neurons is below
# this share of their number, cka_interval() corrects the bias of the ratio (bench/ratio.R).
even_share <- 0.4

is_uneven <- function(pair) {
  share <- vapply(pair[c("x", "y")], function(repr) {
    repr <- without_holes(repr)
    if (!ncol(repr$data)) 1 else effective_count(form_linear(repr)$s) / ncol(repr$data)
  }, 0)
  min(share) < even_share
}

# Representations are judged by the neurons that have a mean response to every stimulus.
without_holes <- function(repr) {
  if (!has_holes(repr)) return(repr)
  repr$data <- known_columns(repr$data)
  repr$cache <- new_cache()
  repr
}

# A cluster counts as one stimulus, as if all of its stimuli were alike.
rough_error <- function(repr, h, clusters = NULL) {
  repr <- without_holes(repr)
  if (!ncol(repr$data)) return(Inf)
  # trials may have been scaled otherwise than their means
  value <- h$value * 2^(4 * (log2(form_centering(repr)$scale) - h$scale[1]))
  if (is.null(clusters)) {
    form <- form_linear(repr)
    return(relative_error(value, form$k, form$s))
  }
  codes <- labelled_codes(clusters)
  squares <- scaled_data(repr, TRUE)^2
  sizes <- drop(rowsum(rowSums(squares), codes)) / tabulate(codes)
  relative_error(value, sizes, colSums(squares), length(codes))
}

# The main parts of the jackknife variance of a corrected CKA without labels: over stimuli, and over
# the neurons of each side of which they are a sample. NA where a deletion has no ratio.
main_parts_of_cka <- function(pair, complete = c(x = FALSE, y = FALSE)) {
  x <- scaled_data(pair$x, TRUE)
  y <- scaled_data(pair$y, TRUE)
  xy <- .Call(C_deletion_terms, x, y)
  xx <- self_deletions(pair$x, x, complete[["x"]])
  yy <- self_deletions(pair$y, y, complete[["y"]])
  p <- ncol(x)
  q <- ncol(y)
  positive <- function(h) {
    h[!(h > 0)] <- NA
    h
  }
  part <- function(xy, xx, yy) {
    theta <- xy / sqrt(positive(xx)) / sqrt(positive(yy))
    m <- length(theta)
    (m - 1) / m * sum((theta - sum(theta) / m)^2)
  }
  total <- sum(xy$x)
  c(part(xy$stimuli / (p * q), xx$stimuli, yy$stimuli),
    if (!complete[["x"]]) part((total - xy$x) / ((p - 1) * q), xx$neurons, yy$value),
    if (!complete[["y"]]) part((total - xy$y) / (p * (q - 1)), xx$value, yy$neurons))
}

# The self term of centred data x: its value, and without each stimulus and each neuron. Pairs of a
# neuron with itself count only if all neurons are there. It is the same in all pairs of a grid.
self_deletions <- function(repr, x, complete) {
  remember(repr$cache, list("self terms without each", complete), {
    q <- ncol(x)
    sums <- .Call(C_deletion_terms, x, NULL)
    total <- sum(sums$x) - sum(sums$own)
    if (complete) list(value = sum(sums$x) / q^2, stimuli = sums$stimuli / q^2) else {
      list(value = total / (q * (q - 1)),
           stimuli = (sums$stimuli - sums$own_stimuli) / (q * (q - 1)),
           neurons = (total - 2 * (sums$x - sums$own)) / ((q - 1) * (q - 2)))
    }
  })
}

# ---- warnings

# Of the warning that a CKA or its error is undefined.
unstable_class <- function(args) {
  c(if (corrects_sample(args)) "repalign_unstable", "repalign_undefined")
}

warn_unstable <- function(value, pair, error, clusters = NULL, over = "stimuli and neurons") {
  widths <- c(ncol(pair$x$data), ncol(pair$y$data))
  count <- if (is.null(clusters)) pair$x$n else cluster_count(clusters)
  size <- paste0("with ", count, if (is.null(clusters)) " stimuli" else " clusters of stimuli",
                 " and ", paste(unique(widths), collapse = " and "), " neurons")
  far <- is_far_above_one(value, count, widths)
  nothing <- abs(value) > meaningless
  if (!far && !nothing && error <= unstable_error) return(invisible())
  shown <- format(value, digits = 3)
  text <- if (far) {
    paste0("The corrected CKA is ", shown, " ", size, ": so far above 1 that chance hardly ",
           "explains it", if (is_uneven(pair)) {
             ", unless few neurons hold most of the variance, as they do here"
           }, ". ", causes_of_high_values(pair$x$arg, pair$y$arg, also = is_uneven(pair)))
  } else {
    paste0("The corrected CKA (", shown, " ", size, ") is uncertain: ",
           if (error <= unstable_error) "its error is no guide." else if (is.finite(error)) {
             paste0("its standard error over ", over, " is about ", format(error, digits = 2),
                    " or more.")
           } else if (pair$x$n < 5) "its error cannot be known." else
             "without some stimulus or neuron it is undefined.",
           " ", cause_of_instability(pair[c("x", "y")]),
           if (value > 1) paste0(" ", causes_of_high_values(pair$x$arg, pair$y$arg, also = TRUE)))
  }
  if (nothing) text <- paste(text, "A CKA beyond 2 in size means nothing.")
  warn("unstable", "{text}", data = c(cka = value, error = error))
}

# What a column that was told of does to a ratio, or equal dimensions, or else few neurons and
# stimuli.
cause_of_instability <- function(reprs) {
  if (any(lengths(lapply(reprs, odd_in)) > 0)) {
    return("A single column or value outweighs all others, as was told.")
  }
  white <- Filter(is_white, reprs)
  if (!length(white)) {
    return(paste("There are too few neurons or stimuli for a single ratio: pool over splits,",
                 "trials or subsets."))
  }
  paste0("The dimensions of ", enumerate(paste0("`", unique(args_of(white)), "`"), 3, FALSE),
         " have nearly equal variances (white features: whitened ones, or noise), and are more ",
         "than these stimuli and neurons can tell from chance: the score divides by what is ",
         "left. Take features before they are whitened, or many more stimuli.")
}

# With g equal dimensions, the participation ratio of n stimuli and q neurons is near
# 1 / (1 / g + 1 / n + 1 / q): is g so large that it hardly counts? Small data tell nothing of it.
is_white <- function(repr) {
  repr <- without_holes(repr)
  if (repr$kind != "data" || min(dim(repr$data)) < 20) return(FALSE)
  x <- scaled_data(repr, TRUE)
  products <- if (nrow(x) < ncol(x)) tcrossprod(x) else crossprod(x)
  isTRUE(sum(x^2)^2 / sum(products^2) * (1 / (nrow(x) - 1) + 1 / ncol(x)) > 0.8)
}

is_far_above_one <- function(value, count, widths) {
  value > far_above_one && count >= enough_stimuli && all(widths >= enough_neurons)
}

causes_of_high_values <- function(x, y, also = FALSE) {
  paste0(if (also) "Values above 1 also come" else "Such values come",
         " from neurons that are on both sides under different names, and from noise that `", x,
         "` and `", y, "` share: name neurons, sessions or electrodes by responses(), or by ",
         "`units_x` and `units_y` of cka().")
}

# rows: a list with what cka_interval() computed for each estimator.
warn_unstable_intervals <- function(pair, rows, clusters = NULL) {
  for (row in rows) {
    if (!corrects_sample(row$args) || is.na(row$value)) next
    # that deletions have no ratio was said before
    error <- if (is.na(row$error)) 0 else row$error
    # an interval above 1 was told with those of all calls
    if (!isTRUE(row$values$conf_low > 1)) warn_unstable(row$value, pair, error, clusters)
  }
}

# One warning for all intervals of a call. rows: from interval_rows(), the measures of the first
# pair first. inspected: was each score looked at by warn_unstable()? What that told is left out.
warn_intervals_above <- function(task, rows, inspected) {
  corrected <- vapply(task$set, function(measure) {
    identical(measure$id, "cka") && corrects_sample(measure$args)
  }, NA)
  pair_of <- function(row) (row - 1) %/% length(task$set) + 1
  was_told <- function(row) {
    pair <- pair_of(row)
    widths <- c(ncol(task$sides$x$reprs[[task$pairs$i[pair]]]$data),
                ncol(task$sides$y$reprs[[task$pairs$j[pair]]]$data))
    rows$se[row] > unstable_error || is_far_above_one(rows$score[row], task$n, widths)
  }
  at <- which(rep(corrected, length.out = nrow(rows)) & rows$conf_low > 1)
  if (inspected) at <- Filter(Negate(was_told), at)
  if (!length(at)) return(invisible())
  pair <- pair_of(at)
  # the scores of subjects are of all of them together
  x <- if (task$settings$subjects) rep("x", length(at)) else
    args_of(task$sides$x$reprs[task$pairs$i[pair]])
  y <- args_of(task$sides$y$reprs[task$pairs$j[pair]])
  limits <- paste0(" (", vapply(rows$conf_low[at], format, "", digits = 3), " to ",
                   vapply(rows$conf_high[at], format, "", digits = 3), ")")
  one <- length(at) == 1
  warn("unstable", "The interval{if (!one) 's'} of the corrected CKA of ",
       enumerate(paste0("`", x, "` and `", y, "`", limits), 6, quote = FALSE),
       " lie{if (one) 's'} wholly above 1. {causes_of_high_values(x[1], y[1])}",
       if (any(rows$se[at] > unstable_error)) " Or there are too few neurons or stimuli." else
         if (!any(task$settings$neurons)) {
           " Or these neurons are not typical: intervals over stimuli alone do not cover that."
         }, data = rows$score[at])
}

# Warns about pooled values of an analysis. stimuli: their number, or NULL when the rows of the data
# are not stimuli. The intervals of analyses cover the sampling of stimuli only. When the true CKA
# is 1, they lie wholly above 1 in 5 to 33% of the data sets (bench/unstable.R). The sampling of q
# neurons adds a standard error of about 1 / sqrt(q). No value came out above 1 by more than twice
# that, which is why the warning asks for it, too, but not of layers: no layer is a copy of a brain,
# and intervals above 1 are told as by score_interval(). A value far above 1 whose error is large,
# or undefined because a deletion has no ratio, is told whatever the sizes.
# with_errors: were errors asked for? of_layers: are the rows those of brain_to_model()? of_objects:
# of object_disentanglement(), whose sides are the same neurons?
warn_unstable_rows <- function(result, stimuli, with_errors, of_layers, of_objects = FALSE) {
  above <- !is.na(result$conf_low) & result$conf_low > 1 &
    result$pooled > 1 + if (of_layers) 0 else 2 / sqrt(result$neurons)
  enough <- result$neurons >= enough_neurons & isTRUE(stimuli >= enough_stimuli)
  wild <- with_errors & !(result$pooled_se <= unstable_error & !is.na(result$pooled_se))
  beyond <- !is.na(result$pooled) & abs(result$pooled) > meaningless
  far <- beyond | !is.na(result$pooled) & result$pooled > far_above_one & (enough | wild)
  at <- which(result$estimator == "stimulus_neuron" & (above | far))
  if (!length(at)) return(invisible())
  shown <- at[which.max(result$neurons[at])]
  first <- result[shown, ]
  warn("unstable", "{length(at)} of {sum(result$estimator == 'stimulus_neuron')} corrected values ",
       "are ",
       if (all(beyond[at])) "beyond 2 in size, and mean nothing" else
         if (all(wild[at])) "far above 1" else "above 1 by more than these stimuli explain",
       ": {first$x} and {first$y} with {first$neurons} neurons are at ",
       "{format(first$pooled, digits = 3)}{if (wild[shown]) ', which is uncertain'}",
       if (!is.na(first$conf_low)) {
         paste0(" (", format(first$conf_low, digits = 3), " to ",
                format(first$conf_high, digits = 3), ")")
       }, ". Such values come from ", if (of_objects) "too few neurons or images." else
         paste("neurons that are on both sides under different names, from noise that both sides",
               "share (name neurons, sessions or electrodes in the labels of units), or from too",
               "few neurons or stimuli."), data = result$pooled[at])
}
