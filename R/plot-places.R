# These functions find places for the names of points, so that no name hides another or a point.

# The size of the text in millimetres, which is smaller when there are many names.
label_size <- function(count) if (count > 30) 2.3 else 3

# Returns a row for each point: its label; label_x and label_y, the middle of the label; leader_x
# and leader_y, where a line from the point to a label that does not stand beside it ends, or NA;
# placed, whether a free place was found; hjust and anchor, with which labels on the right of a
# point begin near it and labels on the left end near it, even if their width was misjudged. The
# labels are as long as they can be without more of them being left out, or many more of them
# standing far from their points.
label_places <- function(points, frame) {
  tries <- lapply(c(40, 32, 26, 22, 17, 12), function(most) {
    place_labels(short_labels(points$name, most), points, frame)
  })
  left <- vapply(tries, function(places) sum(!places$placed), 0L)
  far <- vapply(tries, function(places) sum(!is.na(places$leader_x)), 0L)
  good <- left == min(left)
  good <- good & far <= min(far[good]) + 0.2 * nrow(points)
  tries[[which(good)[1]]]
}

# The points are taken in turn, and the label of each gets the first place that is still free.
place_labels <- function(label, points, frame) {
  width <- nchar(label) * 0.0213 * label_size(nrow(points)) + 0.04
  height <- 0.047 * label_size(nrow(points))
  inches <- cbind((points$x - frame$x[1]) / frame$unit, (points$y - frame$y[1]) / frame$unit)
  size <- c(diff(frame$x), diff(frame$y)) / frame$unit
  taken <- boxes(inches, 0.1, 0.1)
  found <- matrix(NA_real_, nrow(points), 4)
  hjust <- rep(0.5, nrow(points))
  for (i in seq_along(label)) {
    places <- candidate_places(inches[i, ], width[i], height)
    all <- boxes(places, width[i], height)
    at <- first_free(all, taken, size)
    if (is.na(at)) next
    taken <- rbind(taken, all[at, ])
    beside <- at <= sides_of_ring
    hjust[i] <- 0.5 - ring_sides[(at - 1) %% sides_of_ring + 1, 1] / 2
    found[i, ] <- c(places[at, ], if (beside) c(NA, NA) else nearest_of(all[at, ], inches[i, ]))
  }
  place <- sweep(found * frame$unit, 2, rep(c(frame$x[1], frame$y[1]), 2), "+")
  colnames(place) <- c("label_x", "label_y", "leader_x", "leader_y")
  anchor <- place[, "label_x"] + (hjust - 0.5) * width * frame$unit
  data.frame(label, place, placed = !is.na(found[, 1]), hjust, anchor)
}

# The place within a box that is nearest to the point `at`.
nearest_of <- function(box, at) pmin(pmax(at, box[1:2]), box[3:4])

ring_sides <- rbind(c(1, 0), c(-1, 0), c(0, 1), c(0, -1), c(1, 1), c(-1, 1), c(1, -1), c(-1, -1))

sides_of_ring <- nrow(ring_sides)

# The middles of all places to try around the point `at`: eight in each of four rings, from the
# nearest ring to the farthest.
candidate_places <- function(at, width, height) {
  sides <- ring_sides
  rings <- lapply(c(0.07, 0.2, 0.35, 0.5), function(away) {
    cbind(at[1] + sides[, 1] * (width / 2 + away), at[2] + sides[, 2] * (height / 2 + away))
  })
  do.call(rbind, rings)
}

# Boxes around the middles: a matrix with the columns left, bottom, right and top edge.
boxes <- function(middles, width, height) {
  cbind(middles[, 1] - width / 2, middles[, 2] - height / 2, middles[, 1] + width / 2,
        middles[, 2] + height / 2)
}

first_free <- function(places, taken, size) {
  for (i in seq_len(nrow(places))) {
    box <- places[i, ]
    if (any(box[1:2] < 0) || any(box[3:4] > size)) next
    clear <- taken[, 3] <= box[1] | taken[, 1] >= box[3] | taken[, 4] <= box[2] |
      taken[, 2] >= box[4]
    if (all(clear)) return(i)
  }
  NA
}
