# Where the names of points stand, so that none hides another or a point.

# In millimetres; smaller where there are many names.
label_size <- function(count) if (count > 30) 2.3 else 3

# A row a point: label, label_x, label_y (its middle), leader_x, leader_y (where a line from the
# point to a name that is not beside it ends, or NA), placed, hjust and anchor (names on the right
# of a point begin near it, those on the left end near it, whatever their true width). The names
# are as long as they can be without more of them being left out, or many more of them standing
# far from their points.
label_places <- function(points, frame) {
  tries <- lapply(c(40, 32, 26, 22, 17, 12), function(most) {
    places_of(short_labels(points$name, most), points, frame)
  })
  left <- vapply(tries, function(places) sum(!places$placed), 0L)
  far <- vapply(tries, function(places) sum(!is.na(places$leader_x)), 0L)
  good <- left == min(left)
  good <- good & far <= min(far[good]) + 0.2 * nrow(points)
  tries[[which(good)[1]]]
}

# In the order of the points, each name takes the first free place.
places_of <- function(label, points, frame) {
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

# The point of a box that is nearest to `at`.
nearest_of <- function(box, at) pmin(pmax(at, box[1:2]), box[3:4])

ring_sides <- rbind(c(1, 0), c(-1, 0), c(0, 1), c(0, -1), c(1, 1), c(-1, 1), c(1, -1), c(-1, -1))

sides_of_ring <- nrow(ring_sides)

# Around a point, nearer rings of places first: their middles.
candidate_places <- function(at, width, height) {
  sides <- ring_sides
  rings <- lapply(c(0.07, 0.2, 0.35, 0.5), function(away) {
    cbind(at[1] + sides[, 1] * (width / 2 + away), at[2] + sides[, 2] * (height / 2 + away))
  })
  do.call(rbind, rings)
}

# Left, bottom, right, top.
boxes <- function(middles, width, height) {
  cbind(middles[, 1] - width / 2, middles[, 2] - height / 2, middles[, 1] + width / 2,
        middles[, 2] + height / 2)
}

first_free <- function(places, taken, size) {
  for (i in seq_len(nrow(places))) {
    box <- places[i, ]
    if (any(box[1:2] < 0) || any(box[3:4] > size)) next
    apart <- taken[, 3] <= box[1] | taken[, 1] >= box[3] | taken[, 4] <= box[2] |
      taken[, 2] >= box[4]
    if (all(apart)) return(i)
  }
  NA
}
