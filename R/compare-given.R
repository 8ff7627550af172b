# Partial scores (input-given.R), of the scores that their sides have with each other and with the
# controls.

# The controls of each pair of a call, pairs x controls.
controls_of_pairs <- function(call, m) {
  at <- call$set[[m]]$given$at
  at[if (nrow(at) > 1) call$pairs$i else rep(1, nrow(call$pairs)), , drop = FALSE]
}

is_one_list <- function(call, measure) {
  (call$sides$self || call$sides$same) && identical(measure$args$units_x, measure$args$units_y)
}

# A number for each pair of places, which are fewer than 2^26.
pair_keys <- function(i, j) i * 2^26 + j

distinct_pairs <- function(i, j) list2DF(list(i = i, j = j))[!duplicated(pair_keys(i, j)), ]

# The grids of scores with and between controls of the m-th measure of a call, of which partial
# scores are made beside those of x and y: each list(a, sides, set, pairs), of the side a with z.
control_grids <- function(call, m) {
  measure <- call$set[[m]]
  controls <- controls_of_pairs(call, m)
  with_each <- function(...) {
    distinct_pairs(unlist(lapply(list(...), rep, ncol(controls))),
                   rep(as.vector(controls), ...length()))
  }
  # of one list both sides have the same scores with controls
  i <- call$pairs$i
  j <- call$pairs$j
  wanted <- if (is_one_list(call, measure)) list(x = with_each(i, j)) else
    list(x = with_each(i), y = with_each(j))
  # all pairs of controls that belong together
  among <- measure$given$at
  if (ncol(among) > 1) {
    both <- utils::combn(ncol(among), 2)
    one <- as.vector(among[, both[1, ]])
    other <- as.vector(among[, both[2, ]])
    wanted$z <- distinct_pairs(pmin(one, other), pmax(one, other))
  }
  args <- measure$args
  grids <- list()
  for (a in names(wanted)) {
    # what the arguments say of x and y holds here for them
    beside <- measure
    if (isTRUE(args$complete %in% c("x", "y", "both"))) {
      beside$args$complete <- if (args$complete %in% c(a, "both") && a != "z") "x" else "none"
    }
    if (!is.null(args$shared_neurons)) beside$args$shared_neurons <- FALSE
    # labels of units are those of one control
    single <- !is.null(args$units_x)
    for (at in split(wanted[[a]], if (single) wanted[[a]]$j else 1)) {
      control <- call$sides$z$reprs[[at$j[1]]]
      units <- list(x = args$units_x, y = args$units_y,
                    z = paste("\r", control$arg, seq_len(NCOL(control$data))))
      if (single) beside$args[c("units_x", "units_y")] <- units[c(a, "z")]
      sides <- list(x = call$sides[[a]], y = call$sides$z, self = FALSE, same = FALSE,
                    models = FALSE)
      grids <- c(grids, list(list(a = a, sides = sides, pairs = at,
                                  set = list(settled_measure(beside)))))
    }
  }
  grids
}

# The scores of a call, pairs x measures, as score_grid() gives them.
scores_of_call <- function(call, on_error = "stop", threads = NULL) {
  if (!any(has_controls(call$set))) {
    return(score_grid(call$pairs, call$sides, call$set, on_error, threads))
  }
  # messages and warnings, each text once, and the first alone about uncertain scores, of which each
  # side may have some
  said <- character()
  hear <- function(restart) function(condition) {
    of_side <- inherits(condition, "repalign_unstable") && !inherits(condition, "repalign_partial")
    key <- if (of_side) "unstable" else conditionMessage(condition)
    if (key %in% said) invokeRestart(restart)
    said <<- c(said, key)
  }
  withCallingHandlers({
    scores <- score_grid(call$pairs, call$sides, call$set, on_error, threads)
    for (m in which(has_controls(call$set))) {
      grids <- control_grids(call, m)
      beside <- lapply(grids, function(grid) {
        as.vector(score_grid(grid$pairs, grid$sides, grid$set, on_error, threads))
      })
      at <- places_beside(call, m, grids)
      partial <- partial_scores(cbind(scores[, m], array(unlist(beside)[at], dim(at))))
      lost <- sum(is.na(partial) & !is.na(scores[, m]))
      warn_if(lost, "undefined", "{count_of(lost, 'score')} of {length(partial)} by ",
              "{quoted(call$set[[m]]$label)} ", if (lost == 1) "is" else "are",
              " undefined (NA): the control explains all that is similar, or there are too few ",
              "neurons.", data = lost)
      far <- which(abs(partial) > meaningless)
      warn_if(length(far) > 0, c("repalign_partial", "repalign_unstable"),
              "{count_of(length(far), 'score')} of {length(partial)} by ",
              "{quoted(call$set[[m]]$label)} ", if (length(far) == 1) "is" else "are", " beyond 2 ",
              "in size, which means nothing: the control leaves next to nothing of a side, or ",
              "there are too few neurons.", data = partial[far])
      scores[, m] <- partial
    }
    scores
  }, repalign_message = hear("muffleMessage"), repalign_warning = hear("muffleWarning"))
}

# The scores that each pair has with its controls: a matrix pairs x scores of places in the rows of
# all grids, one after the other, in the order that partial_scores() takes: those of x, those of y,
# and those of the controls among each other.
places_beside <- function(call, m, grids) {
  controls <- controls_of_pairs(call, m)
  k <- seq_len(ncol(controls))
  among <- if (length(k) > 1) utils::combn(length(k), 2, simplify = FALSE)
  before <- cumsum(c(0, vapply(grids, function(grid) nrow(grid$pairs), 0L)))
  # the places of pairs (i, j) in the grids of this side with controls
  places <- function(a, i, j) {
    if (a == "y" && is_one_list(call, call$set[[m]])) a <- "x"
    of_side <- which(vapply(grids, function(grid) grid$a == a, NA))
    known <- lapply(grids[of_side], function(grid) pair_keys(grid$pairs$i, grid$pairs$j))
    at <- unlist(Map(function(g, keys) before[g] + seq_along(keys), of_side, known))
    at[match(pair_keys(i, j), unlist(known))]
  }
  columns <- c(lapply(k, function(c) places("x", call$pairs$i, controls[, c])),
               lapply(k, function(c) places("y", call$pairs$j, controls[, c])),
               lapply(among, function(c) {
                 of <- controls[, c, drop = FALSE]
                 places("z", pmin(of[, 1], of[, 2]), pmax(of[, 1], of[, 2]))
               }))
  matrix(unlist(columns), nrow(call$pairs))
}

# Partial scores of rows of scores: of x with y, of x and of y with each control, and of the
# controls with each other. One control after the other is taken off all that are left, which is
# s_xy - s_xz S_zz^-1 s_zy and so on. NA where the controls are collinear, or leave nothing of a
# side.
partial_scores <- function(values) {
  # k controls have 1 + 2 k + k (k - 1) / 2 scores
  k <- round((sqrt(8 * ncol(values) + 1) - 3) / 2)
  size <- k + 2
  s <- array(1, c(nrow(values), size, size))
  set <- function(a, b, value) {
    s[, a, b] <<- value
    s[, b, a] <<- value
  }
  set(1, 2, values[, 1])
  for (c in seq_len(k)) {
    set(1, 2 + c, values[, 1 + c])
    set(2, 2 + c, values[, 1 + k + c])
  }
  if (k > 1) {
    among <- utils::combn(k, 2)
    for (at in seq_len(ncol(among))) {
      set(2 + among[1, at], 2 + among[2, at], values[, 1 + 2 * k + at])
    }
  }
  left <- function(variance) replace(variance, !(variance > least_left), NA)
  for (c in rev(seq_len(k)) + 2) {
    pivot <- left(s[, c, c])
    rest <- seq_len(c - 1)
    for (a in rest) for (b in rest[rest <= a]) set(a, b, s[, a, b] - s[, a, c] * s[, b, c] / pivot)
  }
  s[, 1, 2] / sqrt(left(s[, 1, 1])) / sqrt(left(s[, 2, 2]))
}

# So much of a side must be left, as a share.
least_left <- 1e-12
