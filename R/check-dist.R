# These functions check "dist" objects that are given in the place of responses.

# allow_na: distances may be missing, because stimuli without them will be taken out later, or
# because they are left out; allow_zero: may all of them be 0? pairwise: does the caller leave out
# pairs that lack when it is asked to, by missing = "pairwise"?
check_dist <- function(x, arg, allow_na = FALSE, allow_zero = FALSE, pairwise = FALSE) {
  n <- attr(x, "Size")
  sized <- is.numeric(n) && length(n) == 1 && is.finite(n) && n >= 0 && n == round(n)
  if (!is.numeric(x) || !sized || length(x) != n * (n - 1) / 2) {
    abort("`", arg, "` is a damaged \"dist\" object: its length does not match its size. Make it ",
          "again with dist() or as.dist().", class = "repalign_error_type", arg = arg)
  }
  if (!length(attr(x, "Labels")) %in% c(0, n)) {
    abort("`", arg, "` is a damaged \"dist\" object: it has ", length(attr(x, "Labels")),
          " labels for ", n, " rows.", class = "repalign_error_type", arg = arg)
  }
  bad <- if (allow_na) is.infinite(x) else !is.finite(x)
  refuse_distances(which(bad), n, if (allow_na) "infinite" else "missing or non-finite", arg,
                   pairwise && !any(is.infinite(x)))
  if (!allow_zero && all(x == 0, na.rm = allow_na)) refuse_zeros(arg)
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

refuse_zeros <- function(arg) {
  abort("`", arg, "` has no variance: all distances are 0.", class = "repalign_error_variance",
        arg = arg)
}

# Only measures that accept "zero" distances say for themselves that they are undefined.
refuse_zero <- function(repr, accepted) {
  if (is.null(repr$loose) || "zero" %in% accepted) return(invisible())
  if (all(repr$data == 0, na.rm = TRUE)) refuse_zeros(repr$arg)
}

refuse_distances <- function(bad, n, what, arg, pairwise = FALSE) {
  if (!length(bad)) return(invisible())
  stimuli <- stimuli_of_distance(bad[1], n)
  abort("`", arg, "` has ", length(bad), " ", what, " distance", if (length(bad) > 1) "s",
        ", first between rows ", stimuli[1], " and ", stimuli[2],
        ". ", if (pairwise) "Set missing = \"pairwise\" to leave out these pairs; or remove" else
          "Remove", " those rows, or correct the distances.", class = "repalign_error_nonfinite",
        arg = arg)
}

# Estimates of squared distances (crossnobis) may be negative. Only measures that accept "signed"
# distances can use these, as a correlation of dissimilarities can.
refuse_negative <- function(repr, accepted) {
  if (repr$kind != "dist" || "signed" %in% accepted) return(invisible())
  bad <- which(repr$data < 0)
  if (!length(bad)) return(invisible())
  stimuli <- stimuli_of_distance(bad[1], repr$n)
  abort("`", repr$arg, "` has ", count_of(length(bad), "negative distance"),
        ", first between rows ", stimuli[1], " and ", stimuli[2], ". If these are estimates of ",
        "squared distances, transform_rdm(", repr$arg, ", \"sqrt\") makes distances of them; ",
        "rsa() takes them as they are.", class = "repalign_error_nonfinite", arg = repr$arg)
}

# A square matrix of distances or of similarities is read as responses, but that is hardly ever what
# the user means.
note_distance_matrix <- function(x, arg) {
  if (nrow(x) != ncol(x) || nrow(x) < 3) return(invisible())
  zeros <- isTRUE(all(diag(x) == 0))
  ones <- isTRUE(all(abs(diag(x) - 1) <= 1e-8))
  if (!zeros && !ones || anyNA(x)) return(invisible())
  off <- x[row(x) != col(x)]
  # a code with one column for each stimulus has nothing beside its diagonal
  if (all(off == 0)) return(invisible())
  symmetric <- all(abs(x - t(x)) <= 1e-8 * max(abs(off)))
  # those of similarities are said to be ones only
  if (!symmetric && (ones || any(off == 0))) return(invisible())
  warn("`", arg, "` is ", if (symmetric) "symmetric" else "square", " with ",
       if (zeros) "zeros" else "ones", " on the diagonal",
       if (!symmetric) " and nowhere else, but not symmetric", ", like a matrix of ",
       if (zeros) "dissimilarities" else "similarities",
       if (!symmetric) " with a mistake", ", but its rows are taken for responses. If it holds ",
       if (zeros) "dissimilarities" else "similarities", ", ",
       if (!symmetric) "correct it and ", "give as.dist(", if (ones) "1 - ", arg, ").",
       class = "repalign_distance_matrix", data = arg)
}

# The two stimuli (row numbers) whose distance is the k-th value of a "dist" object of n stimuli.
stimuli_of_distance <- function(k, n) unlist(pair_places(k, n), use.names = FALSE)
