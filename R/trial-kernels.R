# H values of Gaussian kernels from responses to several trials: from the blocks of the kernel
# between all trials.

# As pair_h() gives them, for estimator "stimulus_trial": the H value of the expected kernels of
# different stimuli. For stimuli i and j let K_ij and L_ij be the blocks between their trials, and
# M_i the matrix that weighs the pairs of trials that may be multiplied (it adds up to 1). With a_i
# and b_i the sums of its rows and columns, and sums over different stimuli,
#   S1 = sum K_ij o (M_i L_ij M_j'),  S2 = sum (K_ij a_j)' M_i (L_ik b_k),
#   S3 = sum (a_i' K_ij a_j) (b_k' L_kl b_l),  H = S1 / (n)_2 - 2 S2 / (n)_3 + S3 / (n)_4.
kernel_trial_h <- function(pair, args, codes) {
  fx <- trial_form(pair$x)
  fy <- if (pair$self) fx else trial_form(pair$y)
  check_kernel_trials(fx, pair$x$arg, codes)
  check_kernel_trials(fy, pair$y$arg, codes)
  m <- trial_weights(fx, fy, pair$self)
  there <- colSums(m, dims = 2) > 0
  if (sum(there) < 4) {
    abort("`", pair$x$arg, "` and `", pair$y$arg, "` have fewer than 4 stimuli with two trials ",
          "that do not share noise. Give more trials, or use estimator = \"stimulus\".",
          class = "repalign_error_trials", arg = pair$x$arg)
  }
  k <- trial_kernel(pair$x, fx, there, args)
  l <- if (pair$self) k else trial_kernel(pair$y, fy, there, args)
  size <- sqrt(mean(k^2)) * sqrt(mean(l^2))
  list(value = weighted_kernel_h(k, l, m[, , there, drop = FALSE]),
       magnitude = rounding_share * size, scale = c(0, 0))
}

# Are there trials of a stimulus that some neurons have and others lack?
some_neurons_lack <- function(values) {
  there <- rowSums(aperm(!is.na(values), c(1, 3, 2)), dims = 2)
  any(there > 0 & there < dim(values)[2])
}

check_kernel_trials <- function(form, arg, codes) {
  problem <- if (!is.null(codes)) "stimuli in clusters" else if (form$run) "runs" else
    if (some_neurons_lack(form$values)) "trials that only some neurons have"
  if (is.null(problem)) return(invisible())
  abort("kernel = \"rbf\" corrects for trials of all neurons together, and is not defined for ",
        problem, " (`", arg, "`): use kernel = \"linear\", or estimator = \"stimulus\".",
        class = "repalign_error_value", arg = "kernel")
}

# Which pairs of trials may be multiplied: M_i, trials of x by trials of y by stimuli.
trial_weights <- function(fx, fy, self) {
  sessions <- shared_sessions(fx, fy, self, NULL)
  share <- any(sessions$x %in% sessions$y)
  slots <- event_slots(fx, fy)
  m <- vapply(seq_len(nrow(slots$x)), function(i) {
    allowed <- outer(slots$x[i, ], slots$y[i, ], if (share) "!=" else "==")
    if (!share) allowed <- !is.na(allowed)
    allowed[is.na(allowed)] <- FALSE
    allowed / max(sum(allowed), 1)
  }, matrix(0, ncol(slots$x), ncol(slots$y)))
  array(m, c(ncol(slots$x), ncol(slots$y), nrow(slots$x)))
}

# The kernel of all trials of the stimuli in `there`, 0 where there is no trial; trials fastest.
trial_kernel <- function(repr, form, there, args) {
  values <- aperm(form$values[there, , , drop = FALSE], c(3, 1, 2))
  rows <- prod(dim(values)[1:2])
  check_memory(48 * rows^2, paste0("The kernel of all trials of `", repr$arg, "`"),
               "Fewer stimuli or trials need less.")
  dim(values) <- c(rows, dim(values)[3])
  known <- !is.na(values[, 1])
  kernel <- matrix(0, rows, rows)
  # the width is that of the trial means, in units of their distances
  width <- gaussian_width(repr, args$sigma, args$bandwidth) / form_distances(repr)$scale *
    form$scale
  squares <- as.matrix(stats::dist(values[known, , drop = FALSE]))^2
  kernel[known, known] <- exp(-squares / (2 * width^2))
  kernel
}

weighted_kernel_h <- function(k, l, m) {
  n <- dim(m)[3]
  stimulus_k <- rep(seq_len(n), each = dim(m)[1])
  stimulus_l <- rep(seq_len(n), each = dim(m)[2])
  # a matrix with the rows of l, times M_i stimulus by stimulus
  times <- function(rows) {
    do.call(rbind, lapply(seq_len(n), function(i) {
      matrix(m[, , i], dim(m)[1]) %*% rows[stimulus_l == i, , drop = FALSE]
    }))
  }
  both <- k * t(times(t(times(l))))
  s1 <- sum(both[outer(stimulus_k, stimulus_k, "!=")])
  ka <- summed_kernel(k, c(rowSums(aperm(m, c(1, 3, 2)), dims = 2)), stimulus_k)
  lb <- summed_kernel(l, c(colSums(m)), stimulus_l)
  s2 <- sum(rowSums(ka$rows) * times(cbind(rowSums(lb$rows)))) - sum(ka$rows * times(lb$rows))
  s3 <- sum(ka$blocks) * sum(lb$blocks) - 4 * sum(rowSums(ka$blocks) * rowSums(lb$blocks)) +
    2 * sum(ka$blocks * lb$blocks)
  s1 / falling(n, 2) - 2 * s2 / falling(n, 3) + s3 / falling(n, 4)
}

# Sums of a kernel times weights of trials: rows (trials by other stimuli) and blocks (stimuli by
# other stimuli); 0 for a stimulus with itself.
summed_kernel <- function(kernel, weight, stimulus) {
  rows <- t(rowsum(kernel * weight, stimulus))
  rows[cbind(seq_along(stimulus), stimulus)] <- 0
  list(rows = rows, blocks = rowsum(rows * weight, stimulus))
}
