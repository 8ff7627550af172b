# Errors of partial scores (input-given.R): the deletions of all scores that a partial score is
# made of, put into its formula.

# A task of score_interval() whose measures have controls keeps `beside`: for each measure NULL, or
# list(tasks, at, sampled), where `tasks` are tasks of the grids with and between the controls, `at`
# is what places_beside() gives, and `sampled` says for each pair whether neurons of controls are a
# sample.

# The tasks beside a task, with the deletions over stimuli of their scores.
with_tasks_beside <- function(task) {
  task$beside <- lapply(seq_along(task$set), function(m) {
    if (is.null(task$set[[m]]$given)) return(NULL)
    grids <- control_grids(task, m)
    tasks <- lapply(grids, function(grid) {
      one <- c(grid, task[c("codes", "n", "threads", "settings")])
      one$settings$neurons <- c(x = is_sampled_here(task$settings, grid$a),
                                y = is_sampled_here(task$settings, "z"))
      one$settings$units <- list(x = task$settings$units[[grid$a]], y = NULL)
      one$settings$these <- task$settings$these && grid$a == "x"
      # the scores themselves were made, and spoken of, with those of the call
      one$scores <- quiet_scores(one$pairs, one$sides, one$set)[, 1]
      one$tables <- without_words(neuron_tables(one))
      one$columns <- stimulus_columns(one, one$tables)
      one
    })
    at <- places_beside(task, m, grids)
    # in which rows are neurons of controls a sample?
    sampled <- unlist(lapply(tasks, function(one) {
      vapply(seq_len(nrow(one$pairs)), function(row) {
        pair <- side_pair(one$sides, one$pairs$i[row], one$pairs$j[row])
        sampled_sides(pair, one$set[[1]], one$settings)[["y"]]
      }, NA)
    }))
    list(tasks = tasks, at = at, sampled = rowSums(array(sampled[at], dim(at))) > 0)
  })
  task
}

is_sampled_here <- function(settings, side) {
  if (side == "z") settings$given else settings$neurons[[side]]
}

# The scores of which that of pair p by measure m is made, besides that of x and y: list(task, row)
# of each.
parts_beside <- function(task, p, m) {
  beside <- task$beside[[m]]
  sizes <- vapply(beside$tasks, function(one) nrow(one$pairs), 0L)
  first <- cumsum(c(0, sizes))
  lapply(beside$at[p, ], function(at) {
    t <- findInterval(at - 1, first)
    list(task = t, row = at - first[t])
  })
}

# The columns of deletions of partial scores, from those of the scores that they are made of: a list
# for each, that of x and y first, of as many columns each. Where only values are known a column has
# a value alone.
partial_columns <- function(parts, errors) {
  known <- min(unlist(lapply(parts, lapply, function(column) length(column$change)))) + 1
  values <- vapply(parts, function(columns) {
    unlist(lapply(columns, function(column) {
      c(column$value, column$value + column$change)[seq_len(known)]
    }))
  }, numeric(known * length(parts[[1]])))
  partial <- matrix(partial_scores(matrix(values, ncol = length(parts))), known)
  lapply(seq_len(ncol(partial)), function(at) {
    if (known == 1) list(value = partial[, at]) else jackknife_column(partial[, at], errors)
  })
}

# The columns of a task in which those of measures with controls are partial.
with_partial_columns <- function(task, columns) {
  k <- length(task$set)
  lost <- 0
  for (m in which(lengths(task$beside) > 0)) {
    errors <- errors_by_deletion(task$set[[m]])
    for (p in seq_len(nrow(task$pairs))) {
      row <- (p - 1) * k + m
      beside <- lapply(parts_beside(task, p, m), function(part) {
        task$beside[[m]]$tasks[[part$task]]$columns[part$row]
      })
      columns[row] <- partial_columns(c(list(columns[row]), beside), errors)
      if (!is.na(columns[[row]]$value)) lost <- max(lost, sum(is.na(columns[[row]]$change)))
    }
  }
  inform_if(lost > 0, "undefined_deletions", "A partial score is undefined without single ",
            "stimuli ({lost} of {units_of(task$n, task$codes)}), so that it has no standard error ",
            "(NA): hardly anything is left of a side beside the control.")
  columns
}

errors_by_deletion <- function(measure) {
  errors <- errors_of(measure)
  if (is.null(errors)) list(transform = transform_of(measure, NULL)) else errors
}

# ---- neurons

# As samples_of_row(), of one partial score, with `own`: the labels by which the scores that it is
# made of know the units, in the order of parts_beside() after that of x and y (NULL where a score
# has none of them). Neurons that several sides have are one sample, and deleted on all of them.
samples_of_partial <- function(pair, task, p, m) {
  measure <- task$set[[m]]
  one_list <- task$sides$self || task$sides$same
  parts <- parts_beside(task, p, m)
  count <- ncol(measure$given$at)
  of_part <- lapply(seq_along(parts), function(q) {
    one <- task$beside[[m]]$tasks[[parts[[q]]$task]]
    at <- unlist(one$pairs[parts[[q]]$row, c("i", "j")])
    pair <- side_pair(one$sides, at[[1]], at[[2]])
    # a name for each side of the call, in which a control has its place
    first <- if (q <= count) "x" else if (q <= 2 * count) "y" else paste0("z", at[1])
    sides <- c(first, paste0("z", at[2]))
    list(sides = sides, labels = neuron_labels(pair, one$set[[1]], one$settings), pair = pair,
         sampled = sampled_sides(pair, one$set[[1]], one$settings))
  })
  xy <- list(sides = c("x", "y"), labels = neuron_labels(pair, measure, task$settings),
             pair = pair, sampled = sampled_sides(pair, measure, task$settings))
  of_part <- c(list(xy), of_part)
  # what the units of each side are called, by the first score that has the side
  names <- list()
  titles <- list()
  sampled <- logical()
  for (part in of_part) for (s in 1:2) {
    side <- part$sides[s]
    if (!is.null(names[[side]])) next
    own <- part$labels[[s]]
    # a prefix tells only that nothing is on both sides
    names[[side]] <- sub("^[xy] ", paste0("\r", side, " "), own)
    titles[[side]] <- title_of(part$pair[[s]])
    sampled[side] <- part$sampled[[s]]
  }
  # by default, neurons of controls are a sample wherever those of x or y are
  wanted <- names(which(sampled))
  if (task$settings$by_default && !any(sampled[c("x", "y")])) wanted <- character()
  lapply(joined_sides(names[wanted]), function(sides) {
    units <- unique(unlist(names[sides]))
    own <- lapply(of_part, function(part) {
      found <- lapply(1:2, function(s) {
        if (part$sides[s] %in% sides) part$labels[[s]][match(units, names[[part$sides[s]]])]
      })
      found <- Filter(length, found)
      if (length(found)) Reduce(function(a, b) ifelse(is.na(a), b, a), found)
    })
    at <- if (sides[1] == "x") task$pairs$i[p] else if (sides[1] == "y") task$pairs$j[p] else
      substring(sides[1], 2)
    place <- sub("y", if (one_list) "x" else "y", substr(sides[1], 1, 1))
    key <- if (length(sides) > 1) c("both", units) else
      c(at, if (!one_list || place == "z") place, sub("^\r[^ ]* ", "", units))
    list(key = paste(key, collapse = "\r"), size = length(units), own = own,
         name = if (length(sides) > 1) "neurons of both sides" else
           paste("neurons of", titles[[sides]]))
  })
}

# Sides, a list of their labels, in groups that share some.
joined_sides <- function(labels) {
  groups <- as.list(names(labels))
  i <- 1
  while (i <= length(groups)) {
    mine <- unlist(labels[groups[[i]]])
    shares <- vapply(groups, function(group) any(unlist(labels[group]) %in% mine), NA)
    if (sum(shares) == 1) i <- i + 1 else {
      groups <- c(list(unlist(groups[shares])), groups[!shares])
      i <- 1
    }
  }
  groups
}

# columns_without_units() of a sample with `own` labels: rows of the sample x units.
partial_without_units <- function(sample, at, task, columns, tables) {
  k <- length(task$set)
  m <- (sample$rows - 1) %% k + 1
  p <- (sample$rows - 1) %/% k + 1
  xy <- reduced_rows(task, tables, columns, sample$rows, sample$units, at)
  made <- new.env()
  found <- matrix(list(), length(sample$rows), length(at))
  for (r in seq_along(sample$rows)) {
    if (is.null(task$beside[[m[r]]])) {
      found[r, ] <- xy[r, ]
      next
    }
    parts <- parts_beside(task, p[r], m[r])
    beside <- lapply(seq_along(parts), function(q) {
      one <- task$beside[[m[r]]]$tasks[[parts[[q]]$task]]
      own <- sample$own[[r]][[q + 1]]
      if (is.null(own)) return(rep(one$columns[parts[[q]]$row], length(at)))
      # several rows have the same score beside them
      key <- paste(m[r], parts[[q]]$task, parts[[q]]$row)
      if (is.null(made[[key]])) {
        made[[key]] <- reduced_rows(one, one$tables, one$columns, parts[[q]]$row, list(own),
                                    at)[1, ]
      }
      made[[key]]
    })
    found[r, ] <- partial_columns(c(list(xy[r, ]), beside), errors_by_deletion(task$set[[m[r]]]))
  }
  found
}

# The columns of some rows of a task without units, whose labels each row has in `own` (NULL or NA:
# the row has none of them, and stays as it is).
reduced_rows <- function(task, tables, columns, rows, own, at) {
  found <- matrix(list(), length(rows), length(at))
  found[] <- columns[rows]
  has <- vapply(own, function(labels) {
    if (is.null(labels)) rep(FALSE, length(at)) else !is.na(labels[at])
  }, logical(length(at)))
  has <- matrix(has, ncol = length(rows))
  # units that the same rows have are taken together
  for (units in split(seq_along(at), apply(has, 1, paste, collapse = ""))) {
    of <- which(has[units[1], ])
    if (!length(of)) next
    found[of, units] <- columns_without_units(list(rows = rows[of], units = own[of]), at[units],
                                              task, tables)
  }
  found
}

# ---- p-values of 0

# Partial scores are tested against 0 where the errors are over all that was sampled: neurons that
# are held fixed make them too small.
p_of_zero <- function(task, rows) {
  k <- length(task$set)
  p <- 2 * stats::pt(-abs(rows$score / rows$se), rows$df)
  partial <- rep(lengths(task$beside) > 0, nrow(task$pairs))
  p[!partial] <- NA
  fixed <- vapply(seq_along(p), function(row) {
    if (!partial[row]) return(FALSE)
    measure <- task$set[[(row - 1) %% k + 1]]
    at <- task$pairs[(row - 1) %/% k + 1, ]
    x <- if (pools_subjects(task)) task$sides$x$reprs else task$sides$x$reprs[at$i]
    controls <- task$sides$z$reprs[as.vector(measure$given$at)]
    over <- strsplit(rows$over[row], " + ", fixed = TRUE)[[1]]
    has <- function(word) any(startsWith(over, word))
    sampled <- function(reprs, side) any(vapply(reprs, function(repr) {
      repr$kind == "data" && !is_complete(repr, measure$args, side)
    }, NA))
    sampled(x, "x") && !has("neurons_x") && !has("subjects") ||
      sampled(task$sides$y$reprs[at$j], "y") && !has("neurons_y") ||
      sampled(controls, "z") && !has("neurons_given")
  }, NA)
  corrected <- all(vapply(task$set, function(m) isTRUE(m$args$corrects$neurons), NA))
  inform_if(any(fixed), "no_p_zero", "No p_zero (NA): over these samples the test of a partial ",
            "score of 0 finds too much, as the neurons of some side are held fixed. ",
            if (corrected) "Declare " else
              "Take cka(estimator = \"stimulus_neuron\") with its own `over`, or declare ",
            "what is all there is by responses(complete = TRUE), of the controls, too.")
  replace(p, fixed, NA)
}
