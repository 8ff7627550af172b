# The noise of the channels of a center: what whitens its patterns, and the crossnobis estimates of
# its squared distances.

# A list with `kind` and, as far as this kind has them: "none"; "covariance", of all channels as
# `matrix`; "runs", one covariance a run as `each`; "function", of the columns as `precision`.
check_noise <- function(noise, source, measure) {
  if (is.null(noise)) return(list(kind = "none"))
  check_noise_use(source, measure)
  if (is.function(noise)) return(list(kind = "function", precision = noise))
  size <- length(source$channels)
  if (is.list(noise)) {
    if (source$kind != "runs" || length(noise) != ncol(source$present)) {
      abort("`noise` is a list, which must have a covariance matrix for each run",
            if (source$kind == "runs") paste(", and there are", ncol(source$present), "runs"),
            ": give a precision matrix instead, or a list of that length with `run`.",
            class = "repalign_error_size", arg = "noise")
    }
    each <- Map(check_definite, noise, paste0("noise[[", seq_along(noise), "]]"), size)
    return(list(kind = "runs", each = unname(each)))
  }
  list(kind = "covariance", matrix = chol2inv(chol(check_definite(noise, "noise", size))))
}

# Whitening turns the axes of the channels, so that it means nothing to measures for which these
# axes matter.
check_noise_use <- function(source, measure) {
  usable <- source$kind == "runs" || "orthogonal" %in% measure$declaration$invariant ||
    isTRUE(measure$args$inner %in% c("euclidean", "sqeuclidean"))
  if (usable) return(invisible())
  abort("`noise` whitens the channels, after which the axes of the channels mean nothing, and ",
        dQuote(measure$label, FALSE), " depends on them",
        if (identical(measure$id, "rsa")) ": use inner = \"sqeuclidean\" (or \"euclidean\")",
        ". Leave out `noise` otherwise.", class = "repalign_error_choice", arg = "noise")
}

# size: the number of channels.
check_definite <- function(x, arg, size) {
  usable <- is.matrix(x) && is.numeric(x) && all(dim(x) == size) && all(is.finite(x)) &&
    isSymmetric(unname(x))
  root <- if (usable) tryCatch(chol(x), error = function(e) NULL)
  if (!is.null(root)) return(unname(x))
  abort("`", arg, "` must be a symmetric, positive definite matrix of the ", size, " channels, not ",
        if (usable) "one that is not positive definite" else describe(x), ".",
        class = "repalign_error_noise", arg = "noise")
}

part_of_noise <- function(noise, at) {
  if (!is.null(noise$matrix)) noise$matrix <- noise$matrix[at, at, drop = FALSE]
  if (!is.null(noise$each)) noise$each <- lapply(noise$each, function(one) one[at, at, drop = FALSE])
  noise
}

# A matrix W with W W' = the precision of the channels, or NULL.
whitener <- function(noise, channels, at) {
  switch(noise$kind,
    none = NULL,
    covariance = inverse_root(noise$matrix[at, at, drop = FALSE]),
    `function` = t(chol(check_definite(noise$precision(channels), "noise(columns)",
                                       length(channels))))
  )
}

# covariance = U'U has the inverse U^-1 (U^-1)'.
inverse_root <- function(covariance) {
  backsolve(chol(covariance), diag(nrow(covariance)))
}

whitened_patterns <- function(values, noise, channels, at) {
  root <- whitener(noise, channels, at)
  if (is.null(root)) values else values %*% root
}

# The crossnobis RDM of a center, the mean over pairs of runs of the products of differences between
# conditions, over the number of channels. values: the patterns of all runs, one below the other.
crossnobis <- function(values, present, noise, channels, at) {
  n <- nrow(present)
  if (noise$kind == "runs") {
    d <- crossnobis_by_pairs(values, present, noise, at)
  } else {
    root <- whitener(noise, channels, at)
    if (!is.null(root)) values <- values %*% root
    d <- if (all(present)) crossnobis_complete(values, n, ncol(present)) else
      crossnobis_by_pairs(values, present, list(kind = "none"), at)
  }
  structure(d[lower.tri(d)], Size = n, Diag = FALSE, Upper = FALSE, class = "dist")
}

# The sum over all pairs of different runs is the product of the sums less those within runs.
crossnobis_complete <- function(values, n, runs) {
  channels <- ncol(values)
  dim(values) <- c(n, runs * channels)
  total <- 0
  columns <- seq(0, by = runs, length.out = channels)
  for (m in seq_len(runs)) total <- total + values[, columns + m]
  k <- (tcrossprod(total) - tcrossprod(values)) / (runs * (runs - 1) * channels)
  outer(diag(k), diag(k), "+") - 2 * k
}

crossnobis_by_pairs <- function(values, present, noise, at) {
  n <- nrow(present)
  of_run <- function(m) values[(m - 1) * n + seq_len(n), , drop = FALSE]
  total <- count <- matrix(0, n, n)
  for (m in seq_len(ncol(present) - 1)) {
    for (l in (m + 1):ncol(present)) {
      x <- of_run(m)
      y <- of_run(l)
      if (noise$kind == "runs") {
        root <- inverse_root((noise$each[[m]] + noise$each[[l]])[at, at, drop = FALSE] / 2)
        x <- x %*% root
        y <- y %*% root
      }
      g <- tcrossprod(x, y)
      both <- tcrossprod(present[, m] & present[, l])
      total <- total + both * (outer(diag(g), diag(g), "+") - g - t(g))
      count <- count + both
    }
  }
  total / (count * ncol(values))
}
