# Permutations that users give or ask for, and those of time series.

# ---- linear shifts

# Linear shifts of a time series: the middle of x is compared with every stretch of y of the same
# length, so that no shift joins the end of a series to its beginning.

# Half of the rows are compared, and y moves by up to a quarter of them in both directions: longer
# stretches would leave too few shifts, shorter ones too few rows (bench/series.R).
furthest_shift <- function(n) floor(n / 4)

middle_rows <- function(n) seq_len(n - 2 * furthest_shift(n)) + furthest_shift(n)

# As many of the shifts as are wanted, in equal steps, as many forwards as backwards: what makes the
# test valid is that the score is a stationary series over these steps, with the observed order in
# its middle.
linear_shifts <- function(n, wanted) {
  half <- min(max(1, ceiling(wanted / 2)), furthest_shift(n))
  steps <- floor(furthest_shift(n) / half) * seq_len(half)
  c(-rev(steps), steps)
}

# The sides with the middle rows only. Each representation keeps the `whole` that its stretches are
# cut from.
middle_sides <- function(sides) {
  n <- sides$x$reprs[[1]]$n
  refuse_if(n < 4, "size", "series = \"linear\" compares half of the rows and needs at least 4, ",
            "but `{sides$x$reprs[[1]]$arg}` has {n}.", arg = "series")
  cut <- function(side) {
    lapply(side$reprs, function(repr) {
      c(stretch_of(repr, repr, middle_rows(n)), list(whole = repr[c("data", "responses")]))
    })
  }
  sides$x$reprs <- cut(sides$x)
  sides$y$reprs <- if (sides$self || sides$same) sides$x$reprs else cut(sides$y)
  sides
}

# The representation of some rows of `whole`, its data and its responses() object or NULL.
stretch_of <- function(repr, whole, rows) {
  kept <- seq_len(stimulus_count(whole$data)) %in% rows
  repr$data <- switch(repr$kind, data = cut_matrix(whole$data, kept),
                      dist = cut_dist(whole$data, kept), graph = {
                        refuse("graph", "`{repr$arg}` is a neighbour graph, from which series = ",
                               "\"linear\" cannot cut stretches: neighbours of a stretch may lie ",
                               "outside. Give the responses or distances.")
                      },
                      no_branch(repr$kind))
  if (!is.null(whole$responses)) repr$responses <- cut_responses(whole$responses, kept)
  repr$n <- length(rows)
  repr$cache <- new_cache()
  repr
}

# ---- permutations

# These functions make the permutations of the null. They are made once in a call, and every pair is
# compared under the same ones.

# A design holds `engine` (the name that the result gives it), n stimuli, the number `count` of
# permutations without the identity, and the permutations, either as `coset` (see coset_design()) or
# as `matrix` with a column for each permutation; most: how many permutations are possible. One of
# linear shifts has `shifts` in their place, which are no permutations (middle_sides()). Of a coset
# that is far larger than what was asked for only the permutations `kept` count (coset_design()).
new_design <- function(engine, n, count, coset = NULL, matrix = NULL,
                       most = factorial(min(n, 20)) - 1, kept = NULL) {
  list(engine = engine, n = n, count = count, coset = coset, matrix = matrix, most = most,
       kept = kept)
}

most_enumerated <- 1e6

# The plan is what the user asked for, before it is known which engine suits a measure; see
# fixed_plan() and free_plan().
# trim: see coset_design().
permutation_plan <- function(n, permutations, blocks, series, engine, clusters = NULL,
                             trim = FALSE) {
  series <- check_series(series)
  restricted <- c(blocks = !is.null(blocks), clusters = !is.null(clusters),
                  series = !isFALSE(series), given = is.matrix(permutations),
                  how = inherits(permutations, "how"))
  refuse_if(sum(restricted) > 1, "design", "Give only one of `",
            paste(c(blocks = "blocks", clusters = "clusters", series = "series",
                    given = "permutations", how = "permutations")[restricted],
              collapse = "` and `"), "`: each of them determines which permutations are allowed.",
            arg = "permutations")
  refuse_if(any(restricted) && engine != "auto", "design", "`engine` must be \"auto\" when ",
            "`blocks`, `clusters`, `series` or `permutations` determine the permutations.")
  if (restricted["given"]) return(given_plan(permutations, n))
  if (restricted["how"]) return(how_plan(permutations, n))
  refuse_if(is.list(permutations) || length(permutations) > 1, "design",
            "`permutations` must be a number, an integer matrix with one permutation of the ",
            "stimuli per row, or a permute::how() design, not {describe(permutations)}.")
  wanted <- check_count(permutations, "permutations")
  if (restricted["blocks"]) return(block_plan(blocks, n, wanted))
  if (restricted["clusters"]) return(cluster_plan(clusters, n, wanted))
  if (series == "circular") {
    note_fewer(n - 1, wanted, paste("for a series of", n, "rows"), "circular shifts")
    order <- seq_len(n)
    return(fixed_plan(new_design("series", n, n - 1, most = n - 1,
                          coset = list(order_x = order, orders_y = matrix(order, n)))))
  }
  if (series == "linear") {
    shifts <- linear_shifts(n, wanted)
    rows <- middle_rows(n)
    inform("linear_shifts", "The scores are those of the middle {length(rows)} of {n} rows ",
           "({rows[1]} to {rows[length(rows)]}), compared with ",
           "{count_of(length(shifts), 'shift')} of `y` by up to {count_of(max(shifts), 'row')}: ",
           "the smallest possible p-value is {format(1 / (length(shifts) + 1), digits = 3)}.")
    design <- new_design("linear", length(rows), length(shifts), most = 2 * furthest_shift(n))
    return(fixed_plan(c(design, list(shifts = shifts))))
  }
  free_plan(n, wanted, engine, trim)
}

# A plan has these parts. `fixed` is a design for all measures, or NULL when the engine depends on
# the measure. `design_of(engine)` gives the design of an engine, which is made at the first call
# and kept; `counts` are the numbers of permutations of these designs, by their engines, and `count`
# the largest number that a design of the plan has; `most` is how many permutations are possible.
fixed_plan <- function(design) {
  list(fixed = design, design_of = function(engine) design, count = design$count,
       most = design$most)
}

free_plan <- function(n, wanted, engine, trim) {
  enumerable <- factorial(min(n, 20)) <= min(wanted + 1, most_enumerated)
  if (engine == "exact" || (engine == "auto" && enumerable)) {
    count <- factorial(n) - 1
    refuse_if(count + 1 > most_enumerated, "design", "engine = \"exact\" would take all {n}! ",
              "permutations of {n} rows, more than the ",
              format(most_enumerated, big.mark = ",", scientific = FALSE),
              " allowed. Use engine = \"auto\".", arg = "engine")
    design <- new_design("exact", n, count, matrix = all_permutations(n)[, -1, drop = FALSE])
    note_fewer(design$count, wanted, paste("for", count_of(n, "row")), "permutations")
    return(fixed_plan(design))
  }
  designs <- new.env()
  design_of <- function(engine) {
    if (is.null(designs[[engine]])) {
      designs[[engine]] <- switch(engine, coset = coset_design(n, wanted, trim), random = {
        check_permutation_memory(n, wanted)
        new_design("random", n, wanted, matrix = random_orders(n, wanted))
      }, no_branch(engine))
    }
    designs[[engine]]
  }
  list(fixed = NULL, design_of = design_of, count = as.double(wanted) + n - 1,
       counts = c(coset = coset_count(n, wanted, trim), random = wanted),
       most = factorial(min(n, 20)) - 1)
}

# All permutations of 1 to n, one in each column, the identity first.
all_permutations <- function(n) {
  result <- matrix(1L, 1, 1)
  for (size in seq_len(n)[-1]) {
    # each element stands first in turn, followed by every permutation of the others
    parts <- lapply(seq_len(size), function(first) {
      rbind(first, matrix(setdiff(seq_len(size), first)[result], size - 1))
    })
    result <- do.call(cbind, parts)
  }
  storage.mode(result) <- "integer"
  unname(result)
}

# A column each.
random_orders <- function(n, count) {
  matrix(vapply(seq_len(count), function(k) sample.int(n), integer(n)), n)
}

# A design of whole cosets of the cyclic shifts, which fast Fourier transforms can take at once. Its
# permutations are p(i) = s((g(i) + t) mod n), where g is the inverse of order_x, s a column of
# orders_y, and t = 0, ..., n - 1. The first column of orders_y is order_x, so that the first coset
# holds the identity at t = 0; the other columns are uniformly random orders. trim: where
# these are more than twice what is wanted, does a random part of them count? The identity beside
# randomly drawn members of a group keeps the test exact (Hemerik and Goeman 2018).
coset_design <- function(n, wanted, trim = FALSE) {
  cosets <- ceiling((wanted + 1) / n)
  check_permutation_memory(n, cosets, "orders")
  order_x <- sample.int(n)
  orders_y <- cbind(order_x, random_orders(n, cosets - 1), deparse.level = 0)
  count <- coset_count(n, wanted, trim)
  kept <- if (count < n * cosets - 1) sort(sample.int(n * cosets - 1, count))
  new_design("coset", n, count, coset = list(order_x = order_x, orders_y = orders_y), kept = kept)
}

coset_count <- function(n, wanted, trim) {
  all <- n * ceiling((wanted + 1) / n) - 1
  if (trim && all > 2 * wanted) wanted else all
}

# The permutations of any design, one in each column, without the identity. Those of a coset design
# come in the order in which the null kernels take them: the shifts 0 to n - 1 of one coset after
# the other.
design_matrix <- function(design) {
  if (is.null(design$coset)) return(design$matrix)
  n <- design$n
  check_permutation_memory(n, n * ncol(design$coset$orders_y))
  shifted <- (rep(order(design$coset$order_x) - 1, n) + rep(seq_len(n) - 1, each = n)) %% n + 1
  all <- matrix(apply(design$coset$orders_y, 2, function(s) s[shifted]), n)[, -1, drop = FALSE]
  if (is.null(design$kept)) all else all[, design$kept, drop = FALSE]
}

# Which permutations of a design take members of one group to several groups?
breaking_groups <- function(design, groups) {
  same <- outer(groups, groups, "==")
  which(apply(design_matrix(design), 2, function(p) any(same[p, p] != same)))
}

with_observed <- function(design) cbind(seq_len(design$n), design_matrix(design))

# Each element of a permutation takes 4 bytes, and 8 more while the permutations are made.
check_permutation_memory <- function(n, count, what = "permutations") {
  check_memory(12 * as.double(n) * count, paste(count, what, "of", n, "rows"),
               "Fewer permutations need less.")
}

given_plan <- function(permutations, n) {
  refuse_if(!is.numeric(permutations) || ncol(permutations) != n || nrow(permutations) < 1,
            "design", "Each row of the matrix `permutations` must be a permutation of the {n} ",
            "stimuli: {n} columns with the whole numbers from 1 to {n}.",
            if (nrow(permutations) == n) " Transpose it with t().")
  bad <- which(apply(permutations, 1, function(p) anyNA(p) || any(sort(p) != seq_len(n))))
  refuse_if(length(bad), "design", "`permutations` must have a permutation of 1 to {n} in every ",
            "row, but row {bad[1]} is not one.")
  observed <- which(apply(permutations, 1, function(p) all(p == seq_len(n))))
  inform_if(length(observed), "observed_order", "`permutations` has the observed order in row ",
            "{enumerate(observed, quote = FALSE)}, which is counted anyway: leave it out.")
  columns <- t(permutations)
  storage.mode(columns) <- "integer"
  # A test is exact when the observed order might as well have been any other row: rows that form a
  # group, or are random draws. This warns of matrices that are clearly neither.
  count <- ncol(columns)
  different <- sum(!duplicated(columns, MARGIN = 2))
  # the share of places at which neighbouring rows have the same stimulus
  agreement <- if (count < 2) 0 else mean(columns[, -1] == columns[, -count])
  # are these cyclic shifts, but not all of them?
  steps <- (columns[-1, , drop = FALSE] - columns[-n, , drop = FALSE]) %% n
  what <- if (different < count / 2) {
    paste0("`permutations` has only ", count_of(different, "different row"), " among ", count)
  } else if (agreement > 0.6) {
    paste0("The rows of `permutations` are nearly the same: two of them have on average ",
           format(100 * agreement, digits = 2), "% of their places in common")
  } else if (n > 2 && all(steps == 1) && length(unique(columns[1, ])) < n - 1) {
    paste0("The rows of `permutations` are shifts, but only ", different, " of the ", n - 1,
           " that there are (series = TRUE takes all)")
  }
  warn_if(!is.null(what), "permutations", "{what}. Then the p-values are not exact, and can be ",
          "far too small: give random permutations, or all of a group.", data = different)
  fixed_plan(new_design("given", n, count, matrix = unname(columns)))
}

how_plan <- function(design, n) {
  require_package("permute", "A permutation design (how)")
  wanted <- check_count(permute::getNperm(design), "permutations$nperm")
  check_how_blocks(design, n)
  # the set must not hold the observed order, which is counted separately
  design <- permute::`setObserved<-`(design, FALSE)
  possible <- fitting_design(permute::numPerms(n, control = design))
  refuse_if(possible < 2, "design", "The design in `permutations` allows no permutation except ",
            "the observed order.")
  note_fewer(possible - 1, wanted, "with the design in `permutations`", "permutations")
  nset <- min(wanted, possible - 1)
  check_permutation_memory(n, nset)
  # note_fewer() has already said what permute says about small sets
  set <- suppressMessages(fitting_design(permute::shuffleSet(n, nset, control = design)))
  fixed_plan(new_design("given", n, nrow(set), matrix = t(unclass(as.matrix(set))),
                        most = possible - 1))
}

check_how_blocks <- function(design, n) {
  blocks <- permute::getBlocks(design)
  refuse_if(!is.null(blocks) && ((length(blocks) != n && NROW(blocks) != n) ||
              anyNA(blocks)), "design", "The blocks of `permutations` must name each of the {n} ",
            "rows, without missing values; they name {NROW(stats::na.omit(blocks))}.")
}

fitting_design <- function(code) {
  catch_error(code, failed = function(e) {
    refuse("design", "The design in `permutations` cannot be used: {conditionMessage(e)}")
  })
}

# arg: what messages call the blocks
block_plan <- function(blocks, n, wanted, arg = "blocks") {
  blocks <- check_block_labels(blocks, n, arg)
  members <- split(seq_len(n), blocks)
  possible <- prod(factorial(pmin(lengths(members), 20)))
  refuse_if(possible < 2, "design", "Every block in `{arg}` has one row: use larger blocks.")
  check_permutation_memory(n, min(possible, wanted))
  if (possible <= min(wanted + 1, most_enumerated)) {
    note_fewer(possible - 1, wanted, paste0("within `", arg, "`"), "permutations")
    matrix <- all_block_permutations(members, n)[, -1, drop = FALSE]
  } else {
    matrix <- vapply(seq_len(wanted), function(k) {
      permutation <- seq_len(n)
      for (rows in members) permutation[rows] <- rows[sample.int(length(rows))]
      permutation
    }, integer(n))
  }
  fixed_plan(new_design("blocks", n, ncol(matrix), matrix = matrix, most = possible - 1))
}

check_block_labels <- function(blocks, n, arg = "blocks") {
  blocks <- column_of_labels(blocks)
  refuse_if(!is.atomic(blocks) || length(dim(blocks)) > 1 || length(blocks) != n ||
              anyNA(blocks), "design", "`{arg}` must name the block of each of the {n} rows, ",
            "without missing values.")
  factor(blocks, unique(blocks))
}

# All permutations within blocks, one in each column, the identity first.
all_block_permutations <- function(members, n) {
  result <- matrix(seq_len(n), n, 1)
  for (rows in members) {
    inner <- all_permutations(length(rows))
    each <- rep(seq_len(ncol(inner)), each = ncol(result))
    result <- result[, rep(seq_len(ncol(result)), ncol(inner)), drop = FALSE]
    result[rows, ] <- rows[inner[, each]]
  }
  result
}

# Whole clusters change places, their members in the given order.
cluster_plan <- function(codes, n, wanted) {
  # the stimuli of each cluster, a column each
  members <- split(seq_along(codes), codes)
  sizes <- lengths(members)
  if (length(unique(sizes)) > 1) {
    usual <- as.integer(names(which.max(table(sizes))))
    refuse(c("repalign_error_cluster_sizes", "repalign_error_design"), "`clusters` has clusters ",
           "of {min(sizes)} to {max(sizes)} stimuli, but only clusters of one size can change ",
           "places. Leave out stimuli (label NA) until all have the same number, or whole ",
           "clusters: {sum(sizes == usual)} of {length(sizes)} have {usual}.")
  }
  members <- matrix(unlist(members), sizes[1])
  count <- ncol(members)
  possible <- factorial(min(count, 20))
  check_permutation_memory(n, min(possible, wanted))
  if (possible <= min(wanted + 1, most_enumerated)) {
    note_fewer(possible - 1, wanted, paste("of", count, "clusters"), "permutations")
    orders <- all_permutations(count)[, -1, drop = FALSE]
  } else {
    orders <- random_orders(count, wanted)
  }
  matrix <- apply(orders, 2, function(order) {
    permutation <- integer(length(members))
    permutation[members] <- members[, order]
    permutation
  })
  fixed_plan(new_design("clusters", n, ncol(matrix), matrix = matrix, most = possible - 1))
}

# Tells the user that fewer permutations are possible than were asked for. where: a phrase such as
# "within `blocks`"; of: what is counted, such as "permutations".
note_fewer <- function(possible, wanted, where, of) {
  inform_if(possible < wanted, "few_permutations", "Only {possible} ",
            if (possible == 1) sub("s$", " is", of) else paste(of, "are"), " possible {where}, ",
            "fewer than the {wanted} asked for: the smallest possible p-value is ",
            "{format(1 / (possible + 1), digits = 3)}.")
}

# ---- series

# How many independent points a pair of time series is worth, and whether circular shifts suffice.

series_kinds <- c("circular", "linear")

# FALSE, or one of the kinds of shifts; TRUE is "circular".
check_series <- function(series) {
  if (is.character(series)) return(check_choice(series, series_kinds, "series"))
  usable <- is.logical(series) && length(series) == 1 && !is.na(series)
  refuse_if(!usable, "value", "`series` must be TRUE or FALSE, or one of ",
            "{enumerate(series_kinds)}.")
  if (series) "circular" else FALSE
}

# n / sum_h r_x(h) r_y(h) over all lags h, negative ones, too: the mean score of unrelated series is
# that of so many independent points. A slow side alone leaves it at n.
effective_points <- function(n, x, y) {
  products <- x * y
  # the products of autocorrelations up to the first two neighbouring lags whose sum is not positive
  # (Geyer 1992): beyond it they are noise
  pairs <- floor(length(products) / 2)
  sums <- products[2 * seq_len(pairs) - 1] + products[2 * seq_len(pairs)]
  end <- which(sums <= 0)
  n / max(1, 2 * sum(products[seq_len(2 * if (length(end)) end[1] - 1 else pairs)]) - products[1])
}

# The autocorrelation of a representation at the lags 0, 1, ...: the sum of all products of centred
# rows at this lag over that at lag 0. Distances stand for the products of rows with these
# distances. In a neighbour graph it is the share of rows that are neighbours at the lag, beyond
# that of all rows.
autocorrelation <- function(repr) {
  products <- switch(repr$kind, data = lag_products(repr$data), dist = distance_products(repr$data),
                     graph = {
                       n <- nrow(repr$data$idx)
                       lags <- abs(repr$data$idx - row(repr$data$idx))
                       found <- tabulate(lags, n - 1) / 2
                       share <- ncol(repr$data$idx) / (n - 1)
                       c(n * (1 - share), found - (n - seq_len(n - 1)) * share)
                     }, no_branch(repr$kind))
  if (products[1] > 0) products / products[1] else c(1, rep(0, length(products) - 1))
}

# All lags at once, by Fourier transforms of columns with as many zeros after them. A few columns at
# a time keep memory small.
columns_at_once <- 64

lag_products <- function(x) {
  n <- nrow(x)
  center <- colMeans(x)
  scale <- max(abs(x))
  length <- stats::nextn(2 * n)
  power <- numeric(length)
  if (scale == 0) return(power[seq_len(n)])
  for (first in seq(1, ncol(x), by = columns_at_once)) {
    at <- first:min(first + columns_at_once - 1, ncol(x))
    part <- (x[, at, drop = FALSE] - rep(center[at], each = n)) / scale
    padded <- rbind(part, matrix(0, length - n, length(at)))
    power <- power + rowSums(Mod(stats::mvfft(padded))^2)
  }
  Re(stats::fft(power, inverse = TRUE))[seq_len(n)] / length
}

# The inner product of centred rows i and j is (m_i + m_j - m - d_ij^2) / 2, with the mean squares
# of each row and of all.
distance_products <- function(d) {
  n <- attr(d, "Size")
  means <- cumulated <- numeric(n)
  end <- 0
  for (i in seq_len(n - 1)) {
    squares <- d[end + seq_len(n - i)]^2
    end <- end + n - i
    lags <- seq_len(n - i) + 1
    cumulated[lags] <- cumulated[lags] + squares
    means[i] <- means[i] + sum(squares)
    later <- i + seq_len(n - i)
    means[later] <- means[later] + squares
  }
  means <- means / n
  # rows that have a later one at the lag, and rows that have an earlier one
  (rev(cumsum(means)) + rev(cumsum(rev(means))) - n:1 * mean(means) - cumulated) / 2
}

# How many directions the rows vary in: the participation ratio, tr(K)^2 / tr(K^2) of the centred
# kernel K. Of many rows some in equal distances are enough.
most_kernel_rows <- 500

kernel_dimension <- function(repr) {
  kernel <- if (repr$kind == "graph") {
    # 1 for the row itself and for mutual neighbours, 1/2 for one-sided ones, less the mean
    n <- as.double(nrow(repr$data$idx))
    share <- ncol(repr$data$idx) / (n - 1)
    edge <- as.vector(row(repr$data$idx) + n * (repr$data$idx - 1))
    mutual <- sum(edge %in% as.vector(repr$data$idx + n * (row(repr$data$idx) - 1)))
    list(trace = n * (1 - share),
         squares = n * (1 - share)^2 + (length(edge) + mutual) / 2 - share^2 * n * (n - 1))
  } else {
    rows <- unique(round(seq(1, repr$n, length.out = min(repr$n, most_kernel_rows))))
    gram <- if (repr$kind == "dist") {
      n <- as.double(repr$n)
      later <- outer(rows, rows, "<")
      i <- rows[row(later)[later]]
      j <- rows[col(later)[later]]
      d <- repr$data[n * (i - 1) - i * (i - 1) / 2 + j - i]
      squares <- matrix(0, length(rows), length(rows))
      squares[later] <- (d / max(repr$data, .Machine$double.xmin))^2
      squares <- squares + t(squares)
      means <- rowMeans(squares)
      (outer(means, means, "+") - mean(means) - squares) / 2
    } else {
      x <- repr$data[rows, , drop = FALSE]
      x <- (x - rep(colMeans(x), each = nrow(x))) / max(abs(x), .Machine$double.xmin)
      if (ncol(x) < nrow(x)) crossprod(x) else tcrossprod(x)
    }
    list(trace = sum(diag(gram)), squares = sum(gram^2))
  }
  if (kernel$trace > 0) kernel$trace^2 / kernel$squares else 1
}

# How many effective points circular shifts need for n rows: where pairs had them, unrelated series
# were rejected at most about 1.5 times as often as they should (bench/series.R). The more
# dimensions, the less scores vary by chance, and the more it matters that a shift joins the ends.
# Independent points always suffice: shifts are then as good as permutations.
points_needed <- function(n, dimension_x, dimension_y) {
  1 / (1 / n + 1 / (20 + 6 * max(dimension_x, dimension_y)))
}

warn_slow_series <- function(pairs, sides) {
  n <- sides$x$reprs[[1]]$n
  facts <- function(side) lapply(lapply(side$reprs, mean_in_gaps), function(repr) {
    list(r = autocorrelation(repr), dimension = kernel_dimension(repr))
  })
  x <- facts(sides$x)
  y <- if (sides$self || sides$same) x else facts(sides$y)
  points <- mapply(function(i, j) effective_points(n, x[[i]]$r, y[[j]]$r), pairs$i, pairs$j)
  needed <- mapply(function(i, j) points_needed(n, x[[i]]$dimension, y[[j]]$dimension), pairs$i,
                   pairs$j)
  if (any(points < needed)) {
    worst <- which.min(points / needed)
    several <- nrow(pairs) > 1
    name <- function(side, at) quoted(title_of(side$reprs[[at]]))
    warn("series", "Circular shifts reject unrelated series too often where both are slow",
         if (several) paste0(", as in ", sum(points < needed), " of ", nrow(pairs), " pairs"),
         ": {name(sides$x, pairs$i[worst])} and ",
         "{name(sides$y, pairs$j[worst])}{if (several) ', the worst,'} are worth about ",
         "{format(points[worst], digits = 2)} independent points (of {n}), and ",
         "{round(needed[worst])} are needed. series = \"linear\" holds for slow series, too.",
         data = points[worst])
    return(invisible("slow series"))
  }
}
