# What test_maps() is given: maps of subjects, as matrices, arrays or results of searchlight(), and
# by adjacency() and cross_adjacency() which places touch.

# ---- maps

# Returns list(values, centers, models, subjects, direction, measure): values are subjects x places
# x models; subjects are their names, or NULL; direction and measure are those of searchlights, or
# NULL.
read_maps <- function(maps, arg) {
  refuse_if(inherits(maps, "repalign_searchlight"), "type", "`{arg}` is the searchlight of one ",
            "subject: give a list with one for each subject.")
  if (is.list(maps) && !is.data.frame(maps) && !is.object(maps)) {
    # what searchlight() returned, for each subject
    lights <- vapply(maps, inherits, NA, "repalign_searchlight")
    refuse_if(!length(maps) || !all(lights), "type", "`{arg}` as a list must hold what ",
              "searchlight() returned for each subject, but ",
              if (!length(maps)) "is empty" else paste0(
                "element ", named_places(which(!lights)[1], names(maps)), " is ",
                describe(maps[[which(!lights)[1]]])
              ), ".")
    if (!is.null(names(maps))) refuse_twice_named(names(maps), "subject", arg)
    rows <- lapply(maps, function(map) {
      need_columns(as.data.frame(map), c("center", "model", "score"), "tested", arg)
    })
    settings <- lapply(maps, function(map) need_kept(map, "settings", "searchlight()", arg))
    centers <- unique(rows[[1]]$center)
    models <- unique(as.character(rows[[1]]$model))
    key <- function(one) paste(one$center, one$model, sep = "\r")
    wanted <- paste(rep(centers, length(models)), rep(models, each = length(centers)), sep = "\r")
    values <- vapply(seq_along(rows), function(k) {
      unequal <- function(what) {
        refuse("names", "`{arg}`: subject {named_places(k, names(maps))} has {what}: all subjects ",
               "need the same centres, models and measure.")
      }
      alike <- setequal(key(rows[[k]]), wanted) && nrow(rows[[k]]) == length(wanted)
      if (!alike) unequal("other centres or models than the first")
      if (!identical(settings[[k]]$measure, settings[[1]]$measure)) {
        unequal(paste0("the measure ", settings[[k]]$measure, ", and the first ",
                       settings[[1]]$measure))
      }
      rows[[k]]$score[match(wanted, key(rows[[k]]))]
    }, double(length(wanted)))
    values <- aperm(array(values, c(length(centers), length(models), length(maps))), c(3, 1, 2))
    return(list(values = values, centers = centers, models = models, subjects = names(maps),
                direction = settings[[1]]$direction, measure = settings[[1]]$measure))
  }
  if (is.data.frame(maps) && all(vapply(maps, is.numeric, NA))) maps <- as.matrix(maps)
  refuse_if(!is.numeric(maps) || !length(dim(maps)) %in% 2:3 || !length(maps), "type",
            "`{arg}` must be a matrix subjects x places, an array subjects x places x models, or ",
            "a list with what searchlight() returned for each subject, not ",
            if (length(dim(maps)) && !length(maps)) "empty" else describe(maps), ".")
  names <- dimnames(maps)
  centers <- if (is.null(names[[2]])) seq_len(dim(maps)[2]) else names[[2]]
  count <- if (length(dim(maps)) == 3) dim(maps)[3] else 1L
  models <- if (length(names) == 3 && !is.null(names[[3]])) names[[3]] else
    if (count == 1) "map" else paste("map", seq_len(count))
  refuse_twice_named(centers, "place", arg)
  refuse_twice_named(models, "model", arg)
  # the row names of a data frame without any are numbers, as are those of matrices made of it
  subjects <- names[[1]]
  if (identical(subjects, as.character(seq_along(subjects)))) subjects <- NULL
  list(values = array(as.double(maps), c(dim(maps)[1:2], count)), centers = centers,
       models = models, subjects = subjects)
}

# Maps whose dimensions have another order: refused where names or the graph show it, and told where
# columns may be subjects by their names or, without names or a graph that say places, their number.
judge_transposed <- function(maps, adjacency) {
  if (!is.null(maps$measure)) return(invisible())
  size <- dim(maps$values)
  graph <- if (!is.null(adjacency)) given_graph(adjacency, "adjacency")
  of_places <- function(names) {
    is.character(names) &&
      (all(names %in% names(graph)) || isTRUE(axis_of_names(names)$unit %in% c("s", "ms")))
  }
  of_subjects <- function(names, words = "sub|subj|subject|participant") {
    length(names) > 0 && all(grepl(paste0("^(", words, ")[-_. ]?[0-9]+$"), names, TRUE))
  }
  fits <- length(graph) == size
  placed <- of_places(maps$centers)
  several <- size[3] > 1
  refuse_if(several && !placed && (of_places(maps$models) || fits[3] && !fits[2]), "names",
            "`maps` seems to be subjects x models x places, as its names or `adjacency` show: ",
            "give subjects x places x models, aperm(maps, c(1, 3, 2)).")
  swapped <- if (several) "aperm(maps, c(2, 1, 3))" else "t(maps)"
  refuse_if(of_subjects(maps$centers) ||
              !placed && (of_places(maps$subjects) || fits[1] && !fits[2]),
            "names", "`maps` seems to be places x subjects, as its names or `adjacency` show: ",
            "give subjects x places, {swapped}.")
  short <- "s|p|pp|vp"
  most <- if (placed || fits[2]) Inf else
    if (of_subjects(maps$centers, short) && !of_subjects(maps$subjects, short)) size[2] else
      if (is.character(maps$centers)) 10 * max(size[2], 5) - 1 else size[2] + 9
  warn_if(size[1] > most, "transposed", "`maps` has {size[1]} subjects (rows) and ",
          "{count_of(size[2], 'place')} (columns): if it is places x subjects, give {swapped}.")
}

refuse_twice_named <- function(names, what, arg) {
  twice <- anyDuplicated(names)
  refuse_if(twice || anyNA(names), "names", "`{arg}` has ",
            if (anyNA(names)) paste("a", what, "without a name") else
              paste0("two of the ", what, "s called ", quoted(names[twice])),
            ": give each {what} a name of its own.")
}

# ---- differences

# The maps that are tested: with `compare` the differences of two models, or from a second set of
# maps of the same subjects.
compared_maps <- function(maps, compare, baseline) {
  # the difference of two infinite values would count as missing
  refuse_infinite(maps, "maps")
  if (is.null(compare)) {
    maps$values <- maps$values - baseline
    return(maps)
  }
  if (is.character(compare)) {
    refuse_if(length(compare) != 2 || anyNA(compare), "choice", "`compare` must name two models, ",
              "or be a second set of maps.")
    check_choice(compare, maps$models, "compare", several = TRUE)
    at <- match(compare, maps$models)
    maps$values <- maps$values[, , at[1], drop = FALSE] - maps$values[, , at[2], drop = FALSE]
    maps$models <- paste(compare, collapse = " - ")
    return(maps)
  }
  others <- read_maps(compare, "compare")
  refuse_infinite(others, "compare")
  wrong <- function(...) {
    refuse("names", "`compare` ", ..., ": give a second set of maps of the same subjects.")
  }
  if (!setequal(maps$centers, others$centers) || length(maps$centers) != length(others$centers)) {
    wrong("has other centres than `maps`")
  }
  if (!setequal(maps$models, others$models)) wrong("has other models than `maps`")
  if (!is.null(maps$measure) && !is.null(others$measure) && maps$measure != others$measure) {
    wrong("was made by another measure (", others$measure, ") than `maps` (", maps$measure, ")")
  }
  rows <- seq_len(dim(maps$values)[1])
  if (!is.null(maps$subjects) && !is.null(others$subjects)) {
    if (!setequal(maps$subjects, others$subjects)) wrong("has other subjects than `maps`")
    rows <- match(maps$subjects, others$subjects)
  }
  if (dim(others$values)[1] != length(rows)) {
    wrong("has ", count_of(dim(others$values)[1], "subject"), ", and `maps` has ", length(rows))
  }
  maps$values <- maps$values - others$values[rows, match(maps$centers, others$centers),
                                             match(maps$models, others$models), drop = FALSE]
  maps
}

# ---- what is left out

refuse_infinite <- function(maps, arg) {
  infinite <- which(is.infinite(maps$values), arr.ind = TRUE)
  refuse_if(nrow(infinite), "nonfinite", "`{arg}` has ",
            "{count_of(nrow(infinite), 'infinite value')}, first of subject ",
            "{named_places(infinite[1, 1], maps$subjects)} at place ",
            "{quoted(maps$centers[infinite[1, 2]])}: look at how its score was made.")
}

# For each place and model: "", "missing" or, for t, "constant", whose t would be infinite under
# some flip of signs. This does not depend on the signs of the values, so the test stays exact.
left_out_places <- function(maps, statistic, na) {
  # the difference of huge values may be infinite
  refuse_infinite(maps, "maps")
  values <- maps$values
  missing <- array(colSums(is.na(values)) > 0, dim(values)[2:3])
  if (any(missing) && na == "error") {
    at <- which(is.na(values), arr.ind = TRUE)[1, ]
    refuse("nonfinite", "`maps` has missing scores at {count_of(sum(missing), 'place')}, first of ",
           "subject {named_places(at[[1]], maps$subjects)} at place ",
           "{quoted(maps$centers[at[[2]]])}: na = \"places\" leaves out every place that a ",
           "subject lacks.")
  }
  left_out <- array(ifelse(missing, "missing", ""), dim(values)[2:3])
  if (statistic == "t") {
    sizes <- lapply(seq_len(dim(values)[1]), function(k) abs(values[k, , ]))
    largest <- do.call(pmax, sizes)
    left_out[which(!missing & largest - do.call(pmin, sizes) <= 1e-6 * largest)] <- "constant"
  }
  empty <- which(colSums(left_out == "") == 0)
  refuse_if(length(empty), "variance", "`maps` has no place ",
            if (length(maps$models) > 1) paste0(
              "of the model ", quoted(maps$models[empty[1]]), " "
            ), "with scores of all subjects that differ.")
  lost <- sum(left_out != "")
  if (lost) {
    words <- c(missing = "a subject has no score there",
               constant = "all subjects have the same score, but for its sign")
    counts <- vapply(names(words), function(why) sum(left_out == why), 0)
    warn("undefined", "{count_of(lost, 'place')} of ",
         "{length(left_out)}{if (lost == 1) ' is' else ' are'} left out (NA): ",
         paste(paste0(words, " (", counts, ")")[counts > 0], collapse = "; "),
         ". Clusters never reach across them.", data = lost)
  }
  left_out
}

# ---- the graph

# The graph of the places in the order of the maps, as a list; NULL where none is needed.
graph_of_places <- function(adjacency, centers, correction) {
  if (is.null(adjacency)) {
    if (correction == "max") return(NULL)
    refuse("missing", "`adjacency` is missing: {correction} needs to know which places touch; see ",
           "adjacency().")
  }
  graph <- given_graph(adjacency, "adjacency")
  if (is.null(names(graph)) || !is.character(centers)) {
    if (length(graph) == length(centers)) return(graph)
    refuse("size", "`adjacency` has {count_of(length(graph), 'place')}, but the maps have ",
           "{length(centers)}.")
  }
  # one region at the times of the graph
  in_order <- length(graph) == length(centers)
  if (in_order && all(endsWith(centers, paste0(", ", names(graph))))) return(graph)
  at <- match(centers, names(graph))
  refuse_if(anyNA(at), "names", "`adjacency` lacks {count_of(sum(is.na(at)), 'place')} of the ",
            "maps, first {quoted(centers[is.na(at)][1])}: give a graph of the same places, ",
            "or one without names in their order.")
  cut_graph(graph, at)
}

# The graph of some of its places, in this order.
cut_graph <- function(graph, at) {
  if (identical(at, seq_along(graph))) return(graph)
  place <- match(seq_along(graph), at)
  lapply(unname(graph)[at], function(near) {
    near <- place[near]
    sort(near[!is.na(near)])
  })
}

# ---- adjacency

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
  refuse_if(is.null(coordinates) && !is.null(distance), "choice", "`distance` goes with ",
            "`coordinates` only: leave it out.")
  refuse_if(is.null(voxels) && !is.null(faces), "choice", "`faces` goes with `voxels` only: leave ",
            "it out.")
  if (!is.null(times)) return(chain_graph(times))
  if (!is.null(distance)) {
    distance <- check_not_negative(distance, "distance")
    coordinates <- place_coordinates(coordinates)
    check_coordinates(coordinates, seq_len(nrow(coordinates)))
    near <- near_places(coordinates, distance, "distance")
    pairs <- cbind(rep(seq_along(near), lengths(near)), unlist(near))
    return(graph_of_pairs(pairs[pairs[, 1] != pairs[, 2], , drop = FALSE], nrow(coordinates),
                          rownames(coordinates)))
  }
  if (!is.null(coordinates)) return(given_graph(coordinates, "coordinates"))
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
  if (nrow(graph) != ncol(graph) || !nrow(graph)) bad(paste("is", nrow(graph), "x", ncol(graph)))
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
  } else {
    require_package("Matrix", "A graph as a sparse matrix")
    entries <- Matrix::mat2triplet(graph)
    values <- if (is.null(entries$x)) rep(1, length(entries$i)) else as.double(entries$x)
    if (anyNA(values) || any(values != 0 & values != 1)) bad("has other values")
    pairs <- cbind(entries$i, entries$j)[values != 0, , drop = FALSE]
    # classes of symmetric matrices keep one half
    if (inherits(graph, "symmetricMatrix")) rbind(pairs, pairs[, 2:1, drop = FALSE]) else pairs
  }
  count <- as.double(nrow(graph))
  key <- (pairs[, 1] - 1) * count + pairs[, 2]
  if (!setequal(key, (pairs[, 2] - 1) * count + pairs[, 1])) bad("is not symmetric")
  used <- !duplicated(key) & pairs[, 1] != pairs[, 2]
  graph_of_pairs(pairs[used, , drop = FALSE], nrow(graph), rownames(graph))
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
