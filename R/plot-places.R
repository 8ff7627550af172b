# Where the names of points stand, so that none hides another or a point.

# Text of 8.5 points, in millimetres.
label_size <- 3

# A row a point: label, label_x, label_y (its middle), leader (is it so far from its point that a
# line must lead to it?), placed. In the order of the points, each takes the first free place.
label_places <- function(points, frame) {
  label <- short_labels(points$name, 24)
  width <- nchar(label) * 0.064 + 0.04
  inches <- cbind((points$x - frame$x[1]) / frame$unit, (points$y - frame$y[1]) / frame$unit)
  size <- c(diff(frame$x), diff(frame$y)) / frame$unit
  taken <- boxes(inches, 0.1, 0.1)
  result <- data.frame(label, label_x = NA_real_, label_y = NA_real_, leader = FALSE,
                       placed = FALSE)
  for (i in seq_along(label)) {
    places <- candidate_places(inches[i, ], width[i])
    at <- first_free(boxes(places[, 1:2, drop = FALSE], width[i], 0.14), taken, size)
    if (is.na(at)) next
    taken <- rbind(taken, boxes(places[at, 1:2, drop = FALSE], width[i], 0.14))
    result[i, 2:3] <- c(frame$x[1], frame$y[1]) + places[at, 1:2] * frame$unit
    result$leader[i] <- places[at, 3] > 1
    result$placed[i] <- TRUE
  }
  result
}

# Around a point, nearer ones first: middles and ring.
candidate_places <- function(at, width) {
  sides <- rbind(c(1, 0), c(-1, 0), c(0, 1), c(0, -1), c(1, 1), c(-1, 1), c(1, -1), c(-1, -1))
  rings <- lapply(seq_len(5), function(ring) {
    away <- c(0.08, 0.25, 0.45, 0.7, 1)[ring]
    cbind(at[1] + sides[, 1] * (width / 2 + away), at[2] + sides[, 2] * (0.07 + away), ring)
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
