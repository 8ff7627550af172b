# The direct path: the measure itself on relabelled representations. A permutation of the rows
# relabels what was prepared; only forms that no one has told how to relabel are made again.

# drawn: what was drawn at random for each pair when it was scored. Returns list(null, warned):
# permutations x pairs, and what the user's own function warned of, see permuted_score().
direct_null <- function(measure, pairs, sides, design, drawn) {
  permutations <- design_matrix(design)
  count <- ncol(permutations)
  null <- matrix(NA_real_, count, nrow(pairs))
  run <- new.env()
  run$warned <- list()
  advance <- progress_along(count)
  started <- proc.time()[[3]]
  for (k in seq_len(count)) {
    run$permutation <- k
    null[k, ] <- permuted_scores(measure, pairs, sides, permutations[, k], drawn, run)
    if (k == min(3, count)) announce_duration(started, k, count, null_of_label(measure))
    advance()
  }
  list(null = null, warned = run$warned)
}

# Scores of all pairs with the rows of y in another order. The forms were made when the
# observed scores were.
permuted_scores <- function(measure, pairs, sides, permutation, drawn, run = new.env()) {
  used <- unique(pairs$j)
  y <- lapply(sides$y$reps[used], relabelled, permutation)
  vapply(seq_len(nrow(pairs)), function(p) {
    pair <- as_pair(sides$x$reps[[pairs$i[p]]], y[[match(pairs$j[p], used)]])
    pair$cache$entries <- drawn[[p]]
    run$pair <- p
    permuted_score(measure, pair, run)
  }, 0)
}

# What this package has to say was said of the observed scores. What a user's own function warns
# of is collected in run$warned, each text once, with its place: permutation, pair. Errors, too,
# carry their place, so that of several tiles' errors the first one can be told.
permuted_score <- function(measure, pair, run) {
  place <- c(run$permutation, run$pair)
  tryCatch(
    withCallingHandlers(
      compare_pair(measure$declaration, pair, measure$args),
      repalign_message = function(m) invokeRestart("muffleMessage"),
      warning = function(w) {
        text <- conditionMessage(w)
        if (!inherits(w, "repalign_warning") && is.null(run$warned[[text]])) {
          run$warned[[text]] <- place
        }
        invokeRestart("muffleWarning")
      }
    ),
    error = function(e) {
      message <- paste0(comparison_title(pair, measure), conditionMessage(e),
                        " (with the rows of `y` permuted)")
      error <- tryCatch(stop_score(message, e), error = identity)
      error$place <- place
      stop(error)
    }
  )
}

# Warnings of several tiles as one: those that the observed scores had not given, the first in
# full. warned: list of places, named by their texts.
report_permuted <- function(measure, warned, said) {
  place <- vapply(warned, as.double, double(2))
  texts <- setdiff(names(warned)[order(place[1, ], place[2, ])], said)
  if (length(texts)) {
    warn(measure$label, ", with the rows of `y` permuted: ", first_of(texts),
         class = "repalign_function")
  }
}

# Says how long it will take, when that is long.
announce_duration <- function(started, done, count, what,
                              remedy = "Fewer permutations take less.") {
  seconds <- (proc.time()[[3]] - started) / done * (count - done)
  if (seconds < 60) return(invisible())
  inform_duration(what, seconds, remedy)
}

inform_duration <- function(what, seconds, remedy, class = NULL) {
  inform(what, " takes about ", format_duration(seconds), ". ", remedy,
         class = c(class, "repalign_duration"))
}

null_of_label <- function(measure) paste("The null of", measure$label)

format_duration <- function(seconds) {
  if (seconds < 60) return(paste(ceiling(seconds / 10) * 10, "seconds"))
  if (seconds < 5400) return(paste(ceiling(seconds / 60), "minutes"))
  paste(format(seconds / 3600, digits = 2), "hours")
}

# The representation whose rows come in the order `permutation`.
relabelled <- function(rep, permutation) {
  result <- rep
  result$data <- relabel_data(rep, permutation)
  result$cache <- new.env()
  result$cache$neighbours <- rep$cache$neighbours
  result$cache$entries <- relabel_entries(rep$cache$entries, permutation)
  result
}

relabel_data <- function(rep, permutation) {
  switch(rep$kind,
    data = unname_rows(rep$data[permutation, , drop = FALSE]),
    dist = relabel_dist(rep$data, permutation),
    graph = relabel_graph(rep$data, permutation)
  )
}

unname_rows <- function(x) {
  rownames(x) <- NULL
  x
}

relabel_entries <- function(entries, permutation) {
  kept <- lapply(entries, function(entry) {
    relabel <- relabellers[[entry$key[[1]]]]
    if (is.null(relabel)) return(NULL)
    list(key = entry$key, value = relabel(entry$value, permutation))
  })
  Filter(Negate(is.null), kept)
}

as_is <- function(value, permutation) value

# Row i of the result is row permutation[i]; its neighbours are named by their new places.
relabel_graph <- function(graph, permutation) {
  place <- order(permutation)
  graph$idx[] <- place[graph$idx]
  for (part in c("idx", "dist", "weight", "joined")) {
    if (!is.null(graph[[part]])) graph[[part]] <- graph[[part]][permutation, , drop = FALSE]
  }
  if (!is.null(graph$priority)) graph$priority <- graph$priority[permutation]
  graph
}

relabel_square <- function(matrix, permutation) matrix[permutation, permutation, drop = FALSE]

# Distances as stats::dist() orders them.
relabel_packed <- function(x, permutation) {
  .Call(C_relabel_packed, as.double(x), permutation, thread_count())
}

relabel_dist <- function(x, permutation) {
  x[] <- relabel_packed(x, permutation)
  attr(x, "Labels") <- NULL
  x
}

# A list some of whose parts are relabelled: packed entries, values a stimulus, rows, columns.
relabel_parts <- function(packed = NULL, each = NULL, rows = NULL, square = NULL) {
  function(value, permutation) {
    for (part in packed) value[[part]] <- relabel_packed(value[[part]], permutation)
    for (part in each) value[[part]] <- value[[part]][permutation]
    for (part in rows) value[[part]] <- value[[part]][permutation, , drop = FALSE]
    for (part in intersect(square, names(value))) {
      if (!is.null(value[[part]])) value[[part]] <- relabel_square(value[[part]], permutation)
    }
    value
  }
}

relabel_rows <- function(value, permutation) value[permutation, , drop = FALSE]

relabel_columns <- function(value, permutation) value[, permutation, drop = FALSE]

relabel_each <- function(value, permutation) value[permutation]

relabel_sparse <- function(value, permutation) {
  value <- relabel_graph(value, permutation)
  for (part in c("row_sums", "column_sums", "sigma")) {
    if (!is.null(value[[part]])) value[[part]] <- value[[part]][permutation]
  }
  value
}

# By the first part of a form's key.
relabellers <- list(
  centering = as_is, scaling = as_is, components = as_is, coordinates = as_is, hat = as_is,
  "centered squares" = as_is, "kept components" = as_is, norm = as_is, self = as_is,
  "median distance" = as_is, "rdm range" = as_is, ties = as_is,
  "all neighbours" = as_is,
  basis = relabel_parts(rows = "q"),
  linear = relabel_parts(each = "k", square = "gram"),
  distances = relabel_parts(packed = "d"),
  "centered distances" = relabel_parts(packed = "entries", each = "means"),
  gaussian = relabel_parts(packed = "entries", each = "means"),
  "unit distances" = relabel_packed, "rdm ranks" = relabel_packed,
  "rdm values" = relabel_parts(packed = "values"),
  "row factor" = relabel_rows, columns = relabel_rows, "row norms" = relabel_each,
  rows = relabel_columns, "tie priorities" = relabel_each,
  cloud = relabel_packed, graph = relabel_graph, mka = relabel_sparse, kcka = relabel_sparse,
  cknna = relabel_sparse
)
