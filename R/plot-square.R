# These functions turn the scores of a list compared with itself into the square of dissimilarities
# that heat maps and maps are made of.

# Returns list(d, measure, formula). `d` is a symmetric matrix of distances, or, for similarities,
# of the best score minus the score, but at least 0; where the two directions of a pair differ, it
# holds their mean. `measure` is the label, and `formula` says in words what d holds.
dissimilarities <- function(object, type) {
  measure <- one_measure(object, type)
  refuse_several_results(object, type)
  refuse_two_lists(object, type)
  facts <- measure_facts(object)
  best <- best_score_of(object, facts, measure, type)
  distance <- facts$direction[[measure]] %in% "distance"
  names <- side_names(as.data.frame(object), grid_of(object)$aggregate)
  d <- if (distance) object$score else pmax(best - object$score, 0)
  square <- averaged_square(d, lapply(names, droplevels_like, names), type)
  formula <- if (distance) measure else paste(format(best, digits = 3), "-", measure)
  one_way <- square$one_way && !is_mirrored(object)
  list(d = square$mean, measure = measure,
       formula = paste0(formula, if (one_way) " (one direction)"))
}

refuse_several_results <- function(object, type) {
  if (nlevels(row_sources(object)) == 1) return(invisible())
  values <- lapply(as.data.frame(object)[source_columns(object)], function(v) stats::na.omit(v))
  differing <- Filter(function(v) length(unique(v)) > 1, values)
  example <- if (length(differing)) {
    paste0(", as in ", rows_example("object", names(differing)[1], differing[[1]][1]))
  }
  abort("type = \"", type, "\" shows one result: take its rows of `object`", example, ".",
        class = "repalign_error_rows", arg = "object")
}

# Does one score stand for both directions of a pair? It does when the measure is symmetric.
is_mirrored <- function(object) {
  symmetric <- grid_of(object)$symmetric
  !isFALSE(symmetric[as.character(object$measure[1])])
}

# Drops the levels that occur on neither side.
droplevels_like <- function(side, names) {
  used <- levels(side)[levels(side) %in% unlist(lapply(names, as.character))]
  factor(as.character(side), used)
}

one_measure <- function(object, type) {
  labels <- unique(as.character(object$measure))
  if (length(labels) == 1) return(labels)
  abort("type = \"", type, "\" shows one measure: name it in `measure`: ", enumerate(labels, 20),
        ".", class = "repalign_error_choice", arg = "measure")
}

refuse_two_lists <- function(object, type) {
  grid <- attr(object, "grid")
  within <- if (is.null(grid)) attr(object, "within") else grid$within
  if (!identical(within, FALSE)) return(invisible())
  abort("type = \"", type, "\" is for a list that was compared with itself, as in ",
        if (is.null(grid)) "similarity(layers)" else "calibrate(layers)",
        ": here `x` and `y` are different lists.", class = "repalign_error_rows", arg = "object")
}

# The score of identical representations, from which similarities are subtracted; that of distances
# is 0.
best_score_of <- function(object, facts, measure, type) {
  best <- facts$best[[measure]]
  own <- attr(object, "settings")$own
  if (facts$direction[[measure]] %in% "distance") return(0)
  if (!is.na(best) && is.null(own)) return(best)
  abort("type = \"", type, "\" needs the best possible score, which is not known for ",
        dQuote(measure, FALSE), if (is.null(own)) ": give `best` to new_measure()." else
          " under your own `aggregate`: use another one.",
        class = "repalign_error_value", arg = "object")
}

# Returns list(mean, one_way): the symmetric matrix, and whether some pair was computed in one
# direction only.
averaged_square <- function(d, names, type) {
  all <- levels(names$x)
  square <- matrix(NA_real_, length(all), length(all), dimnames = list(all, all))
  known <- square
  at <- cbind(as.integer(names$x), as.integer(names$y))
  square[at] <- d
  known[at] <- 1
  known <- !is.na(known)
  refuse_gaps(!known & !t(known), "was not computed", gap_remedy, type)
  undefined <- known & is.na(square)
  refuse_gaps(undefined | t(undefined), "is undefined (NA)", "leave one of them out", type)
  mean <- rowMeans(array(c(square, t(square)), c(dim(square), 2)), na.rm = TRUE, dims = 2)
  dimnames(mean) <- dimnames(square)
  diag(mean) <- 0
  list(mean = mean, one_way = any(known != t(known)))
}

gap_remedy <- "all pairs are needed, within models too (diagonal = TRUE, or an `aggregate`)"

refuse_gaps <- function(missing, what, remedy, type) {
  diag(missing) <- FALSE
  if (nrow(missing) < 2) {
    abort("type = \"", type, "\" needs two elements or more.", class = "repalign_error_size",
          arg = "object")
  }
  if (!any(missing)) return(invisible())
  first <- rownames(missing)[which(missing, arr.ind = TRUE)[1, ]]
  abort("type = \"", type, "\": the score of ", dQuote(first[2], FALSE), " and ",
        dQuote(first[1], FALSE), " ", what, ": ", remedy, ".", class = "repalign_error_rows",
        arg = "object")
}
