# transform_rdm() makes ranks, distances and paths of dissimilarities.

rdm_transforms <- c("rank", "positive", "sqrt", "minmax", "geotopological", "geodesic")

#' Transform dissimilarities
#'
#' @param x an RDM (any `dist` object), or a list of them.
#' @param method see below.
#' @param low,up for `"geotopological"`: quantiles, from 0 to 1.
#' @param ... not used.
#' @return An RDM of class `c("repalign_rdm", "dist")`, or a list of them.
#' @details
#' * `"rank"`: ranks, from 1 for the smallest.
#' * `"positive"`: negative values become 0.
#' * `"sqrt"`: the square root of the positive part, which makes distances of squared distances.
#' * `"minmax"`: shifted and scaled to the range from 0 to 1.
#' * `"geotopological"`: 0 up to the quantile `low`, 1 from the quantile `up` on, and linear
#'   between.
#' * `"geodesic"`: the lengths of the shortest paths from condition to condition, by the `"minmax"`
#'   values less than 1.
#'
#' [bures()] and [riemann()] square those of `"sqrt"` and warn of the others but `"positive"`.
#'
#' Values that are `NA` stay so; `"geodesic"` needs all values. It is an error if all
#' dissimilarities are equal, or both quantiles, or if no path leads to some condition.
#' @references Lin and Kriegeskorte (2024), PNAS 121 (geo-topological).
#' @examples
#' set.seed(1)
#' x <- array(rnorm(6 * 20 * 4), c(6, 20, 4))
#' d <- rdm(x)
#' transform_rdm(transform_rdm(d, "geotopological", low = 0.2, up = 0.8), "geodesic")
#' @export
transform_rdm <- function(x, method = c("rank", "positive", "sqrt", "minmax", "geotopological",
                                        "geodesic"), low = 0, up = 1, ...) {
  need_arguments()
  refuse_if(missing(method), "missing", "`method` is missing: choose one of ",
            "{enumerate(rdm_transforms, 20)}.")
  method <- check_choice(method, rdm_transforms, "method")
  low <- check_number(low, "low")
  up <- check_number(up, "up")
  for (arg in c("low", "up")) {
    value <- get(arg)
    if (value >= 0 && value <= 1) next
    refuse("value", "`{arg}` is {value}, but must be a share from 0 to 1.")
  }
  refuse_if(low >= up, "value", "`low` must be below `up`.")
  refuse_if(method != "geotopological" && !identical(c(low, up), c(0, 1)), "value",
            "`low` and `up` are quantiles for method = \"geotopological\": leave them out.",
            arg = if (low != 0) "low" else "up")
  limits <- c(low, up)
  if (!is_collection(x)) return(transformed_rdm(x, "x", method, limits))
  names <- check_element_names(x, "x")
  new_rdms(lapply(stats::setNames(nm = names), function(name) {
    transformed_rdm(x[[name]], paste0("x$", name), method, limits)
  }))
}

transformed_rdm <- function(x, arg, method, limits) {
  check_rdm(x, arg)
  values <- as.double(x)
  n <- attr(x, "Size")
  values <- switch(
    method,
    rank = rank(values, na.last = "keep"),
    positive = pmax(values, 0),
    sqrt = sqrt(pmax(values, 0)),
    minmax = scaled_to_one(values, arg, c(0, 1), "dissimilarities"),
    geotopological = scaled_to_one(values, arg, limits, "dissimilarities at both quantiles"),
    geodesic = geodesic_values(values, n, arg),
    no_branch(method)
  )
  distance <- attr(x, "distance")
  if (is.null(distance)) distance <- attr(x, "method")
  new_rdm(values, n, attr(x, "Labels"), distance, attr(x, "pairs"),
          c(attr(x, "transformed"), method))
}

scaled_to_one <- function(values, arg, limits, what) {
  ends <- stats::quantile(values, limits, na.rm = TRUE, names = FALSE, type = 7)
  refuse_if(ends[1] == ends[2], "variance", "`{arg}` has equal {what}, which cannot be scaled to ",
            "0 and 1.")
  pmin(pmax((values - ends[1]) / (ends[2] - ends[1]), 0), 1)
}

geodesic_values <- function(values, n, arg) {
  refuse_distances(which(is.na(values)), n, "missing", arg)
  lengths <- scaled_to_one(values, arg, c(0, 1), "dissimilarities")
  lengths[values == max(values)] <- Inf
  paths <- .Call(C_shortest_paths, unpacked_pairs(lengths, n))
  paths <- paths[lower.tri(paths)]
  lost <- which(is.infinite(paths))
  if (length(lost)) {
    at <- stimuli_of_distance(lost[1], n)
    refuse("value", "`{arg}` has no path between conditions {at[1]} and {at[2]} without the ",
           "largest dissimilarities, which method = \"geodesic\" takes out: leave out a condition ",
           "that is equally far from all others.")
  }
  paths
}
