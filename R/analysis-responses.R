# What analyses take from responses objects: clusters, labels of neurons, and the estimates that are
# corrected for trials.

# What this estimator is made of are products of different trials.
trial_estimator <- "stimulus_neuron_trial"

# default: did the user leave the choice to the function?
analysis_estimators <- function(estimator, default, objects, by_trials) {
  several <- any(vapply(objects, function(x) dim(x)[3] > 1, NA))
  if (default) return(c(estimators, if (by_trials && several) trial_estimator))
  check_choice(estimator, c(estimators, if (by_trials) trial_estimator), "estimator",
               several = TRUE)
  if (trial_estimator %in% estimator && !several) {
    abort("estimator = \"stimulus_neuron_trial\" needs at least two trials of the stimuli: give the ",
          "data as responses(), which says what is a trial.", class = "repalign_error_choice",
          arg = "estimator")
  }
  estimator
}

analysis_clusters <- function(clusters, objects) {
  reprs <- Map(function(x, arg) list(responses = x, arg = arg), objects, names(objects))
  codes <- declared_clusters(reprs)
  refuse_second_clusters(clusters, codes)
  if (is.null(codes)) cluster_codes(clusters) else codes
}

# For note_unused_units(): the correction by trials uses labels, too.
unit_users <- function(setup) c(setup$estimator, if (setup$by_trials) "stimulus_neuron")

# Settings with `units`, labels of the neurons of each matrix: what the user gave in units, or what
# its object declares. Where only some matrices have labels, the neurons of the others have labels
# of their own; NULL where none has. Labels that the user gives of an object name its neurons.
# args: the arguments that hold the labels of each.
take_units <- function(setup, data, units, args) {
  for (name in names(setup$objects)) {
    labels <- units_of_object(setup$objects[[name]])
    if (is.null(labels)) {
      setup$objects[[name]]["neuron"] <- list(units[[name]])
    } else {
      refuse_second_units(units[[name]], setup$objects[[name]], args[[name]], name)
      units[[name]] <- labels
    }
  }
  missing <- names(data)[vapply(names(data), function(name) is.null(units[[name]]), NA)]
  if (length(missing) < length(data)) {
    for (name in missing) units[[name]] <- own_labels(ncol(data[[name]]), name)
    setup$units <- units[names(data)]
  }
  setup
}

refuse_second_units <- function(units, object, arg, name) {
  if (is.null(units)) return(invisible())
  abort("`", arg, "` is given, but `", name, "` declares its ",
        if (is.null(object$session)) "neurons" else "sessions",
        " already: leave out one of the two.", class = "repalign_error_choice", arg = arg)
}

# Labels that no other data have.
own_labels <- function(width, name) paste0(name, "\r", seq_len(width))

# Columns with equal labels may share noise, or are one neuron.
units_of_object <- function(x) {
  if (is.null(x$session)) return(x$neuron)
  if (is.null(x$neuron) || !anyDuplicated(x$neuron)) return(x$session)
  joined_labels(x$session, x$neuron)
}

# The smallest groups that hold all columns of equal labels of either kind.
joined_labels <- function(a, b) {
  group <- match(a, unique(a))
  repeat {
    before <- group
    group <- stats::ave(group, b, FUN = min)
    group <- stats::ave(group, a, FUN = min)
    if (identical(group, before)) return(a[match(group, match(a, unique(a)))])
  }
}

# The objects with the stimuli and neurons that were kept, their values normalised as the data are.
# given: from clustered_responses().
analysis_objects <- function(setup, given) {
  Map(function(x, name) {
    x <- cut_responses(x, given$kept, given$columns[[name]])
    if (setup$normalize == "none") return(x)
    sd <- neuron_sd(as.matrix(x))
    size <- dim(x)
    x$values <- x$values / rep(rep(sd, each = size[1]), size[3])
    x
  }, setup$objects, names(setup$objects))
}

# What trial_sample() takes of a side. x: its means over trials, not centred.
trial_side <- function(object, x, arg) {
  repr <- list(kind = "data", data = x, n = nrow(x), arg = arg, cache = new_cache())
  repr$responses <- object
  repr
}

part_of_side_trials <- function(object, x, columns, arg) {
  part <- if (!is.null(object)) cut_responses(object, TRUE, columns)
  trial_side(part, x[, columns, drop = FALSE], arg)
}

# A comparison with what its correction by trials needs: the sides, and codes of the neurons, of
# which no neuron is multiplied with itself.
compare_trials <- function(comparison, sides, scale, setup) {
  if (!setup$by_trials) return(comparison)
  identity <- lapply(sides, function(side) {
    label <- side$responses$neuron
    if (is.null(label)) own_labels(ncol(side$data), side$arg) else label
  })
  codes <- new_comparison(comparison$names, comparison$x, comparison$y, identity, NULL, NULL)$codes
  comparison$trials <- list(sides = sides, codes = codes, scale = scale)
  comparison
}

# By part the sample, the values of all neuron pairs in the units of the comparison (NA where too
# few stimuli have trials), and the codes.
trial_terms_of <- function(comparison, setup) {
  given <- comparison$trials
  same <- identical(given$sides$x$cache, given$sides$y$cache)
  part <- function(name, at) {
    sides <- given$sides[at]
    sample <- trial_sample(sides[[1]], sides[[2]], NULL, setup$clusters)
    exponent <- 2 * (sum(log2(given$scale[match(at, c("x", "y"))])) - sum(sample$scale))
    h <- trial_terms(sample) * 2^exponent
    list(sample = sample, factor = 2^exponent, h = ifelse(is.nan(h), 0, h),
         mask = if (anyNA(h)) 1 * !is.na(h), codes = given$codes[[name]])
  }
  parts <- list(xx = part("xx", c("x", "x")))
  parts$yy <- if (same) parts$xx else part("yy", c("y", "y"))
  parts$xy <- if (same) parts$xx else part("xy", c("x", "y"))
  parts
}

# The H value of each choice of subsets; a, b: the members of both sides. naive: the naive values of
# all neuron pairs, which tell what is rounding.
trial_subset_h <- function(part, a, b, naive) {
  sums <- subset_sums(part$h, a, b)
  if (!is.null(part$codes)) {
    sums <- sums - .Call(C_excluded_sums, part$h, a, b, part$codes$x, part$codes$y,
                         part$codes$count)$sum
  }
  count <- subset_counts(a, b, dim(part$h), part$codes, part$mask)$allowed
  sums <- drop_rounding(sums, subset_sums(naive, a, b))
  ifelse(count > 0, sums / count, NA_real_)
}

# The pooled H value of nothing deleted, then of each stimulus or cluster deleted.
weighted_deletions <- function(part, a, b, used) {
  size <- dim(part$h)
  count <- subset_counts(a, b, size, part$codes, part$mask)
  weights <- pooled_weights(a, b, size, count, part$codes, used, part$mask)
  if (is.null(weights$allowed)) {
    weights$allowed <- weights$all * weights$share
    weights$allowed[weights$excluded] <- 0
  }
  trial_weighted(part$sample, weights$allowed) * part$factor
}

# The cell of one comparison at one number of neurons.
trial_size_cell <- function(comparison, parts, terms, members, size, setup) {
  single <- vapply(names(part_sides), function(name) {
    at <- part_sides[[name]]
    trial_subset_h(parts[[name]], members[[at[1]]], members[[at[2]]], terms[[name]]$naive)
  }, numeric(ncol(members$a)))
  single <- matrix(single, ncol = 3)
  list(names = comparison$names, neurons = size, estimator = trial_estimator, single = single,
       deletions = if (!is.null(setup$conf_level)) {
         trial_size_deletions(comparison, parts, members, stats::complete.cases(single))
       }, exchangeable = comparison$exchangeable)
}

trial_size_deletions <- function(comparison, parts, members, used) {
  a <- members$a
  b <- members$b
  xy <- weighted_deletions(parts$xy, a, b, used)
  if (comparison$exchangeable) {
    both <- cbind(a, b)
    self <- weighted_deletions(parts$xx, both, both, c(used, used))
    return(cbind(xy, self, self, deparse.level = 0))
  }
  cbind(xy, weighted_deletions(parts$xx, a, a, used), weighted_deletions(parts$yy, b, b, used),
        deparse.level = 0)
}

# A note for the result where it is not known whether two sides were recorded together.
with_together <- function(note, setup) {
  several <- Filter(function(x) dim(x)[3] > 1, setup$objects)
  unknown <- length(several) > 1 && any(vapply(several, function(x) is.null(x$session), NA))
  if (!setup$by_trials || !unknown) return(note)
  paste(c(note, paste("Trials of", enumerate(paste0("`", names(several), "`"), quote = FALSE),
                      "with the same label are taken as recorded together.")), collapse = "\n")
}
