# RDMs that lack pairs of stimuli: which measures take them, and how many pairs are left.

# Which pairs lack, or NULL.
gaps_of <- function(repr) {
  if (repr$kind == "dist" && anyNA(repr$data)) is.na(repr$data)
}

# The same representation with the mean of its distances where they lack, for rough estimates.
mean_in_gaps <- function(repr) {
  lacking <- gaps_of(repr)
  if (!is.null(lacking)) repr$data[lacking] <- mean(repr$data, na.rm = TRUE)
  repr
}

takes_gaps <- function(measure) !is_own(measure) && identical(measure$args$missing, "pairwise")

# reprs: list(x, y) of those of a call. Do pairs lack in any of them?
settle_rsa <- function(args, reprs) {
  if (args$missing == "error") return(args)
  args$gaps <- !all(vapply(c(reprs$x, reprs$y), function(repr) is.null(gaps_of(repr)), NA))
  args
}

# Missing distances are refused where a measure of the call cannot do without them.
refuse_lacking_pairs <- function(reprs, set) {
  if (all(vapply(set, takes_gaps, NA))) return(invisible())
  comparisons <- all(vapply(set, function(measure) identical(measure$id, "rsa"), NA))
  for (repr in reprs) {
    if (!is.null(gaps_of(repr))) check_dist(repr$data, repr$arg, pairwise = comparisons)
  }
}

# How many pairs of stimuli the comparisons of a call are over: a matrix, representations of x by
# those of y. codes: of clusters, within which pairs do not count.
counted_pairs <- function(x, y, codes = NULL) {
  n <- x[[1]]$n
  codes <- if (!is.null(codes)) codes[!is.na(codes)]
  counts <- if (is.null(codes)) rep(TRUE, packed_length(n)) else between_clusters(codes)
  there <- function(reprs) {
    vapply(reprs, function(repr) {
      lacking <- gaps_of(repr)
      as.double(if (is.null(lacking)) counts else counts & !lacking)
    }, double(length(counts)))
  }
  crossprod(there(x), there(y))
}

# The same for the rows of a result, NA for other measures.
counts_by_row <- function(pairs, sides, set) {
  counts <- vapply(set, function(measure) {
    if (!takes_gaps(measure)) return(rep(NA_real_, nrow(pairs)))
    counts <- counted_pairs(sides$x$reprs, sides$y$reprs, measure$args$clusters)
    counts[cbind(pairs$i, pairs$j)]
  }, double(nrow(pairs)))
  as.integer(t(matrix(counts, nrow(pairs))))
}

# Says over how many pairs of stimuli the comparisons are that do without missing ones.
note_gaps <- function(pairs, x, y, set) {
  set <- Filter(function(measure) isTRUE(measure$args$gaps), set)
  if (!length(set)) return(invisible())
  counts <- counted_pairs(x, y, set[[1]]$args$clusters)[cbind(pairs$i, pairs$j)]
  of <- format(packed_length(x[[1]]$n), big.mark = ",")
  inform("missing = \"pairwise\": ", if (length(counts) > 1) "comparisons are" else "compared",
         " over ", paste(unique(range(counts)), collapse = " to "), " of ", of,
         " pairs of stimuli.", class = "repalign_pairs_left_out")
}
