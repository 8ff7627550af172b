# neighbourhoods(): which channels lie around each place, for searchlight().

#' The channels around every place
#'
#' For every voxel or electrode, the channels within a radius or the nearest ones: `neighbours` of
#' [searchlight()].
#'
#' @param coordinates a matrix or data frame with a row for each channel (in the order of the
#'   columns of the data) and a column for each dimension, or numbers along a line. Row names become
#'   names of places.
#' @param radius the largest distance (included), in the units of the coordinates.
#' @param k instead: how many channels, with the place itself.
#' @param within one label for each channel (hemisphere, probe, area) that a neighbourhood shares.
#'   `NA`: left out.
#' @param ... not used.
#' @return A list with the numbers of the channels of each place, in rising order, with the place
#'   itself.
#' @details
#' With `radius`, neighbourhoods at the border are smaller, and scores of different sizes cannot be
#' compared; with `k`, they reach farther.
#' @examples
#' voxels <- as.matrix(expand.grid(x = 1:10, y = 1:10, z = 1:10))
#' near <- neighbourhoods(2.5 * voxels, radius = 7.5)
#' # the nearest contacts on the same probe
#' neighbourhoods(c(0, 20, 40, 60, 0, 20, 40, 60), k = 3, within = rep(c("A", "B"), each = 4))
#' @seealso [adjacency()]
#' @export
neighbourhoods <- function(coordinates, radius = NULL, k = NULL, within = NULL, ...) {
  need_arguments()
  refuse_if(is.null(radius) == is.null(k), "choice", "Give one of `radius` and ",
            "`k`{if (!is.null(k)) ', not both'}.", arg = if (is.null(k)) "radius" else "k")
  if (!is.null(radius)) radius <- check_not_negative(radius, "radius")
  if (!is.null(k)) k <- check_count(k, "k")
  coordinates <- place_coordinates(coordinates)
  labels <- labels_of_places(within, nrow(coordinates))
  used <- which(!is.na(labels))
  check_coordinates(coordinates, used)
  groups <- split(used, labels[used])
  found <- vector("list", nrow(coordinates))
  for (at in groups) {
    near <- if (is.null(k)) near_places(coordinates[at, , drop = FALSE], radius, "radius") else
      nearest_places(coordinates[at, , drop = FALSE], k)
    found[at] <- if (length(at) == nrow(coordinates)) near else
      lapply(near, function(one) at[one])
  }
  sizes <- lengths(groups)
  small <- which(sizes < k)
  if (length(small)) {
    labels <- unique(as.vector(within)[!is.na(within)])
    first <- dQuote(labels[small[1]], FALSE)
    whose <- if (is.null(within)) "There are" else if (length(small) == 1) {
      paste("The label", first, "of `within` has only")
    } else {
      paste0(length(small), " labels of `within` have fewer than ", k, " places, first ", first,
             " with only")
    }
    inform("small_neighbourhoods", whose,
           " {sizes[small[1]]} of {k} places: neighbourhoods have all of them.")
  }
  # cross_places() takes the largest number for the number of channels
  count <- nrow(coordinates)
  lost <- count - max(used)
  inform_if(lost, "last_channels", "The last ",
            if (lost == 1) "channel belongs" else paste(lost, "channels belong"),
            " to no neighbourhood: cross_places() must be told that there are channels = {count}.")
  names <- rownames(coordinates)
  if (is.null(names) && length(used) < nrow(coordinates)) names <- seq_len(nrow(coordinates))
  names(found) <- names
  found[used]
}

# A matrix of doubles, places x dimensions, with names where there are any.
place_coordinates <- function(coordinates, arg = "coordinates") {
  numbers <- if (is.data.frame(coordinates)) all(vapply(coordinates, is.numeric, NA)) else
    is.numeric(coordinates) && !is.factor(coordinates) && length(dim(coordinates)) < 3
  refuse_if(!numbers || !length(coordinates) || NROW(coordinates) == 0, "type",
            "`{arg}` must be numbers, a row for each place and a column for each dimension, not ",
            "{describe(coordinates)}.")
  # the row names of a data frame without any are numbers
  named <- !is.data.frame(coordinates) || .row_names_info(coordinates) > 0
  names <- if (length(dim(coordinates)) < 2) names(coordinates) else if (named)
    rownames(coordinates)
  unnamed <- which(is.na(names) | names == "")
  refuse_if(length(unnamed) || anyDuplicated(names), "names", "`{arg}` ",
            if (length(unnamed)) paste("has no name for place", unnamed[1]) else
              paste("names the place", dQuote(names[duplicated(names)][1], FALSE), "twice"),
            ": give each place a name of its own, or none.")
  values <- as.matrix(coordinates)
  matrix(as.double(values), nrow(values), dimnames = if (!is.null(names)) list(names, NULL))
}

# One label a place, which are all the same without `within`.
labels_of_places <- function(within, count) {
  if (is.null(within)) return(rep(1L, count))
  refuse_if(!is.atomic(within) || length(within) != count || !is.null(dim(within)), "labels",
            "`within` must have one label for each of the {count_of(count, 'place')}, not ",
            if (is.atomic(within) && is.null(dim(within))) count_of(length(within), "label") else
              describe(within), ".")
  labels <- match(within, unique(as.vector(within)[!is.na(within)]))
  refuse_if(all(is.na(labels)), "labels", "`within` has no label that is not NA.")
  labels
}

# used: the places that need coordinates.
check_coordinates <- function(coordinates, used, arg = "coordinates") {
  bad <- used[!is.finite(rowSums(coordinates[used, , drop = FALSE]))]
  if (!length(bad)) return(invisible())
  refuse("nonfinite", "`{arg}` must be finite numbers, but those of ",
         "{count_of(length(bad), 'place')} are not, first of place ",
         "{named_places(bad[1], rownames(coordinates))}: give numbers, or leave such places out",
         if (arg == "coordinates") " (NA in `within` of neighbourhoods())", ".")
}

# ---- search

# What is within the radius counts with the rounding of its coordinates.
radius_share <- 1e-9

# For each place those within the radius, itself among them.
near_places <- function(coordinates, radius, arg) {
  given <- scaled_coordinates(coordinates, radius)
  sizes <- .Call(C_count_near, given$coordinates, given$radius * (1 + radius_share))
  check_memory(4 * sum(as.double(sizes)), paste0("The neighbourhoods of `", arg, "`"),
               "A smaller radius needs less.")
  .Call(C_list_near, given$coordinates, given$radius * (1 + radius_share))
}

nearest_places <- function(coordinates, k) {
  k <- min(k, nrow(coordinates))
  check_memory(4 * as.double(k) * nrow(coordinates), "Neighbourhoods of `k` channels",
               "A smaller `k` needs less.")
  .Call(C_list_nearest, scaled_coordinates(coordinates)$coordinates, k)
}

# Squares of very large or very small numbers are no doubles.
scaled_coordinates <- function(coordinates, radius = 0) {
  largest <- max(abs(coordinates), radius)
  unit <- if (largest > 1e100 || largest < 1e-100 && largest > 0) power_of_two_below(largest) else 1
  list(coordinates = coordinates * unit, radius = radius * unit)
}
