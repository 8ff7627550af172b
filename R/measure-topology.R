# Measures of shape: IMD by heat traces of neighbour graphs, RTD by persistence bars, manifolds by
# their statistics.

#' @include form.R measure.R
NULL

#' Multi-scale intrinsic distance
#'
#' How differently heat spreads over the neighbour graphs of two representations: the shapes of the
#' clouds, not the positions of stimuli.
#'
#' @param x,y two representations, see [cka()], whose rows may be in any order. Either may also be a
#'   `dist` object with Euclidean distances, or a neighbour graph, see [mutual_knn()].
#' @param k number of neighbours of each stimulus in the graph.
#' @param degree degree of the polynomial that approximates the heat kernel, at most 60; at 8 the
#'   error was about 1e-6 of the score.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number, at least 0; 0 for graphs with equal spectra. As in the published code, it is
#'   multiplied by 1e6.
#' @details
#' The score is the largest weighted difference between the heat traces of both graphs (of nearest
#' neighbours by Euclidean distance) over temperatures from 0.1 to 10. Local structure such as
#' clustering and degrees counts, global shape hardly.
#'
#' Rotation, scaling and translation of either side leave the score as it is, and so does reordering
#' its stimuli: there is no permutation test.
#'
#' When not to trust it: two unrelated clouds from the same distribution have a small score. Many
#' duplicated rows make the neighbours arbitrary.
#' @references Tsitsulin et al. (2020), ICLR.
#' @examples
#' set.seed(1)
#' plane <- matrix(rnorm(400), 200) %*% matrix(rnorm(20), 2)
#' cloud <- matrix(rnorm(2000), 200)
#' imd(plane, cloud)
#' imd(cloud, cloud[sample(200), ])
#' @seealso [rtd()]
#' @export
imd <- function(x, y, k = 5, degree = 12, na = c("error", "stimuli", "neurons"), ...) {
  one_score("imd", x, y, list(k = k, degree = degree), na)
}

heat_tables <- new.env()

declare_measure(
  id = "imd", label = "Multi-scale intrinsic distance", family = "topology", resi = "IMD",
  direction = "distance", range = c(0, Inf), best = 0, symmetric = TRUE, metric = FALSE,
  pairing = FALSE, invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Tsitsulin et al. 2020", accepts = kinds,
  neighbours = function(args) list(metric = "euclidean", k = args$k),
  check = function(args) {
    args$k <- check_count(args$k, "k")
    args$degree <- check_count(args$degree, "degree", least = 2)
    refuse_if(args$degree > 60, "value", "`degree` is {args$degree}, but must be at most 60; ",
              "above 20 the score no longer changes.")
    args
  },
  form = "summary", keeps = "graph",
  # The mean diagonal of the Chebyshev polynomials T_0, T_1, ... of the normalised adjacency matrix.
  # Each step gives two degrees, so that an odd degree brings one polynomial more than needed.
  prepare = function(repr, args, side) {
    steps <- (args$degree + 1L) %/% 2L
    graph <- form_graph(repr, "euclidean", args$k)
    remember_summary(repr, "heat traces", list(args$k, steps, graph$order), {
      list(traces = .Call(C_heat_traces, graph$idx, steps, thread_count()) / repr$n)
    })
  },
  score = function(statistic, x, y, args) {
    # The coefficients that turn Chebyshev means into weighted heat traces: a matrix with a row for
    # each temperature t and a column for each degree j. An entry is 2 exp(-t) I_j(t), half of that
    # for j = 0, times the weight of the temperature; I_j is the modified Bessel function.
    table <- remember(heat_tables, args$degree, {
      t <- 10^seq(-1, 1, length.out = 256)
      bessel <- vapply(0:args$degree, function(j) besselI(t, j, expon.scaled = TRUE), t)
      1e6 * exp(-2 * (t + 1 / t)) * sweep(bessel, 2, c(1, rep(2, args$degree)), "*")
    })
    max(abs(table %*% (x$traces - y$traces)[seq_len(args$degree + 1)]))
  },
  needs_data = FALSE
)

#' Representation topology divergence
#'
#' How much the clusters and loops of two clouds of the same stimuli differ: the total length of the
#' bars of their cross-barcode, which is 0 for clouds with proportional distances.
#'
#' @param x,y see [cka()]. Either may also be a `dist` object with the distances between the
#'   stimuli.
#' @param batch number of stimuli in one comparison. Of more rows, random subsets of this size are
#'   compared; with `Inf` all.
#' @param trials number of random subsets. One of 500 rows takes up to ten seconds.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number, at least 0: the mean over both directions and all subsets.
#' @details
#' Distances are divided by their 0.9 quantile. A bar is a difference between one cloud and the
#' union of both neighbour graphs: clusters that the other side joins at a smaller distance, or
#' loops.
#'
#' Rotation, scaling and translation of either side leave the score as it is. It is sensitive to
#' density and to outliers.
#'
#' When not to trust it: the score grows with the number of stimuli, so compare only scores with the
#' same `batch`. Scores from random subsets scatter. In many dimensions all distances are similar,
#' and so are all scores.
#' @references Barannikov et al. (2022), ICML. Bauer (2021), Journal of Applied and Computational
#'   Topology 5 (Ripser). de Silva et al. (2011), Inverse Problems 27.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(200), 100)
#' rtd(x, x + 0.1 * rnorm(200))
#' rtd(x, matrix(rnorm(200), 100))
#' @seealso [imd()]
#' @export
rtd <- function(x, y, batch = 500, trials = 10, na = c("error", "stimuli", "neurons"), ...) {
  one_score("rtd", x, y, list(batch = batch, trials = trials), na)
}

declare_form("row subsets", relabel = unmoved,
             size = function(n, d, args) args$trials * min(n, args$batch), drawn = "subsets")

declare_form("cloud", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(min(n, args$batch)))

cloud_of_rows <- function(repr, rows) {
  distances <- if (repr$kind == "dist") dist_of_rows(repr$data, rows) else
    .Call(C_row_distances, repr$data, rows, form_centering(repr)$scale, thread_count())
  unit <- square_quantile(distances, length(rows), 0.9)
  if (unit == 0) {
    m <- length(rows)
    part <- m < repr$n
    refuse("variance", "The distances between the rows of `{repr$arg}` cannot be scaled: their ",
           "0.9 quantile is 0, because most ",
           if (part) paste("rows of a subset of", m) else "rows", " are equal. Remove duplicates",
           if (part) ", or use a larger `batch`", ".")
  }
  distances / unit
}

# The distances among some rows, packed in the order of stats::dist(). rows: increasing numbers.
dist_of_rows <- function(d, rows) {
  n <- attr(d, "Size")
  if (length(rows) == n) return(as.vector(d))
  m <- length(rows)
  i <- as.double(rows[rep.int(seq_len(m), m - seq_len(m))])
  j <- rows[sequence(m - seq_len(m), from = seq_len(m) + 1L)]
  as.vector(d)[n * (i - 1) - i * (i - 1) / 2 + j - i]
}

# The quantile (type 7) of all entries of the symmetric n x n matrix: its diagonal adds n zeros, and
# every packed distance stands in it twice.
square_quantile <- function(distances, n, share) {
  place <- 1 + (as.double(n)^2 - 1) * share
  low <- floor(place)
  ranks <- ceiling((c(low, min(low + 1, n^2)) - n) / 2)
  if (max(ranks) < 1) return(0)
  sorted <- sort(distances, partial = unique(pmax(ranks, 1)))
  values <- ifelse(ranks < 1, 0, sorted[pmax(ranks, 1)])
  values[1] + (place - low) * (values[2] - values[1])
}

cloud_divergence <- function(x, y) {
  n <- (1 + sqrt(1 + 8 * length(x))) / 2
  (bar_total(cross_bars(x, y, n)) + bar_total(cross_bars(y, x, n))) / 2
}

bar_total <- function(bars) sum(bars[, 2] - bars[, 1])

# A matrix with a row (birth, death) for each bar. Not all bars of length 0 are in it, which does
# not matter to a sum of lengths.
cross_bars <- function(x, y, n) {
  check_memory(8 * 4 * n^2, "The doubled filtration", "A smaller `batch` needs less.")
  .Call(C_cross_bars, x, y, as.integer(round(n)), thread_count())
}

declare_measure(
  id = "rtd", label = "Representation topology divergence", family = "topology", resi = "RTD",
  direction = "distance", range = c(0, Inf), best = 0, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Barannikov et al. 2022", accepts = c("data", "dist"),
  check = function(args) {
    if (!identical(args$batch, Inf)) args$batch <- check_count(args$batch, "batch", least = 4)
    args$trials <- check_count(args$trials, "trials")
    args
  },
  form = "cloud",
  # with more stimuli than `batch`, clouds are made of random subsets of the stimuli, which are
  # chosen for the pair; then nothing can be prepared from one side alone
  prepare = function(repr, args, side) {
    if (repr$n > args$batch) return(new_form("cloud", list(d = NULL)))
    # the cloud of a representation: the distances between all rows, divided by their 0.9 quantile
    remember_form(repr, "cloud", list(), list(d = cloud_of_rows(repr, seq_len(repr$n))))
  },
  statistic = function(pair, x, y, args) {
    if (!is.null(x$d)) return(cloud_divergence(x$d, y$d))
    # Random subsets of rows, the same rows on both sides. They are chosen once for a pair, and a
    # permutation of y keeps them, so that null scores differ by the permutation alone.
    subsets <- remember_form(pair, "row subsets", list(args$batch, args$trials), {
      list(subsets = lapply(seq_len(args$trials), function(trial) {
        order <- random_order(pair$x, c("subset", trial, names_of_pair(pair)), pair$x$n)
        sort(order[seq_len(args$batch)])
      }))
    })$subsets
    mean(vapply(subsets, function(rows) {
      cloud_divergence(cloud_of_rows(pair$x, rows), cloud_of_rows(pair$y, rows))
    }, 0))
  },
  # a sum of bars, about as many as there are stimuli in a cloud
  errors = function(args) {
    growing_errors(function(args, n, half) min(n, args$batch) / min(half, args$batch))
  }
)

# ---- manifold measures

# These measures compare kernels that join each stimulus with its Euclidean neighbours: MKA, kCKA.

#' Kernel alignment on nearest neighbours
#'
#' How similar two representations are in the neighbourhood of each stimulus: the alignment of
#' kernels that are 0 beyond the k nearest neighbours, and fall at a rate that adapts to the local
#' density (`mka()`), or at one rate for all (`kcka()`).
#'
#' @param x,y see [cka()]. Either may also be a `dist` object, or a neighbour graph, see
#'   [mutual_knn()].
#' @param k number of neighbours, without the stimulus itself; of `mka()` at least 3.
#' @param self is each stimulus its own neighbour, with kernel value 1, as in `mka()`?
#' @param squared take squared distances, in the kernel and for its width?
#' @param centering `"row"` subtracts the mean of each row of the kernels, as `mka()` does;
#'   `"double"` those of columns as well, as in [cka()].
#' @param ties see [mutual_knn()]: `"average"` (with `centering = "double"` over 20 random orders)
#'   or `"random"`. `NULL`: the average with `centering = "row"`, one random order with `"double"`.
#' @param clusters see [mutual_knn()]: kernels are 0 between different stimuli of a cluster.
#' @param given controls of `kcka()`, see [cka()].
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number in \[-1, 1\]; 1 when the kernels are equal. `NA`, with a warning of class
#'   `repalign_undefined`, when a kernel is constant after centring.
#' @details
#' The kernel of `mka()` is `exp(-(d_ij - rho_i) / sigma_i)` of the Euclidean distance, with the
#' distance `rho_i` to the nearest neighbour, and `sigma_i` such that row i sums to `1 + log2(k)`;
#' that of `kcka()` is `exp(-d_ij / (2 sigma))`, with the median `sigma` of all neighbour distances.
#' Rotation, translation and scaling of either side leave the score as it is, by `mka()` also
#' whatever bends, cuts or rearranges a side on the large scale, while `kcka()` depends on
#' differences in density.
#'
#' When not to trust it: unrelated data score about 0.3 (k = 15) to 0.45 (k = 3) by `mka()`, 0.15 (k
#' = 15) to 0.35 (k = 5) by `kcka()` with `self = TRUE`, so that scores for different k cannot be
#' compared, and stimuli that depend on each other more (see [dependence]). With few stimuli, or
#' with k near n, neighbours are not local. Noise in many dimensions makes them arbitrary. Where
#' many neighbours are equally near (duplicates, whole numbers), `mka()` warns with class
#' `repalign_ties`; `kcka()` stops if most of them are duplicates.
#' @references Islam, Liu and Sarkar (2025), \doi{10.48550/arXiv.2510.22953}, equations 2 to 4, 18
#'   and 19. McInnes, Healy and Melville (2018),
#'   \doi{10.48550/arXiv.1802.03426} (the weights).
#' @examples
#' set.seed(1)
#' angle <- runif(80, 0, 6)
#' ring <- cbind(cos(angle), sin(angle))
#' line <- cbind(angle, angle)
#' c(mka(ring, line), kcka(ring, line), cka(ring, line))
#' @export
mka <- function(x, y, k = 15, ties = c("average", "random"), clusters = NULL,
                na = c("error", "stimuli", "neurons"), ...) {
  one_score("mka", x, y, list(k = k, ties = ties, clusters = clusters), na)
}

# Measures of centred kernels on the edges of the graphs.
declare_kernel_alignment <- function(id, label, ...) {
  declare_measure(
    id = id, label = label, family = "neighbours", direction = "similarity", range = c(-1, 1),
    best = 1, symmetric = TRUE, metric = FALSE, pairing = TRUE,
    invariant = c("orthogonal", "scaling", "translation", "column permutation"), accepts = kinds,
    neighbours = euclidean_neighbours, check_pair = check_neighbour_pair, form = "sparse kernel",
    keeps = "graph", undefined = warn_no_contrast,
    statistic = function(pair, x, y, args) {
      centered_product(x, y, if (is.null(args$centering)) "row" else args$centering)$value
    },
    score = kernel_cosine, null = function(args) sparse_null(centered_products),
    dot = function(args) new_dot(function(x, y, args) {
      # centred kernels, as centered_sum() has them
      n <- as.double(x[[1]]$n)
      table <- sparse_table(x, y) + crossed(x, y, function(form) form$diagonal) * n
      table <- table - crossed(x, y, function(form) form$row_sums) / n
      if (!is.null(args$centering) && args$centering != "row") {
        table <- table - crossed(x, y, function(form) form$column_sums) / n +
          crossed(x, y, function(form) sum(form$row_sums) / n)
      }
      c(list(table = table), sizes_of(x, y, norm_of_form))
    }),
    needs_data = FALSE, ...
  )
}

declare_kernel_alignment(
  "mka", "Manifold-approximated kernel alignment", reference = "Islam et al. 2025, eq. 2-4",
  exact_ties = TRUE,
  check = function(args) {
    args$k <- check_count(args$k, "k", least = 3)
    args$ties <- check_choice(args$ties, average_first, "ties")
    args$clusters <- cluster_codes(args$clusters)
    args
  },
  prepare = function(repr, args, side) {
    form_mka(clustered_representation(repr, args$clusters), args$k, args$ties)
  }
)

#' @rdname mka
#' @export
kcka <- function(x, y, k = 15, self = TRUE, squared = FALSE, centering = c("row", "double"),
                 ties = NULL, clusters = NULL,
                 na = c("error", "stimuli", "neurons"), given = NULL, ...) {
  one_score("kcka", x, y, list(k = k, self = self, squared = squared, centering = centering,
                               ties = ties, clusters = clusters), na, given)
}

# The column sums of a kernel depend on the order of ties, and with centering = "double" its norm on
# them.
exact_kcka_ties <- function(args) args$centering == "row"

declare_kernel_alignment(
  "kcka", "Kernel alignment on nearest neighbours", reference = "Islam et al. 2025, eq. 18-19",
  exact_ties = exact_kcka_ties, cosine = TRUE,
  check = function(args) {
    args <- check_parameters(k = "count", self = "flag", squared = "flag",
                             centering = c("row", "double"), clusters = "clusters")(args)
    with_ties_rule(args, exact_kcka_ties(args))
  },
  prepare = function(repr, args, side) {
    form_kcka(clustered_representation(repr, args$clusters), args$k, args$self, args$squared,
              args$centering, args$ties)
  }
)
