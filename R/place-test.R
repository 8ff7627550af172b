# test_maps(): maps of several subjects, tested at all places by flips of their signs. Here are its
# help, the statistic and its null; what is given is in place-maps.R, the result in place-result.R.

#' Test maps over subjects
#'
#' Tests the scores of several subjects at many places or times, with control over all of them.
#'
#' @param maps a named list of results of [searchlight()], one for each subject, or a matrix
#'   subjects x places, or an array subjects x places x models. A warning (class
#'   `repalign_transposed`) or an error says where places seem to come first.
#' @param baseline what a score is compared with. A distance needs one, or `compare`.
#' @param compare two models, as `c("a", "b")`, whose difference a - b is tested; or a second set of
#'   maps of the same subjects, to be subtracted from `maps`.
#' @param adjacency which places touch, for clusters and TFCE: what [adjacency()] returns, or takes.
#' @param correction see Details.
#' @param statistic `"t"`, or `"mean"` over subjects, for few of them.
#' @param alternative `"greater"` (the default), `"less"` (default of a distance) or `"two_sided"`
#'   (with `compare`).
#' @param threshold places whose own p-value is below it form clusters. For volumes take .001.
#' @param extent,height the exponents E and H of TFCE.
#' @param permutations how many flips of signs (all, if there are no more); or a matrix flips x
#'   subjects of 1 and -1.
#' @param alpha level of the thresholds.
#' @param na missing scores: `"error"`, or leave out `"places"` that a subject lacks (`NA`, with a
#'   warning).
#' @param threads see [similarity()].
#' @return A data frame of class `repalign_map_test` with a row for each place and model: `center`,
#'   `model`, `score` (the mean of the maps), `std_error`, `statistic`, `p_value` (of this place
#'   alone) and `p_familywise`; for clusters instead `cluster` and `p_cluster`; for TFCE also
#'   `tfce`. Attributes: `"max_null"`, the largest corrected statistic of each flip; `"threshold"`,
#'   which significant values exceed; `"clusters"`: `cluster`, `places` (how many), `first`, `last`,
#'   `peak`, `mass`, `p_value` and, with several models, `model`.
#' @details
#' All values of a subject get one random sign. The p-value is the share of such flips whose largest
#' statistic over places is at least as large; of N subjects it cannot be below `2^-N` (two-sided
#' twice that). It holds for each model, not over several.
#'
#' * `"max"`: the largest statistic. It alone holds for single places.
#' * `"cluster_mass"`: the sum of the statistic over connected places above the `threshold`.
#' * `"tfce"` (threshold-free cluster enhancement): the integral over heights h of `e(h)^E h^H`,
#'   where e is the number of connected places above h.
#'
#' When not to trust it: a cluster's p-value says that the maps differ from the baseline somewhere,
#' not at which places or times. Scores above 0 on average need not be above 0 in most subjects.
#' Flips need scores that are symmetric around the baseline: of scores that are skewed upwards, as
#' those of RSA may be, the two-sided t finds too much, as does `"mean"` with `"greater"`, many
#' places and `"max"` or `"tfce"`.
#' @references Maris and Oostenveld (2007), Journal of Neuroscience Methods 164. Smith and Nichols
#'   (2009), NeuroImage 44. Chen et al. (2026), \doi{10.48550/arXiv.2603.03004} (exact TFCE).
#'   Sassenhagen and Draschkow (2019), Psychophysiology 56. Allefeld, \enc{Görgen}{Goergen} and
#'   Haynes (2016), NeuroImage 141.
#' @examples
#' # 12 subjects, 60 times, an effect from 20 to 35
#' set.seed(1)
#' maps <- matrix(rnorm(12 * 60), 12) + rep(ifelse(1:60 %in% 20:35, 1, 0), each = 12)
#' colnames(maps) <- paste(10 * (1:60), "ms")
#' tested <- test_maps(maps, adjacency = adjacency(times = 60), correction = "cluster_mass")
#' tested
#' summary(tested)
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(tested)
#' @seealso [time_windows()]
#' @order 1
#' @export
test_maps <- function(maps, baseline = 0, compare = NULL, adjacency = NULL,
                      correction = c("max", "cluster_mass", "tfce"), statistic = c("t", "mean"),
                      alternative = NULL, threshold = 0.05, extent = 0.5, height = 2,
                      permutations = 9999, alpha = 0.05, na = c("error", "places"),
                      threads = NULL, ...) {
  need_arguments()
  settings <- list(
    correction = check_choice(correction, c("max", "cluster_mass", "tfce"), "correction"),
    statistic = check_choice(statistic, c("t", "mean"), "statistic"),
    baseline = check_number(baseline, "baseline"), compared = !is.null(compare),
    level = check_number(threshold, "threshold", above = 0, below = 1),
    extent = check_not_negative(extent, "extent"), height = check_not_negative(height, "height"),
    alpha = check_number(alpha, "alpha", above = 0, below = 1)
  )
  na <- check_choice(na, c("error", "places"), "na")
  given <- c(threshold = "cluster_mass", extent = "tfce", height = "tfce")
  given <- given[c(!missing(threshold), !missing(extent), !missing(height))]
  unused <- given[given != settings$correction]
  warn_if(length(unused), "unused", paste0("`", names(unused), "`", collapse = " and "),
          "{if (length(unused) > 1) ' are' else ' is'} not used by correction = ",
          "{quoted(settings$correction)}, but by {enumerate(unique(unused))}.",
          data = names(unused))
  hold_threads(threads)
  maps <- read_maps(maps, "maps")
  judge_transposed(maps, adjacency)
  settings[c("measure", "direction")] <- list(maps$measure, maps$direction)
  refuse_if(identical(maps$direction, "distance") && missing(baseline) && is.null(compare),
            "missing", "`baseline` is missing: {maps$measure} is a distance, whose value without ",
            "any relation is not 0. Give the value expected then, or `compare`.")
  maps <- compared_maps(maps, compare, settings$baseline)
  settings$subjects <- nrow(maps$values)
  refuse_if(settings$subjects < 2, "size", "`maps` has one subject: flips of signs need two.")
  settings$alternative <- if (!is.null(alternative)) {
    check_choice(alternative, c("greater", "less", "two_sided"), "alternative")
  } else if (settings$compared) "two_sided" else
    if (identical(settings$direction, "distance")) "less" else "greater"
  tail <- if (settings$alternative == "two_sided") settings$level / 2 else settings$level
  refuse_if(tail >= 0.5, "value", "`threshold` must be below .5: clusters stand out.")
  settings$cutoff <- if (settings$statistic == "t") {
    stats::qt(tail, settings$subjects - 1, lower.tail = FALSE)
  } else stats::qnorm(tail, lower.tail = FALSE)
  left_out <- left_out_places(maps, settings$statistic, na)
  # the mean skewness of scores over places, of the model where it is largest
  centred <- maps$values - rep(colMeans(maps$values), each = settings$subjects)
  skewness <- colMeans(colMeans(centred^3) / colMeans(centred^2)^1.5, na.rm = TRUE)
  settings$skewness <- skewness[which.max(abs(skewness))]
  rm(centred) # as large as all maps
  graph <- graph_of_places(adjacency, maps$centers, settings$correction)
  # do places follow each other, as times do? Pictures may then join them by lines.
  settings$chain <- length(graph) > 1 &&
    identical(unname(lapply(graph, as.integer)), chain_graph(length(graph)))
  flips <- sign_flips(permutations, settings$subjects)
  both <- settings$alternative == "two_sided" && flips$engine == "exact"
  least <- (1 + both) / (ncol(flips$signs) + 1)
  inform_if(least > settings$alpha + 1e-12, "few_permutations", "No p-value can be at most ",
            "`alpha` = {format(settings$alpha)} with {count_of(ncol(flips$signs) + 1, 'flip')} of ",
            "{count_of(settings$subjects, 'subject')}: the smallest one possible is ",
            "{format(least, digits = 3)}. Take more ",
            if (flips$engine == "exact") "subjects." else "`permutations`.")
  found <- run_flips(maps, left_out, graph, flips, settings)
  map_test_result(found, maps, flips, settings)
}

# ---- what is given

# list(signs, engine): a column of 1 and -1 for each flip besides the observed signs. Random ones
# are drawn at once, so that they do not depend on how the work is cut.
sign_flips <- function(permutations, subjects) {
  if (is.matrix(permutations) || is.data.frame(permutations)) {
    signs <- as.matrix(permutations)
    usable <- is.numeric(signs) && ncol(signs) == subjects && nrow(signs) > 0 && !anyNA(signs) &&
      all(abs(signs) == 1)
    refuse_if(!usable, "design", "`permutations` as a matrix must have a row of 1 and -1 for each ",
              "flip, and a column for each of the {subjects} subjects",
              if (is.numeric(signs) && ncol(signs) != subjects) paste(", not", ncol(signs)), ".")
    return(list(signs = unname(t(signs)), engine = "given"))
  }
  wanted <- check_count(permutations, "permutations")
  if (2^subjects <= wanted + 1) {
    codes <- seq_len(2^subjects - 1)
    bits <- vapply(seq_len(subjects), function(k) (codes %/% 2^(k - 1)) %% 2, double(length(codes)))
    return(list(signs = t(matrix(1 - 2 * bits, ncol = subjects)), engine = "exact"))
  }
  check_memory(12 * as.double(wanted) * subjects, "So many flips", "Take fewer `permutations`.")
  drawn <- sample.int(2L, wanted * as.double(subjects), replace = TRUE)
  list(signs = matrix(3 - 2 * drawn, subjects), engine = "random")
}

# ---- the null

# What scores are multiplied by, so that large values are always what is looked for.
map_sign <- function(settings) if (settings$alternative == "less") -1 else 1

# A list for each model: see model_flips().
run_flips <- function(maps, left_out, graph, flips, settings) {
  count <- length(maps$models)
  places <- ncol(maps$values)
  at_once <- max(1, min(floor(2^22 / places), 2000))
  blocks <- split(seq_len(ncol(flips$signs)), (seq_len(ncol(flips$signs)) - 1) %/% at_once)
  check_memory(8 * (as.double(places) * (settings$subjects * (count + 3) + 3 * at_once) +
                      ncol(flips$signs) * count) + 60 * as.double(places) * thread_count(),
               "The flips of these maps", "Fewer places or threads need less.")
  run <- list(advance = progress_along(length(blocks) * count), blocks = blocks,
              signs = flips$signs, steps = length(blocks) * count, started = proc.time()[[3]])
  lapply(seq_len(count), function(model) {
    kept <- which(left_out[, model] == "")
    values <- matrix(maps$values[, kept, model], ncol = length(kept))
    of_kept <- if (is.null(graph)) rep(list(integer()), length(kept)) else cut_graph(graph, kept)
    sizes <- lengths(of_kept)
    refuse_if(sum(as.double(sizes)) > .Machine$integer.max, "size", "`adjacency` has more pairs ",
              "of places than can be numbered: take a sparser one.")
    packed <- list(start = c(0L, cumsum(as.integer(sizes))),
                   near = as.integer(unlist(of_kept, use.names = FALSE)))
    c(model_flips(values, packed, model, run, settings), list(kept = kept, graph = of_kept))
  })
}

# values: subjects x places. Of the places: score and std_error, statistic, p_value; corrected: its
# TFCE, or the number of its cluster, or the statistic itself; largest: that of each flip, signed as
# the statistic is.
model_flips <- function(values, graph, model, run, settings) {
  sign <- map_sign(settings)
  both <- settings$alternative == "two_sided"
  unit <- unit_of_places(values, settings$statistic)
  scaled <- t(values) * unit * sign
  # how sums over subjects become the statistic, as in src/map_null.c
  n <- nrow(values)
  of_t <- settings$statistic == "t"
  squares <- if (of_t) rowSums(scaled^2)
  all <- if (of_t) 0 else sqrt(mean(scaled^2))
  scale <- c(n, if (all > 0) 1 / (sqrt(n) * all) else 0)
  # as the C code takes it
  kind <- match(settings$correction, c("max", "cluster_mass", "tfce")) - 1
  how <- c(kind, both, settings$cutoff, settings$height)
  power <- if (settings$correction == "tfce") (0:ncol(values))^settings$extent
  sums <- rowSums(scaled)
  observed <- if (!of_t) sums * scale[2] else
    sums / n * sqrt(n - 1) / sqrt(squares / n - (sums / n)^2)
  size <- if (both) abs(observed) else observed
  found <- list(reached = 0, largest = NULL)
  for (k in seq_along(run$blocks)) {
    sums <- scaled %*% run$signs[, run$blocks[[k]], drop = FALSE]
    part <- .Call(C_map_null, sums, squares, scale, graph$start, graph$near,
                  how, power, lowest_equal(size), thread_count())
    found$reached <- found$reached + part$reached
    found$largest <- c(found$largest, part$largest)
    if (k == 1 && model == 1) {
      announce_duration(run$started, 1, run$steps, "test_maps()",
                        "Fewer permutations take less, and more threads share them.")
    }
    run$advance()
  }
  observed_corrected <- switch(settings$correction,
    max = observed,
    cluster_mass = .Call(C_map_clusters, observed, graph$start, graph$near, how),
    tfce = .Call(C_map_tfce, observed, graph$start, graph$near, how, power),
    no_branch(settings$correction)
  )
  refuse_if(!all(is.finite(observed_corrected), is.finite(found$largest)), "value", "`extent` or ",
            "`height` is too large: the enhanced statistic is beyond what a double holds. Take ",
            "smaller powers; 0.5 and 2 are usual.")
  clusters <- settings$correction == "cluster_mass"
  # each place in its own unit: the squares of small scores beside huge ones would be 0
  own <- unit_of_places(values, "t")
  deviations <- rowSums((t(values) * own - rowMeans(t(values) * own))^2)
  list(score = colMeans(values),
       std_error = sqrt(deviations / (n - 1) / n) / own,
       statistic = sign * observed, p_value = (1 + found$reached) / (1 + length(found$largest)),
       corrected = if (clusters) observed_corrected else sign * observed_corrected,
       largest = sign * found$largest)
}

# What the scores of each place are multiplied by, so that their squares are doubles: a power of
# two, on which t does not depend. The mean needs one unit for all places.
unit_of_places <- function(values, statistic) {
  largest <- if (statistic == "mean") rep(max(abs(values)), ncol(values)) else
    do.call(pmax, split_columns(t(abs(values))))
  2^-pmax(pmin(floor(log2(largest)), 1000), -1000)
}

# Values down to here count as equal to these: rounding of a statistic near 0 is no share of it.
lowest_equal <- function(values) values - 1e-9 * abs(values) - 1e-13
