# These functions find the direction and the best score of the measures in a picture.

# Returns list(direction, best), two vectors named by the labels of measures. A result says it of
# its own measures; for labels it does not know, the declared measures are asked.
measure_facts <- function(object) {
  labels <- unique(as.character(object$measure))
  grid <- attr(object, "grid")
  facts <- function(name, default) {
    known <- if (is.null(grid)) attr(object, name) else grid[[name]]
    new <- setdiff(labels, names(known))
    found <- vapply(new, registered_fact, default, name = name, default = default)
    c(known, found)[labels]
  }
  list(direction = facts("direction", NA_character_), best = facts("best", NA_real_))
}

# Measures of a calibration whose gated scores are excesses over the threshold, because nothing
# bounds their scores.
unlimited_measures <- function(object) {
  gated <- identical(attr(object, "settings")$variant, "gated")
  limit <- attr(object, "grid")$limit
  if (!gated || is.null(limit)) return(character())
  intersect(unique(as.character(object$measure)), names(limit)[is.na(limit)])
}

# The label of a declared measure is its id, or begins with it, as in "mutual_knn(k = 5)".
registered_fact <- function(label, name, default) {
  id <- sub("[( ].*", "", label)
  d <- registry[[id]]
  if (is.null(d)) return(default)
  if (name == "best") as.double(best_of(d, d$check(default_arguments(id)))) else d[[name]]
}
