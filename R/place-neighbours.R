# What a searchlight is about: neighbourhoods() says which channels lie around each place, and over
# time there are windows, channels crossed with windows, and arrays of channels x times as matrices.

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
  # one label a place, which are all the same without `within`
  count <- nrow(coordinates)
  labels <- rep(1L, count)
  if (!is.null(within)) {
    within <- column_of_labels(within)
    plain <- is.atomic(within) && is.null(dim(within))
    refuse_if(!plain || length(within) != count, "labels",
              "`within` must have one label for each of the {count_of(count, 'place')}, not ",
              if (plain) count_of(length(within), "label") else describe(within), ".")
    labels <- match(within, unique(as.vector(within)[!is.na(within)]))
    refuse_if(all(is.na(labels)), "labels", "`within` has no label that is not NA.")
  }
  used <- which(!is.na(labels))
  check_coordinates(coordinates, used)
  groups <- split(used, labels[used])
  found <- vector("list", count)
  for (at in groups) {
    part <- coordinates[at, , drop = FALSE]
    near <- if (is.null(k)) near_places(part, radius, "radius") else {
      most <- min(k, length(at))
      check_memory(4 * as.double(most) * length(at), "Neighbourhoods of `k` channels",
                   "A smaller `k` needs less.")
      .Call(C_list_nearest, scaled_coordinates(part)$coordinates, most)
    }
    found[at] <- if (length(at) == count) near else lapply(near, function(one) at[one])
  }
  sizes <- lengths(groups)
  small <- which(sizes < k)
  if (length(small)) {
    labels <- unique(as.vector(within)[!is.na(within)])
    first <- quoted(labels[small[1]])
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
  lost <- count - max(used)
  inform_if(lost, "last_channels", "The last ",
            if (lost == 1) "channel belongs" else paste(lost, "channels belong"),
            " to no neighbourhood: cross_places() must be told that there are channels = {count}.")
  names <- rownames(coordinates)
  if (is.null(names) && length(used) < count) names <- seq_len(count)
  names(found) <- names
  found[used]
}

# A matrix of doubles, places x dimensions, with names where there are any.
place_coordinates <- function(coordinates, arg = "coordinates") {
  for (name in if (is.data.frame(coordinates)) names(coordinates)) {
    refuse_if(!is.numeric(coordinates[[name]]), "type", "`{arg}` must be numbers, but its column ",
              "{quoted(name)} is {describe(coordinates[[name]])}: leave it out.")
  }
  numbers <- is.data.frame(coordinates) ||
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
              paste("names the place", quoted(names[duplicated(names)][1]), "twice"),
            ": give each place a name of its own, or none.")
  values <- as.matrix(coordinates)
  matrix(as.double(values), nrow(values), dimnames = if (!is.null(names)) list(names, NULL))
}

# used: the places that need coordinates.
check_coordinates <- function(coordinates, used, arg = "coordinates") {
  bad <- used[!is.finite(rowSums(coordinates[used, , drop = FALSE]))]
  refuse_if(length(bad), "nonfinite", "`{arg}` must be finite numbers, but those of ",
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

# Squares of very large or very small numbers are no doubles.
scaled_coordinates <- function(coordinates, radius = 0) {
  largest <- max(abs(coordinates), radius)
  unit <- if (largest > 1e100 || largest < 1e-100 && largest > 0) power_of_two_below(largest) else 1
  list(coordinates = coordinates * unit, radius = radius * unit)
}

# ---- time

#' Time windows for a searchlight over time
#'
#' `time_windows()` lists windows that slide over a recording; `cross_places()` crosses them with
#' channels, so that [searchlight()] compares every place in every window; `flatten_time()` makes an
#' array over time a matrix for it; `split_time()` makes a list with a matrix for each window.
#'
#' @param times the times of the samples, which increase.
#' @param width how long a window is, its end excluded.
#' @param step from the beginning of a window to that of the next; `NULL`: the median distance of
#'   times.
#' @param unit the unit of the times, for names such as "120 ms"; `""`: none.
#' @param neighbours,windows lists of numbers: the channels around each place ([neighbourhoods()])
#'   and the times of each window.
#' @param channels how many channels the data have; `NULL`: the largest of `neighbours`.
#' @param x an array conditions x channels x time, or conditions x channels x time x repeats.
#' @param ... not used.
#' @return `time_windows()`: a list with the numbers of the times of each window, named by their
#'   means. `cross_places()`: a list with the columns of each place (the fastest) and window, named
#'   "Cz, 120 ms". `flatten_time()`: a matrix conditions x columns or, with repeats, an array
#'   conditions x columns x repeats, where channel c at time t is column `c + channels * (t - 1)`,
#'   named "Cz 120 ms". `split_time()`: a named list of such matrices (or arrays), one for each
#'   window.
#' @details
#' *Across time.* `similarity(split_time(x, windows), split_time(y, windows))` compares all windows
#' of one area with all of another, and `as.vector(score_matrix(result))` is one map over the grid,
#' whose graph is `cross_adjacency(adjacency(times = n), adjacency(times = n))`. Take **different
#' repeats** for the two sides, also of different areas: noise outlasts a window, so that RDMs of
#' the same repeats correlate. Of an area against itself, use only the windows before each one.
#' @examples
#' set.seed(1)
#' times <- seq(-100, 390, by = 10)
#' x <- array(rnorm(20 * 4 * 50), c(20, 4, 50))
#' windows <- time_windows(times, width = 50, step = 50)
#' near <- neighbourhoods(c(Fz = 1, Cz = 2, Pz = 3, Oz = 4), k = 2)
#' places <- cross_places(near, windows)
#' model <- matrix(rnorm(20 * 3), 20)
#' searchlight(flatten_time(x, times), places, model, permutations = 99)
#'
#' # every window with every other
#' score_matrix(similarity(split_time(x, windows[1:3]), measure = "rsa"))
#' @seealso [test_maps()]
#' @export
time_windows <- function(times, width, step = NULL, unit = "ms", ...) {
  need_arguments()
  times <- check_sample_times(times, 2)
  spacing <- stats::median(diff(times))
  step <- if (is.null(step)) spacing else check_number(step, "step", above = 0)
  width <- check_number(width, "width", above = 0)
  check_unit(unit)
  if (missing(unit)) {
    # Names with a wrong unit would go into pictures and sentences.
    inform_if(spacing < 0.05, "unit", "The times are {format(spacing, digits = 3)} apart, and are ",
              "named as ms: give unit = \"s\" if they are seconds.")
  }
  tolerance <- 1e-6 * spacing
  room <- times[length(times)] + spacing - times[1] - width
  refuse_if(room < -tolerance, "value", "`width` is longer than the recording ",
            "({format(room + width)}): take a smaller one.")
  # a step far below the spacing of the times repeats the same windows, and can fill the memory
  steps <- (room + tolerance) / step
  refuse_if(!is.finite(steps) || steps > 1e4 * length(times), "value", "`step` is too small for ",
            "`width` and `times`, or these are too large: it makes more than 10,000 windows for ",
            "each time. Take a larger `step`, or another unit of the times.")
  begins <- times[1] + step * seq(0, floor(steps))
  # times at a border belong to the window that begins there
  first <- findInterval(begins - tolerance, times, left.open = TRUE) + 1
  last <- findInterval(begins + width - tolerance, times, left.open = TRUE)
  empty <- which(last < first)
  refuse_if(length(empty), "value", "`width` leaves {count_of(length(empty), 'window')} without ",
            "any time, first that which begins at {format(begins[empty[1]])}: take a larger one.")
  windows <- Map(seq, first, last)
  refuse_if(anyDuplicated(windows), "value", "`step` is shorter than the time between samples, so ",
            "that windows repeat: take a larger one ({format(spacing)} or more).")
  means <- vapply(windows, function(at) mean(times[at]), 0)
  means[abs(means) < tolerance] <- 0
  stats::setNames(windows, with_unit(distinct_numbers(means), unit))
}

check_sample_times <- function(times, least) {
  plain <- is.numeric(times) && !is.object(times) && is.null(dim(times))
  numbers <- plain && length(times) >= least
  refuse_if(!numbers, "type", "`times` must be {if (least > 1) 'two or more ' else ''}numbers ",
            "that increase, not {if (plain) length(times) else describe(times)}.")
  # what bit64 makes; NULL where doubles do not hold its numbers
  if (is_integer64(times)) times <- integer64_values(times)
  refuse_if(is.null(times), "value", "`times` has whole numbers beyond 2^53, which R's doubles do ",
            "not hold: give times in milliseconds.")
  times <- as.double(times)
  bad <- which(!is.finite(times))
  if (!length(bad)) bad <- which(diff(times) <= 0) + 1
  refuse_if(length(bad), "value", "`times` must increase, but value {bad[1]} is ",
            "{format(times[bad[1]])}",
            if (is.finite(times[bad[1]])) paste(" after", format(times[bad[1] - 1])), ".")
  times
}

check_unit <- function(unit) {
  refuse_if(!is.character(unit) || length(unit) != 1 || is.na(unit), "value",
            "`unit` must be one text, such as \"ms\", or \"\".")
}

with_unit <- function(text, unit) if (nzchar(unit)) paste(text, unit) else text

# Numbers as text with 6 digits, or as many as tell them apart.
distinct_numbers <- function(values) {
  for (digits in 6:15) {
    text <- formatC(values, digits = digits, format = "g", width = 1)
    if (!anyDuplicated(text)) break
  }
  text
}

#' @rdname time_windows
#' @export
cross_places <- function(neighbours, windows, channels = NULL, ...) {
  need_arguments()
  most <- if (is.null(channels)) .Machine$integer.max else check_count(channels, "channels")
  neighbours <- check_neighbours(neighbours, most)
  windows <- check_neighbours(windows, .Machine$integer.max, "windows")
  if (is.null(channels)) {
    channels <- largest <- max(unlist(neighbours))
    inform_if(largest != length(neighbours), "last_channels", "The largest number in ",
              "`neighbours`, {largest}, is taken for the number of channels. Give `channels` if ",
              "there are more.")
  }
  last <- channels * as.double(max(unlist(windows)))
  refuse_if(last > .Machine$integer.max, "size", "`windows` and `neighbours` together need ",
            "{format(last)} columns, more than R can number: take fewer channels or times.")
  check_memory(4 * sum(lengths(neighbours)) * as.double(sum(lengths(windows))), "These places",
               "Fewer windows or smaller neighbourhoods need less.")
  crossed <- lapply(unname(windows), function(at) {
    before <- as.integer(channels * (sort(at) - 1))
    lapply(unname(neighbours), function(near) as.vector(outer(near, before, "+")))
  })
  stats::setNames(unlist(crossed, recursive = FALSE), crossed_names(neighbours, windows))
}

crossed_names <- function(space, time) {
  named <- function(x) if (is.null(names(x))) seq_along(x) else names(x)
  paste0(rep(named(space), length(time)), ", ", rep(named(time), each = length(space)))
}

#' @rdname time_windows
#' @export
flatten_time <- function(x, times, unit = "ms", ...) {
  need_arguments()
  check_time_array(x)
  times <- check_sample_times(times, 1)
  check_unit(unit)
  refuse_if(length(times) != dim(x)[3], "size", "`times` has {count_of(length(times), 'time')}, ",
            "but the third dimension of `x` has {dim(x)[3]}.")
  flattened_times(x, with_unit(distinct_numbers(times), unit))
}

check_time_array <- function(x) {
  refuse_if(!is.numeric(x) || !length(dim(x)) %in% 3:4 || any(dim(x) == 0), "type",
            "`x` must be an array of numbers, conditions x channels x time or conditions x ",
            "channels x time x repeats, not {describe(x)}.")
}

# labels: of the times.
flattened_times <- function(x, labels) {
  sizes <- dim(x)
  names <- dimnames(x)
  channels <- if (is.null(names[[2]])) seq_len(sizes[2]) else names[[2]]
  columns <- paste(rep(channels, sizes[3]), rep(labels, each = sizes[2]))
  dim(x) <- c(sizes[1], sizes[2] * sizes[3], sizes[-(1:3)])
  dimnames(x) <- c(if (is.null(names)) list(NULL) else unname(names[1]), list(columns),
                   if (length(sizes) == 4) (if (is.null(names)) list(NULL) else unname(names[4])))
  x
}

#' @rdname time_windows
#' @export
split_time <- function(x, windows, ...) {
  need_arguments()
  check_time_array(x)
  windows <- check_neighbours(windows, dim(x)[3], "windows")
  names <- if (is.null(names(windows))) as.character(seq_along(windows)) else names(windows)
  times <- dimnames(x)[[3]]
  if (is.null(times)) times <- seq_len(dim(x)[3])
  parts <- lapply(windows, function(at) {
    part <- if (length(dim(x)) == 3) x[, , at, drop = FALSE] else x[, , at, , drop = FALSE]
    flattened_times(part, times[at])
  })
  stats::setNames(parts, names)
}
