# The grid that regions and layers are compared on: comparisons x numbers of neurons x estimators, a
# cell each.

# ---- parts

# One of the three H values xy, xx and yy of a comparison, as two functions of the members of both
# sides. Both return a list by kind of value: the estimators, and what trials give beside them (see
# trials_by_kind()). `h` gives a value for each choice of subsets, `deletions` those pooled over
# the subsets `used` (by kind): of nothing and of each stimulus or cluster deleted.

# Of neurons on both sides. trials: from trial_terms_of().
pairs_part <- function(x, y, codes, trials, setup) {
  terms <- pair_terms(x, y, setup$clusters)
  size <- c(ncol(x), ncol(y))
  trials <- trials_by_kind(trials, codes, setup)
  list(
    h = function(a, b) {
      own <- subset_h(terms, a, b, subset_counts(a, b, size, codes), codes)
      c(own[setup$estimator], lapply(trials, trial_subset_h, a, b, terms$naive))
    },
    deletions = function(a, b, used) {
      count <- subset_counts(a, b, size, codes)
      corrected <- if (is.null(used$stimulus_neuron)) TRUE else used$stimulus_neuron
      c(pooled_deletions(x, y, pooled_weights(a, b, size, count, codes, corrected), setup),
        Map(function(trials, used) trial_pool_deletions(trials, a, b, used), trials,
            used[names(trials)]))
    }
  )
}

# Values of different trials: by the estimator from trials, and for the ceilings of the others, over
# the neuron pairs of "stimulus" and of "stimulus_neuron".
trials_by_kind <- function(trials, codes, setup) {
  if (is.null(trials)) return(NULL)
  asked <- if (setup$ceiling) c("stimulus", "stimulus_neuron") %in% setup$estimator else FALSE
  c(if (asked[1]) list(clean_stimulus = replace(trials, "codes", list(NULL))),
    if (isTRUE(asked[2])) list(clean_stimulus_neuron = replace(trials, "codes", list(codes))),
    if (setup$by_trials || isTRUE(asked[2])) stats::setNames(list(trials), trial_estimator))
}

# Of neurons of x with all units of y. For each neuron its sum over all units is enough.
columns_part <- function(x, y, kinds, setup) {
  sums <- loo_columns(x, y, setup$clusters)[ifelse(kinds == "naive", "naive", "stimulus")]
  names(sums) <- kinds
  width <- as.double(ncol(y))
  list(
    h = function(a, b) {
      lapply(sums, function(h) colSums(matrix(h[1, a], nrow(a))) / (nrow(a) * width))
    },
    deletions = function(a, b, used) {
      Map(function(h, used) {
        share <- tabulate(a[, used], ncol(h)) / (max(sum(used), 1) * nrow(a))
        drop(h %*% share) / width
      }, sums, used[kinds])
    }
  )
}

# Of all units of y with each other. A layer has no trials, and no noise of trials; of all units that
# there are (`complete`), none is left out.
whole_part <- function(y, complete, kinds, setup) {
  width <- as.double(ncol(y))
  sums <- self_totals(y, setup$clusters)
  units <- seq_len(ncol(y))
  with_itself <- rowSums(loo_pairs(y, y, units, units, setup$clusters)$stimulus)
  values <- list(naive = sums$naive / width^2,
                 stimulus = drop_rounding(sums$stimulus, sums$naive) / width^2)
  corrected <- if (complete) values$stimulus else if (width > 1) {
    drop_rounding(sums$stimulus - with_itself, sums$naive) / (width * (width - 1))
  }
  values <- lapply(stats::setNames(nm = kinds), function(kind) {
    if (grepl("neuron", kind)) corrected else values[[sub("clean_", "", kind)]]
  })
  list(h = function(a, b) lapply(values, `[`, 1), deletions = function(a, b, used) values)
}

# ---- cells

# The cells of one comparison, list(names, sizes, choose_members, parts, exchangeable, complete):
# choose_members(size, repeats) are random subsets of the neurons of both sides, one in each column.
# Sides are exchangeable if it does not matter which of them comes first, as for random halves.
# complete: are the neurons of each side all that there are? errors(cells, comparison, members,
# setup): the cells with errors over neurons, too, where these are a sample.
comparison_cells <- function(comparison, setup, errors) {
  cells <- lapply(comparison$sizes, function(size) {
    members <- comparison$choose_members(size, setup$repeats)
    values <- comparison_values(comparison, members, setup)
    asked <- c(setup$estimator, if (setup$by_trials) trial_estimator)
    cells <- lapply(stats::setNames(nm = asked), function(e) {
      clean <- values[[paste0("clean_", e)]]
      c(list(names = comparison$names, neurons = size, estimator = e,
             complete = complete_word(comparison$complete[1], comparison$complete[2])),
        values[[e]], if (!is.null(clean)) {
          # over the neuron pairs that the estimator from trials goes by, which may be more
          list(clean = clean, signal = if (e == "stimulus") clean else values[[trial_estimator]])
        })
    })
    unname(if (is.null(setup$conf_level)) cells else errors(cells, comparison, members, setup))
  })
  do.call(c, cells)
}

# By kind the values of a cell: `single`, the H values xy, xx and yy of each choice of subsets in
# columns; `deletions`, an (n + 1) x 3 matrix of those pooled over the choices that have all three.
comparison_values <- function(comparison, members, setup) {
  parts <- comparison$parts
  by_kind <- function(tables) {
    sapply(names(tables[[1]]), function(kind) {
      do.call(cbind, lapply(unname(tables), function(table) table[[kind]]))
    }, simplify = FALSE)
  }
  of_part <- function(name, what, ...) {
    at <- part_sides[[name]]
    parts[[name]][[what]](members[[at[1]]], members[[at[2]]], ...)
  }
  single <- by_kind(lapply(names(part_sides), of_part, "h"))
  deletions <- if (!is.null(setup$conf_level)) {
    used <- lapply(single, stats::complete.cases)
    # values that leave no neuron pair out exist always
    used[intersect(c("naive", "stimulus"), names(used))] <- list(rep(TRUE, ncol(members$a)))
    by_kind(if (comparison$exchangeable) {
      # xx and yy are computed at once from the subsets of both sides, because the denominators of
      # exchangeable sides are pooled anyway
      both <- cbind(members$a, members$b)
      self <- parts$xx$deletions(both, both, lapply(used, rep, 2))
      list(of_part("xy", "deletions", used), self, self)
    } else lapply(names(part_sides), of_part, "deletions", used))
  }
  sapply(names(single), function(kind) {
    list(single = single[[kind]], deletions = deletions[[kind]],
         exchangeable = comparison$exchangeable)
  }, simplify = FALSE)
}
