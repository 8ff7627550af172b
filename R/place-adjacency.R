# adjacency() and cross_adjacency(): which places touch, for clusters and TFCE of test_maps().

#' Which places touch
#'
#' For every place, the places that touch it: what clusters and TFCE of [test_maps()] are made of.
#' `cross_adjacency()` joins a graph of places and one of times.
#'
#' @param coordinates where the places are, as in [neighbourhoods()]; or, without `distance`, a
#'   graph: a symmetric matrix of 0 and 1, or a list as is returned.
#' @param distance places at most so far apart touch.
#' @param voxels instead: the two or three indices of each voxel, such as
#'   `which(mask, arr.ind = TRUE)`.
#' @param faces neighbours of a voxel: by a face (6, the default), also an edge (18), also a corner
#'   (26); of a pixel 4 or 8.
#' @param times instead: how many times, or [time_windows()].
#' @param space,time two graphs, as `adjacency()` returns or takes them.
#' @param ... not used.
#' @return A list, named as the places, with the numbers of the places that touch each, without
#'   itself. `cross_adjacency()`: the same for each place at each time, in the order of
#'   [cross_places()].
#' @details
#' Neighbourhoods that overlap are not places that touch: give `distance` the spacing of the places.
#' @examples
#' mask <- array(TRUE, c(4, 4, 3))
#' table(lengths(adjacency(voxels = which(mask, arr.ind = TRUE), faces = 26)))
#'
#' # three contacts on a line, at two times
#' contacts <- adjacency(c(Fz = 1, Cz = 2, Pz = 3), distance = 1)
#' str(cross_adjacency(contacts, adjacency(times = 2)))
#' @export
adjacency <- function(coordinates = NULL, distance = NULL, voxels = NULL, faces = NULL,
                      times = NULL, ...) {
  need_arguments()
  given <- !c(is.null(coordinates), is.null(voxels), is.null(times))
  refuse_if(sum(given) != 1, "choice", "Give one of `coordinates`, `voxels` and ",
            "`times`{if (any(given)) ', not several'}.")
  alone <- function(value, arg, with) {
    if (is.null(value)) return(invisible())
    refuse("choice", "`{arg}` goes with `{with}` only: leave it out.")
  }
  if (is.null(coordinates)) alone(distance, "distance", "coordinates")
  if (is.null(voxels)) alone(faces, "faces", "voxels")
  if (!is.null(voxels)) return(voxel_graph(voxels, faces))
  if (!is.null(times)) return(chain_graph(times))
  if (!is.null(distance)) return(distance_graph(coordinates, distance))
  given_graph(coordinates, "coordinates")
}

distance_graph <- function(coordinates, distance) {
  distance <- check_not_negative(distance, "distance")
  coordinates <- place_coordinates(coordinates)
  check_coordinates(coordinates, seq_len(nrow(coordinates)))
  near <- near_places(coordinates, distance, "distance")
  sizes <- lengths(near)
  pairs <- cbind(rep(seq_along(near), sizes), unlist(near))
  graph_of_pairs(pairs[pairs[, 1] != pairs[, 2], , drop = FALSE], nrow(coordinates),
                 rownames(coordinates))
}

chain_graph <- function(times) {
  n <- if (is.list(times)) length(check_neighbours(times, .Machine$integer.max, "windows")) else
    check_count(times, "times")
  names <- if (is.list(times)) names(times)
  near <- lapply(seq_len(n), function(t) as.integer(c(if (t > 1) t - 1, if (t < n) t + 1)))
  stats::setNames(near, names)
}

# pairs: a row for each direction of each pair.
graph_of_pairs <- function(pairs, count, names = NULL) {
  order <- order(pairs[, 1], pairs[, 2])
  near <- split(as.integer(pairs[order, 2]), factor(pairs[order, 1], seq_len(count)))
  stats::setNames(near, names)
}

voxel_graph <- function(voxels, faces) {
  voxels <- place_coordinates(voxels, "voxels")
  check_coordinates(voxels, seq_len(nrow(voxels)), "voxels")
  dims <- ncol(voxels)
  refuse_if(!dims %in% 2:3 || any(voxels != round(voxels)) || max(abs(voxels)) > 1e8, "value",
            "`voxels` must be whole numbers, two or three indices for each voxel, such as ",
            "which(mask, arr.ind = TRUE); for places in millimetres give `coordinates` and ",
            "`distance`.")
  steps <- c(`4` = 1, `8` = 2, `6` = 1, `18` = 2, `26` = 3)
  choices <- names(steps)[if (dims == 2) 1:2 else 3:5]
  faces <- check_choice(if (is.null(faces)) choices[1] else format(faces), choices, "faces")
  offsets <- as.matrix(expand.grid(rep(list(-1:1), dims)))
  reach <- rowSums(abs(offsets))
  # a number for each place of a box with a border of one voxel
  lowest <- apply(voxels, 2, min) - 1
  extent <- apply(voxels, 2, max) - lowest + 2
  weights <- cumprod(c(1, extent[-dims]))
  keys <- drop((voxels - rep(lowest, each = nrow(voxels))) %*% weights)
  refuse_if(prod(extent) > 2^53 || anyDuplicated(keys), "value", "`voxels` names a voxel twice, ",
            "or indices too far apart to be of one image.")
  pairs <- lapply(which(reach > 0 & reach <= steps[[faces]]), function(k) {
    to <- match(keys + sum(offsets[k, ] * weights), keys)
    cbind(which(!is.na(to)), to[!is.na(to)])
  })
  graph_of_pairs(do.call(rbind, pairs), nrow(voxels), rownames(voxels))
}

# A graph that a user gives as a matrix or a list, as adjacency() returns it.
given_graph <- function(graph, arg) {
  is_matrix <- is.matrix(graph) || inherits(graph, "Matrix")
  refuse_if(!is_matrix && (!is.list(graph) || is.object(graph) || !length(graph)), "type",
            "`{arg}` must be what adjacency() returns, a symmetric matrix of 0 and 1, or a list ",
            "with the places that touch each place, not {describe(graph)}.",
            if (arg == "coordinates") " Coordinates need a `distance`.")
  if (is_matrix) return(graph_of_matrix(graph, arg))
  count <- length(graph)
  wrong <- function(what) {
    refuse("value", "`{arg}` must have for each place the numbers of other places, from 1 to ",
           "{count}, but {what}.")
  }
  usable <- vapply(graph, function(at) is.null(at) || is.numeric(at) && is.null(dim(at)), NA)
  if (!all(usable)) wrong(paste("element", which(!usable)[1], "has no numbers"))
  from <- rep(seq_len(count), lengths(graph))
  to <- as.double(unlist(graph, use.names = FALSE))
  bad <- which(!(is.finite(to) & to == round(to) & to >= 1 & to <= count))
  if (length(bad)) wrong(paste("element", from[bad[1]], "has", to[bad[1]]))
  names <- names(graph)
  refuse_if(!is.null(names) && (anyNA(names) || any(names == "") || anyDuplicated(names)), "names",
            "`{arg}` must have a different name for each place, or no names.")
  key <- (from - 1) * count + to
  back <- (to - 1) * count + from
  # most graphs are as adjacency() returns them
  in_order <- !is.unsorted(key, strictly = TRUE) && !any(from == to)
  if (in_order && identical(sort(back), key)) return(lapply(graph, as.integer))
  used <- from != to & !duplicated(key)
  key <- key[used]
  back <- back[used]
  one_sided <- sum(!back %in% key)
  if (one_sided) {
    inform("one_sided", "`{arg}` has {count_of(one_sided, 'pair')} of places of which only one ",
           "names the other: both count as touching.")
    key <- union(key, back)
  }
  graph_of_pairs(cbind((key - 1) %/% count + 1, (key - 1) %% count + 1), count, names)
}

graph_of_matrix <- function(graph, arg) {
  bad <- function(what) {
    refuse("value", "`{arg}` as a matrix must be symmetric, with 1 for places that touch and 0 ",
           "for others, but {what}", if (arg == "coordinates") ". Coordinates need a `distance`",
           ".")
  }
  if (nrow(graph) != ncol(graph) || nrow(graph) < 1) {
    bad(paste("is", nrow(graph), "x", ncol(graph)))
  }
  names <- dimnames(graph)
  if (!is.null(names[[1]]) && !is.null(names[[2]]) && !identical(names[[1]], names[[2]])) {
    bad("its rows and columns have different names")
  }
  # of sparse matrices only the pairs are looked at
  pairs <- if (is.matrix(graph)) {
    if (!is.numeric(graph) && !is.logical(graph) || anyNA(graph) || any(graph != 0 & graph != 1)) {
      bad("has other values")
    }
    which(graph != 0, arr.ind = TRUE)
  } else sparse_pairs(graph, bad)
  count <- as.double(nrow(graph))
  key <- (pairs[, 1] - 1) * count + pairs[, 2]
  back <- (pairs[, 2] - 1) * count + pairs[, 1]
  if (!setequal(key, back)) bad("is not symmetric")
  used <- !duplicated(key) & pairs[, 1] != pairs[, 2]
  graph_of_pairs(pairs[used, , drop = FALSE], nrow(graph), rownames(graph))
}

sparse_pairs <- function(graph, bad) {
  require_package("Matrix", "A graph as a sparse matrix")
  entries <- Matrix::mat2triplet(graph)
  values <- if (is.null(entries$x)) rep(1, length(entries$i)) else as.double(entries$x)
  if (anyNA(values) || any(values != 0 & values != 1)) bad("has other values")
  pairs <- cbind(entries$i, entries$j)[values != 0, , drop = FALSE]
  # classes of symmetric matrices keep one half
  if (inherits(graph, "symmetricMatrix")) rbind(pairs, pairs[, 2:1, drop = FALSE]) else pairs
}

#' @rdname adjacency
#' @export
cross_adjacency <- function(space, time, ...) {
  need_arguments()
  space <- given_graph(space, "space")
  time <- given_graph(time, "time")
  places <- length(space)
  times <- length(time)
  refuse_if(places * as.double(times) > .Machine$integer.max, "size", "`space` and `time` ",
            "together have more places than R can number.")
  sizes <- rep(lengths(space), times) + rep(lengths(time), each = places)
  check_memory(4 * sum(as.double(sizes)), "This graph", "Fewer places or times need less.")
  crossed <- lapply(seq_len(times), function(t) {
    before <- places * (time[[t]] - 1L)
    earlier <- before[time[[t]] < t]
    later <- before[time[[t]] > t]
    lapply(seq_len(places), function(i) {
      as.integer(c(i + earlier, space[[i]] + places * (t - 1L), i + later))
    })
  })
  names <- if (!is.null(names(space)) && !is.null(names(time))) crossed_names(space, time)
  stats::setNames(unlist(crossed, recursive = FALSE), names)
}
