# Responses to several trials, prepared for the estimates of H, and Gaussian kernels between trials.

#' @include form.R
NULL

# ---- trial sample

# Responses to several trials of two sides are prepared here for the estimates of H: as sums over
# events, which are what shares noise.

# What a representation knows of its trials: values (stimuli x neurons x trials, centred and
# scaled, the trials of each stimulus in its first slots), event (stimuli x trials; NA: no such
# trial), session, run; scale, the power of two that the values were multiplied with. Data without
# trials have one.
trial_form <- function(repr) {
  remember_form(repr, "trials", list(), {
    given <- repr$responses
    values <- if (is.null(given)) repr$data else given$values
    dim(values) <- c(dim(values), 1)[1:3]
    size <- dim(values)
    event <- if (is.null(given$event)) rep(seq_len(size[3]), each = size[1]) else given$event
    dim(event) <- size[c(1, 3)]
    if (anyNA(values)) {
      moved <- move_slots(values, event)
      values <- moved$values
      event <- moved$event
      size <- dim(values)
    }
    # the mean of each neuron over the means of its stimuli, and a power of two
    # that brings the largest deviation near 1
    means <- colMeans(trial_means(values), na.rm = TRUE)
    means[!is.finite(means)] <- 0
    values <- values - rep(rep(means, each = size[1]), size[3])
    largest <- max(abs(values), 0, na.rm = TRUE)
    refuse_if(!is.finite(largest), "value", "`{repr$arg}` has values too large to take ",
              "differences of; rescale it.")
    refuse_if(largest == 0, "variance", "`{repr$arg}` has no variance: every neuron gives the ",
              "same response throughout.")
    scale <- power_of_two_below(largest)
    # no NULL, which relabelling could not tell from a missing part
    c(list(values = unname(values * scale), event = event, run = isTRUE(given$run), scale = scale),
      if (!is.null(given$session)) list(session = given$session))
  })
}

declare_form("trials", size = function(n, d, args) as.double(n) * d * max(1, args$trials),
             relabel = function(form, permutation) {
               form$values <- form$values[permutation, , , drop = FALSE]
               form$event <- form$event[permutation, , drop = FALSE]
               origin <- if (is.null(form$origin)) seq_along(permutation) else form$origin
               form$origin <- origin[permutation]
               form
             })

trial_count <- function(form) dim(form$values)[3]

# The two sides as C_trial_terms() and its like take them.
#   x, y                 sums over events: a row for each event of each stimulus (events fastest)
#   counts_x, counts_y   numbers of trials in them; one column where all neurons have the same
#   session_x, session_y neurons of equal codes may share noise
#   units                the code of each stimulus, in increasing order
#   runs                 are trials crossed with stimuli?
# and events, stimuli (their rows in the data), self, masked (have neurons trials of their own?),
# reprs, scale (exponents of two of both sides).
# codes: of clusters of stimuli, or NULL. check_trial_pair() has judged both sides.
trial_sample <- function(rx, ry, codes = NULL) {
  fx <- trial_form(rx)
  self <- identical(rx$cache, ry$cache)
  fy <- if (self) fx else trial_form(ry)
  sessions <- shared_sessions(fx, fy, self)
  runs <- fx$run && fy$run && any(sessions$x %in% sessions$y)
  slots <- if (!runs) event_slots(fx, fy) else {
    # the same for all stimuli and both sides
    labels <- unique(c(fx$event))
    list(x = matrix(match(fx$event, labels), nrow(fx$event)),
         y = matrix(match(fy$event, labels), nrow(fy$event)), count = length(labels))
  }
  # stimuli in the order of their clusters, those without a label left out
  rows <- if (is.null(codes)) seq_len(nrow(fx$event)) else order(codes, na.last = NA)
  units <- if (is.null(codes)) rows else as.integer(codes[rows])
  sums_x <- event_sums(fx, slots$x, slots$count, rows)
  parts <- list(x = sums_x, y = if (self) sums_x else event_sums(fy, slots$y, slots$count, rows))
  masked <- is.matrix(parts$x$counts) || is.matrix(parts$y$counts)
  counts <- lapply(parts, function(part) {
    if (is.matrix(part$counts)) return(part$counts)
    matrix(part$counts, length(part$counts), if (masked) ncol(part$sums) else 1)
  })
  sample <- list(x = parts$x$sums, y = parts$y$sums, counts_x = counts$x, counts_y = counts$y,
                 session_x = sessions$x, session_y = sessions$y, units = units, runs = runs,
                 events = slots$count, stimuli = rows, self = self, masked = masked,
                 reprs = list(x = rx, y = ry), scale = log2(c(fx$scale, fy$scale)))
  if (runs) center_runs(sample) else sample
}

# What the estimators of CKA that correct for trials ask of a pair.
check_trials <- function(pair, args) {
  for (repr in if (args$kernel == "rbf") pair[c("x", "y")]) {
    form <- trial_form(repr)
    problem <- if (!is.null(args$clusters)) "stimuli in clusters" else if (form$run) "runs" else
      if (some_neurons_lack(form$values)) "trials that only some neurons have"
    refuse_if(!is.null(problem), "value", "kernel = \"rbf\" corrects for trials of all neurons ",
              "together, and is not defined for {problem} (`{repr$arg}`): use kernel = ",
              "\"linear\", or estimator = \"stimulus\".", arg = "kernel")
  }
  check_trial_pair(pair$x, pair$y, args$clusters)
}

# What all estimates from trials ask of two sides: where they may share noise, the same runs, or
# trials that are told apart in the same way.
check_trial_pair <- function(rx, ry, codes) {
  fx <- trial_form(rx)
  self <- identical(rx$cache, ry$cache)
  fy <- if (self) fx else trial_form(ry)
  sessions <- shared_sessions(fx, fy, self)
  if (!any(sessions$x %in% sessions$y)) return(invisible())
  refuse_if(!is.null(codes) && (fx$run || fy$run), "runs", "Runs together with clusters of ",
            "stimuli are not defined: a run is shared by all stimuli. Leave out `run` of ",
            "responses(), or the clusters.", arg = if (fx$run) rx$arg else ry$arg)
  runs <- if (fx$run) c(rx$arg, ry$arg) else c(ry$arg, rx$arg)
  refuse_if(fx$run != fy$run, "runs", "`{runs[1]}` has runs, and `{runs[2]}`, which may have been ",
            "recorded together with it, has none: declare `run` on both sides alike, or different ",
            "`session` labels for areas that were recorded apart.", arg = runs[2])
  # equal sessions may have trials of their own on each side
  if (!self && (is.null(fx$session) || is.null(fy$session))) {
    x <- fx$event
    y <- original_rows(fy)
    common <- vapply(seq_len(nrow(x)), function(i) any(x[i, ] %in% y[i, !is.na(y[i, ])]), NA)
    refuse_if(!any(common), "labels", "`{rx$arg}` and `{ry$arg}` are taken as recorded together, ",
              "but no trial of `{rx$arg}` (such as {first_event(x)}) has the label of one of ",
              "`{ry$arg}` (such as {first_event(y)}): give both sides the same labels in `trial`, ",
              "or different `session` labels if they were recorded apart.", arg = ry$arg)
  }
  if (!fx$run) return(invisible())
  check_complete_runs(fx, rx$arg)
  check_complete_runs(fy, ry$arg)
  refuse_if(!setequal(fx$event, fy$event), "runs", "`{rx$arg}` and `{ry$arg}` were recorded ",
            "together but have different runs: give the same runs on both sides, or leave out ",
            "`run` of responses().", arg = ry$arg)
}

# Codes of what may share noise. Within a side these are the sessions, or all neurons without
# them. Between sides: equal sessions; without sessions all neurons when both sides have trials,
# because it is then not known whether they were recorded together.
shared_sessions <- function(fx, fy, self) {
  alone <- min(trial_count(fx), trial_count(fy)) < 2
  if (alone || is.null(fx$session) || is.null(fy$session)) {
    return(list(x = rep(1L, dim(fx$values)[2]), y = rep(if (alone) 2L else 1L, dim(fy$values)[2])))
  }
  labels <- unique(as.character(c(fx$session, fy$session)))
  list(x = match(as.character(fx$session), labels), y = match(as.character(fy$session), labels))
}

first_event <- function(event) quoted(as.character(event[!is.na(event)][1]))

# Which of its events each trial belongs to, for every stimulus (stimuli x trials, NA: no trial),
# numbered jointly for both sides: x, y and count. A permuted side keeps the numbers that it had
# before: what is permuted is then the same function of the data as what was observed.
event_slots <- function(fx, fy) {
  events <- t(cbind(fx$event, original_rows(fy)))
  stimulus <- c(col(events))
  # numbers of the events of each stimulus, in the order of their first appearance
  key <- match(c(events), unique(c(events[!is.na(events)])))
  key <- key + stimulus * (max(key, 0, na.rm = TRUE) + 1)
  first <- !is.na(key) & !duplicated(key)
  number <- cumsum(first) - c(0, cumsum(colSums(matrix(first, nrow(events)))))[stimulus]
  slots <- t(matrix(number[first][match(key, key[first])], nrow(events)))
  at <- seq_len(ncol(fx$event))
  y <- slots[, -at, drop = FALSE]
  if (!is.null(fy$origin)) y <- y[fy$origin, , drop = FALSE]
  list(x = slots[, at, drop = FALSE], y = y,
       count = as.integer(max(slots, 1, na.rm = TRUE)))
}

original_rows <- function(form) {
  if (is.null(form$origin)) return(form$event)
  form$event[order(form$origin), , drop = FALSE]
}

# list(sums, counts): a row for each event of each stimulus in `rows`; counts: a vector where all
# neurons have the same trials, else a matrix.
event_sums <- function(form, slots, count, rows) {
  slots <- slots[rows, , drop = FALSE]
  values <- aperm(form$values[rows, , , drop = FALSE], c(3, 1, 2))
  cells <- prod(dim(values)[1:2])
  dim(values) <- c(cells, dim(values)[3])
  at <- c(t(slots)) + rep((seq_along(rows) - 1) * count, each = ncol(slots))
  total <- length(rows) * count
  if (!anyNA(values)) {
    return(list(sums = add_by_event(values, at, total),
                counts = drop(add_by_event(matrix(1, cells), at, total))))
  }
  there <- !is.na(values)
  trials <- rowSums(there)
  uniform <- all(trials == 0 | trials == ncol(values))
  values[!there] <- 0
  storage.mode(there) <- "double"
  list(sums = add_by_event(values, at, total),
       counts = if (uniform) drop(add_by_event(cbind(trials / ncol(values)), at, total))
       else add_by_event(there, at, total))
}

# Sums of the rows that have the same place, out of `total` places.
add_by_event <- function(values, at, total) {
  if (length(at) == total && identical(as.double(at), as.double(seq_len(total)))) return(values)
  known <- !is.na(at)
  values <- values[known, , drop = FALSE]
  at <- at[known]
  result <- matrix(0, total, ncol(values))
  if (anyDuplicated(at)) {
    values <- rowsum(values, at, reorder = TRUE)
    at <- sort(unique(at))
  }
  result[at, ] <- values
  result
}

center_runs <- function(sample) {
  run <- rep(seq_len(sample$events), length(sample$units))
  for (side in c("x", "y")) {
    means <- rowsum(sample[[side]], run) / length(sample$units)
    sample[[side]] <- sample[[side]] - means[run, , drop = FALSE]
  }
  sample
}

check_complete_runs <- function(form, arg) {
  whole <- !anyNA(form$values) && !anyNA(form$event) &&
    all(apply(form$event, 1, setequal, unique(c(form$event))))
  refuse_if(!whole, "runs", "`{arg}` has incomplete runs: with `run` every stimulus and every ",
            "neuron needs a response in every run. Leave out what is incomplete, or `run` of ",
            "responses().")
}

# The sample without some of its stimuli, centred again.
cut_trial_sample <- function(sample, keep) {
  rows <- rep(keep, each = sample$events)
  for (part in c("x", "y", "counts_x", "counts_y")) {
    sample[[part]] <- sample[[part]][rows, , drop = FALSE]
  }
  codes <- sample$units[keep]
  sample$units <- match(codes, unique(codes))
  sample$stimuli <- sample$stimuli[keep]
  sample$dominant <- NULL
  if (sample$runs) return(center_runs(sample))
  means <- lapply(stimulus_means(sample, NaN), colMeans, na.rm = TRUE)
  for (side in c("x", "y")) {
    counts <- sample[[paste0("counts_", side)]]
    shift <- replace(means[[side]], !is.finite(means[[side]]), 0)
    sample[[side]] <- sample[[side]] - if (ncol(counts) == 1) tcrossprod(counts[, 1], shift) else
      counts * rep(shift, each = nrow(counts))
  }
  sample
}

# Means over the trials of each stimulus, of both sides; `lacking` where there is none.
stimulus_means <- function(sample, lacking = 0) {
  stimulus <- rep(seq_along(sample$units), each = sample$events)
  sapply(c("x", "y"), function(side) {
    total <- rowsum(sample[[side]], stimulus, reorder = TRUE)
    number <- rowsum(sample[[paste0("counts_", side)]], stimulus, reorder = TRUE)
    means <- if (ncol(number) == 1) total / number[, 1] else total / number
    means[is.na(means)] <- lacking
    means
  }, simplify = FALSE)
}

# ---- trial kernels

# H values of Gaussian kernels from responses to several trials: from the blocks of the kernel
# between all trials.

# As pair_h() gives them, for estimator "stimulus_trial": the H value of the expected kernels of
# different stimuli. For stimuli i and j let K_ij and L_ij be the blocks between their trials, and
# M_i the matrix that weighs the pairs of trials that may be multiplied (it adds up to 1). With a_i
# and b_i the sums of its rows and columns, and sums over different stimuli,
#   S1 = sum K_ij o (M_i L_ij M_j'),  S2 = sum (K_ij a_j)' M_i (L_ik b_k),
#   S3 = sum (a_i' K_ij a_j) (b_k' L_kl b_l),  H = S1 / (n)_2 - 2 S2 / (n)_3 + S3 / (n)_4.
kernel_trial_h <- function(pair, args) {
  fx <- trial_form(pair$x)
  fy <- if (pair$self) fx else trial_form(pair$y)
  # Which pairs of trials may be multiplied: M_i, trials of x by trials of y by stimuli.
  sessions <- shared_sessions(fx, fy, pair$self)
  share <- any(sessions$x %in% sessions$y)
  slots <- event_slots(fx, fy)
  width <- c(ncol(slots$x), ncol(slots$y))
  x <- slots$x[, rep(seq_len(width[1]), width[2]), drop = FALSE]
  y <- slots$y[, rep(seq_len(width[2]), each = width[1]), drop = FALSE]
  allowed <- !is.na(x) & !is.na(y)
  if (share) allowed <- allowed & x != y
  m <- array(t(allowed / pmax(rowSums(allowed), 1)), c(width, nrow(x)))
  there <- colSums(m, dims = 2) > 0
  refuse_if(sum(there) < 4, "trials", "`{pair$x$arg}` and `{pair$y$arg}` have fewer than 4 ",
            "stimuli with two trials that do not share noise. Give more trials, or use estimator ",
            "= \"stimulus\".")
  k <- trial_kernel(pair$x, fx, there, args)
  l <- if (pair$self) k else trial_kernel(pair$y, fy, there, args)
  size <- sqrt(.Call(C_dot, k, k) / length(k)) * sqrt(.Call(C_dot, l, l) / length(l))
  list(value = weighted_kernel_h(k, l, m[, , there, drop = FALSE]),
       magnitude = rounding_share * size, scale = c(0, 0))
}

# Are there trials of a stimulus that some neurons have and others lack?
some_neurons_lack <- function(values) {
  if (!anyNA(values)) return(FALSE)
  there <- rowSums(aperm(!is.na(values), c(1, 3, 2)), dims = 2)
  any(there > 0 & there < dim(values)[2])
}

# The kernel of all trials of the stimuli in `there`, 0 where there is no trial; trials fastest.
# Pairs, their self terms and the null ask for it. A large one is made each time, so that a grid
# does not keep those of all representations.
trial_kernel <- function(repr, form, there, args) {
  rows <- sum(there) * trial_count(form)
  if (!all(there) || rows > most_kept_trials) return(new_trial_kernel(repr, form, there, args))
  remember_form(repr, "trial kernel", args[c("sigma", "bandwidth")], {
    list(kernel = new_trial_kernel(repr, form, there, args))
  })$kernel
}

# Their kernel takes 64 MB.
most_kept_trials <- 2896

declare_form("trial kernel", relabel = function(form, permutation) {
  trials <- nrow(form$kernel) / length(permutation)
  rows <- rep((permutation - 1) * trials, each = trials) + seq_len(trials)
  form$kernel <- form$kernel[rows, rows]
  form
}, size = function(n, d, args) as.double(n)^2)

new_trial_kernel <- function(repr, form, there, args) {
  rows <- sum(there) * trial_count(form)
  check_memory(48 * rows^2, paste0("The kernel of all trials of `", repr$arg, "`"),
               "Fewer stimuli or trials need less.")
  values <- aperm(form$values[there, , , drop = FALSE], c(3, 1, 2))
  dim(values) <- c(rows, dim(values)[3])
  known <- !is.na(values[, 1])
  # the width is that of the trial means, in units of their distances
  width <- gaussian_width(repr, args$sigma, args$bandwidth) / form_distances(repr)$scale *
    form$scale
  if (!all(known)) values <- values[known, , drop = FALSE]
  distances <- .Call(C_distances, values, colMeans(values), 1, thread_count(), NULL)
  entries <- .Call(C_gaussian, distances, width, FALSE, thread_count())
  kernel <- unpacked(list(entries = entries, diagonal = 1), nrow(values))
  if (all(known)) return(kernel)
  with_gaps <- matrix(0, rows, rows)
  with_gaps[known, known] <- kernel
  with_gaps
}

# m: the weights M_i.
weighted_kernel_h <- function(k, l, m) {
  n <- dim(m)[3]
  sums <- .Call(C_trial_kernel_sums, k, l, matrix(m, ncol = n), thread_count())
  sums[1] / falling(n, 2) - 2 * sums[2] / falling(n, 3) + sums[3] / falling(n, 4)
}
