# How much memory there is, and what measures need at their peak.

# ---- memory

# These functions check, before memory is allocated, whether a call may use so much of it.

# Sizes are passed as doubles, so that the check itself cannot overflow.
check_size <- function(rows, columns, arg) {
  refuse_if(rows > .Machine$integer.max || columns > .Machine$integer.max, "size",
            "`{arg}` is {format(rows)} x {format(columns)}: each side must fit a BLAS integer (at ",
            "most 2^31 - 1). Take fewer rows or columns.")
  invisible()
}

# bytes: what the call is about to allocate; what and remedy: what the memory is for, and what would
# need less of it, for the error message.
check_memory <- function(bytes, what, remedy) {
  if (is_small_amount(bytes)) return(invisible())
  limit <- memory_limit()
  refuse_if(bytes > limit, "memory", "{what} would take about {format_bytes(bytes)}, more than ",
            "the {format_bytes(limit)} allowed (half of the free memory, or ",
            "options(repalign.max_memory =)). {remedy}", arg = NULL)
  invisible()
}

# Asking the system for its free memory takes longer than filling such a small amount.
is_small_amount <- function(bytes) bytes < 2^24 && is.null(getOption("repalign.max_memory"))

format_bytes <- function(bytes) format(structure(bytes, class = "object_size"), units = "auto")

memory_limit <- function() {
  set <- getOption("repalign.max_memory")
  if (!is.null(set)) return(check_number(set, "repalign.max_memory", above = 0))
  # Linux tells how much memory is free. Elsewhere it is unknown, and 16 GB are taken for granted,
  # which most workstations have.
  lines <- catch_error(readLines("/proc/meminfo"), failed = function(e) character(),
                       warning = function(w) character())
  line <- grep("^MemAvailable:", lines, value = TRUE)
  free <- if (length(line) == 1) as.double(gsub("[^0-9]", "", line)) * 1024 else 16 * 1024^3
  free / 2
}

# ---- memory peaks

# What a comparison will need at its peak, told from sizes alone: the functions that declarations
# name as `memory`. bench/memory.R compares them with what was measured.

# A `memory` is a function(n, dx, dy, args), with dx and dy the numbers of neurons, 0 where
# distances or a graph stand for them. It gives c(kept, peak), in numbers of 8 bytes: what stays of
# both sides after the comparison, and the most that there is at once, with what is kept. R frees
# what is no longer used only now and then: that is counted, too.
memory_needs <- function(kept, passing) c(kept = kept, peak = kept + passing)

no_memory <- function(n, dx, dy, args) memory_needs(0, 0)

# ---- distances of all pairs of stimuli

# kept: packed vectors of both sides; made: what else there is at once when the distances are
# there; given: how many vectors the distances are where they are made, since given ones take none.
packed_needs <- function(n, dx, dy, kept, made, distances = 1) {
  given <- (dx == 0) + (dy == 0)
  kept <- (kept - given * distances) * packed_length(n)
  d <- max(dx, dy)
  # the data, centred, as long as they fit into a block, and a panel of products
  search <- if (d > 0) min(n * d, max(n, 2^26)) + n * min(n, 512, max(64, 2^21 / n)) else 0
  memory_needs(kept, max(made * packed_length(n), search))
}

two_packed <- function(n, dx, dy, args) packed_needs(n, dx, dy, kept = 2, made = 0)

rsa_needs <- function(n, dx, dy, args) {
  if (whitens(args$outer)) {
    needs <- packed_needs(n, dx, dy, kept = 4, made = 1)
    # with noise a metric each, and an RDM as a matrix between them
    return(needs + if (is.null(args$stimulus_noise)) 0 else c(2, 6) * n^2)
  }
  switch(args$outer, spearman = , rho_a = packed_needs(n, dx, dy, kept = 4, made = 1),
         kendall = , tau_b = packed_needs(n, dx, dy, kept = 4, made = 2),
         pearson = , cosine = packed_needs(n, dx, dy, kept = 2, made = 0), no_branch(args$outer))
}

# ---- neighbours

# weights: numbers for each neighbour beside the graph; rows: are the rows of both sides kept?
# clusters: if some stimuli have no label, the data without them are kept, too, and copied once more
# on the way.
neighbour_needs <- function(n, dx, dy, k, weights = 0, rows = FALSE, clusters = NULL) {
  k <- min(k, n - 1)
  kept <- 2 * n * k * (1.5 + weights) + (rows + anyNA(clusters)) * n * (dx + dy)
  d <- max(dx, dy)
  # products of all rows where they are few, or of blocks, or of whole rows with all others
  products <- max(min(256, n) * min(n, 16384), min(512, n)^2)
  search <- if (d > 0) (if (rows) 0 else n * d) + products else 0
  copies <- if (anyNA(clusters)) n * d else 0
  memory_needs(kept, copies + search + n * (2 * min(n - 1, k + 17) + 2 * k))
}

graph_needs <- function(n, dx, dy, args) {
  neighbour_needs(n, dx, dy, args$k, clusters = args$clusters)
}

sparse_needs <- function(n, dx, dy, args) {
  full <- identical(args$centering, "full")
  rows <- isFALSE(args$normalize) || full
  needs <- neighbour_needs(n, dx, dy, args$k, weights = 2, rows = rows, clusters = args$clusters)
  # the means of rows between clusters, from products of copies of the rows
  if (full && !is.null(args$clusters)) {
    needs[["peak"]] <- max(needs[["peak"]], needs[["kept"]] + 3 * n * max(dx, dy))
  }
  needs
}

# ---- linear kernels and cross products

# Rows or columns that are loaded at a time, of both sides.
loaded_needs <- function(n, d) 2 * min(n * d, max(2^15, 256 * d))

linear_needs <- function(n, dx, dy, args) {
  wide <- c(dx, dy) > n
  kept <- n^2 * sum(wide)
  products <- c((c(dx, dy)^2)[!wide], if (!any(wide)) as.double(dx) * dy)
  memory_needs(kept, max(0, products) + loaded_needs(n, max(dx, dy)))
}

cka_needs <- function(n, dx, dy, args) {
  if (args$corrects$trials) {
    # the responses of both sides, their sums over events in three orders, and matrices of neurons
    # or, for other kernels and where trials are fewer, of all trials
    trials <- n * max(1, args$trials)
    cells <- trials * (as.double(dx) + dy)
    square <- if (args$kernel == "rbf") 6 * trials^2 else 2 * min(max(dx, dy), trials)^2
    return(memory_needs(cells + linear_needs(n, dx, dy, args)[["kept"]], 4 * cells + square))
  }
  switch(args$kernel, linear = linear_needs(n, dx, dy, args),
         # a wide kernel is made a second time, without the 1
         rbf = packed_needs(n, dx, dy, kept = 4, made = 1),
         manifold = neighbour_needs(n, dx, dy, args$k, weights = 4), no_branch(args$kernel))
}

# The cross product, and a copy of it to be decomposed or assigned.
rotation_needs <- function(n, dx, dy, args) {
  if (min(dx, dy) > n) return(memory_needs(2 * n^2, max(n * c(dx, dy)) + 1.5 * n^2))
  memory_needs(0, 2 * as.double(dx) * dy + loaded_needs(n, max(dx, dy)))
}

# The rotation with its vectors, and the rows that it turns.
aligned_needs <- function(n, dx, dy, args) {
  if (min(dx, dy) > n) return(memory_needs(2 * n^2, max(n * c(dx, dy)) + 9 * n^2))
  cross <- as.double(dx) * dy
  decomposed <- n * (dx + dy) + 3 * cross + 9 * min(dx, dy)^2
  memory_needs(0, max(decomposed, n * (dx + dy + max(dx, dy)) + 5 * cross))
}

# products: how often the matrix of correlations is there at once.
correlation_needs <- function(n, dx, dy, products) {
  memory_needs(n * (as.double(dx) + dy), products * as.double(dx) * dy)
}

# Products and costs of all pairs of neurons, and the differences of matched ones.
transport_needs <- function(n, dx, dy, args) {
  correlation_needs(n, dx, dy, 5) + c(0, 3 * n * (as.double(dx) + dy))
}

# ---- decompositions

# What stays of a basis: with fewer neurons than stimuli also the triangle.
basis_kept <- function(n, d) if (d < n) (n + d) * as.double(d) else n^2

# cube: d x d (or n x n) matrices that are there at once when one side has been decomposed.
basis_passing <- function(n, d, tall, wide, loaded = 3) {
  if (d < n) tall * as.double(d)^2 else loaded * as.double(n) * d + wide * n^2
}

# tall, wide: small square matrices that pass while a side is decomposed or both are compared,
# with fewer neurons than stimuli and with more; loaded: copies of wide data.
basis_needs <- function(tall, wide, loaded = 3) {
  force(tall)
  force(wide)
  force(loaded)
  function(n, dx, dy, args) {
    kept <- basis_kept(n, dx) + basis_kept(n, dy)
    passing <- vapply(c(dx, dy), basis_passing, 0, n = n, tall = tall, wide = wide,
                      loaded = loaded)
    memory_needs(kept, max(passing))
  }
}

# Factors of second moments; those of distances come from matrices and their decomposition.
moment_needs <- function(n, dx, dy, args) {
  ranks <- ifelse(c(dx, dy) == 0, n, pmin(n, c(dx, dy)))
  passing <- if (min(dx, dy) == 0) 6 * n^2 else n * max(dx, dy)
  memory_needs(n * sum(ranks), passing + 2 * prod(ranks))
}
