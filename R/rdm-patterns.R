# What rdm(), noise_covariance() and searchlight() are given: observations with labels, arrays and
# responses objects, of which patterns of conditions in runs are made.

# ---- observations

# Returns list(x, condition, run): a matrix of doubles with a row for each observation, and for both
# kinds of labels list(codes, labels), or NULL where none are known. Conditions without labels of
# their own have labels NULL and, in `condition`, their count. takes: see refuse_identifiers().
read_observations <- function(x, condition, run, takes = NULL) {
  # of responses objects the events are the runs: they share noise
  if (is_responses(x)) {
    refuse_if(!is.null(condition) || !is.null(run), "labels",
              if (is.null(run)) "`condition`" else "`run`", " cannot be given with a responses ",
              "object, which has labels of its own: declare them by responses().")
    parts <- unclass(x)
    read <- recorded_rows(parts$values, dimnames(parts$values)[[1]], NULL)
    if (is.null(parts$event)) return(read)
    recorded <- which(recorded_repeats(parts$values), arr.ind = TRUE)
    read$run <- row_codes(parts$event[recorded], nrow(recorded), "x", sorted = TRUE)
    return(read)
  }
  if (is.array(x) && length(dim(x)) == 3) {
    run <- run_labels(run, x, condition)
    return(recorded_rows(read_array(x), array_conditions(x, condition), run))
  }
  x <- double_matrix(x, "x")
  refuse_identifiers(x, "x", c(takes, if (is.null(condition)) c(stimulus = "condition"),
                               if (is.null(run)) c(run = "run", session = "run", trial = "run"),
                               other = NA))
  if (!.Call(C_all_finite, x)) {
    at <- which(!is.finite(x), arr.ind = TRUE)
    first <- at[order(at[, 1], at[, 2])[1], ]
    refuse("nonfinite", "`x` has {count_of(nrow(at), 'missing or infinite value')}, first in row ",
           "{named_places(first[1], rownames(x))}, column {named_places(first[2], colnames(x))}: ",
           "leave out these rows (na = \"stimuli\") or columns (na = \"neurons\").")
  }
  # a row name that comes twice is a condition that was shown twice
  if (is.null(condition) && anyDuplicated(rownames(x))) condition <- rownames(x)
  condition <- in_order_of(condition, rownames(x), "condition", "the rows of `x`")
  run <- run_labels(run, x, condition)
  list(x = x, condition = row_codes(condition, nrow(x), "condition"),
       run = row_codes(run, nrow(x), "run", rownames(x), sorted = TRUE))
}

# TRUE says that trials are crossed: the k-th observations of all conditions are a run.
run_labels <- function(run, x, condition) {
  if (!is.logical(run) || length(run) != 1) return(run)
  refuse_if(!isTRUE(run), "labels", "`run` must be labels, or TRUE for crossed trials, not {run}.")
  if (length(dim(x)) == 3) {
    names <- dimnames(x)[[3]]
    return(if (is.null(names)) seq_len(dim(x)[3]) else names)
  }
  refuse_if(is.null(condition), "labels", "run = TRUE numbers the observations of each condition, ",
            "but `x` has no labels of conditions: give `condition`, or labels in `run`.",
            arg = "run")
  condition <- row_labels(condition, nrow(x), "condition", "row", FALSE)
  count <- table(condition)
  refuse_if(length(unique(as.vector(count))) > 1, "labels", "run = TRUE is for crossed trials, ",
            "but condition {quoted(names(which.min(count)))} has ",
            "{count_of(min(count), 'observation')}, and {quoted(names(which.max(count)))} ",
            "has {max(count)}: give the label of each row in `run`.")
  as.integer(stats::ave(seq_along(condition), condition, FUN = seq_along))
}

# Columns of a data frame may hold the labels (NULL: none are given for this argument), given by
# their names or as they are: these are no channels. Returns list(x, labels).
labels_of_frame <- function(x, labels) {
  if (!is.data.frame(x)) return(list(x = x, labels = labels))
  own <- character()
  for (arg in names(labels)) {
    label <- labels[[arg]]
    if (is.character(label) && length(label) == 1 && label %in% names(x)) {
      own <- c(own, label)
      labels[[arg]] <- x[[label]]
    } else if (is.character(label) && length(label) == 1 && nrow(x) > 1) {
      refuse("labels", "`{arg}` names no column of `x`: it has no ",
             "{quoted(label)}{suggest(label, names(x))}")
    } else if (length(label) == nrow(x)) {
      same <- vapply(x, function(column) identical(as.vector(column), as.vector(label)), NA)
      own <- c(own, names(x)[same])
    }
  }
  x <- x[setdiff(names(x), own)]
  numbers <- vapply(x, function(column) is.numeric(column) || is.logical(column), NA)
  if (!all(numbers)) {
    free <- names(Filter(is.null, labels))
    refuse("type", "`x` has columns that are no channels, because they are not numeric: ",
           "{enumerate(names(x)[!numbers])}. ",
           if (length(free)) {
             paste0("Give the names of columns with labels in ",
                    enumerate(paste0("`", free, "`"), quote = FALSE), ", and leave out others.")
           } else "Leave them out.",
           if (!"subject" %in% names(labels)) {
             paste(" Of a table of several subjects, each takes a call of its own, with its rows;",
                   "test_maps() compares the results.")
           })
  }
  list(x = x, labels = labels)
}

# The observations without what `na` leaves out: list(x, labels, columns).
complete_observations <- function(x, labels, na) {
  found <- without_missing(list(x = x), na)
  list(x = found$given$x, labels = cut_row_labels(labels, x, found$rows, "x"),
       columns = found$columns)
}

# Labels of the rows of x, of which `rows` are kept (TRUE: all). Labels with names go by these
# before they are cut. The runs of an array are labels of its repeats, and stay.
cut_row_labels <- function(labels, x, rows, of) {
  if (isTRUE(rows)) return(labels)
  for (arg in if (length(dim(x)) == 3) "condition" else names(labels)) {
    label <- in_order_of(labels[[arg]], first_row_names(x), arg, paste0("the rows of `", of, "`"))
    if (length(label) == length(rows)) labels[[arg]] <- label[rows]
  }
  labels
}

# One label a row as list(codes, labels). names: of the rows. sorted: words are sorted, too, as
# those of runs are: lists with a value for each run are in that order.
row_codes <- function(labels, n, arg, names = NULL, row = "row", sorted = FALSE) {
  if (is.null(labels)) return(NULL)
  labels <- in_order_of(labels, names, arg, paste0("the ", row, "s of `x`"))
  row_labels(labels, n, arg, row, FALSE)
  all <- levels_in_order(labels)
  # numbers come sorted
  if (sorted && is.character(all)) all <- all[radix_order(all)]
  list(codes = match(as.vector(labels), all), labels = label_text(all))
}

# ---- arrays conditions x channels x repeats, in which missing repeats are NA throughout

# Which repeats (columns) of which conditions (rows) were recorded.
recorded_repeats <- function(values) {
  size <- dim(values)
  if (.Call(C_all_finite, values)) return(matrix(TRUE, size[1], size[3]))
  known <- matrix(vapply(seq_len(size[3]), function(t) {
    rowSums(!is.na(values[, , t, drop = FALSE]))
  }, numeric(size[1])), size[1], size[3])
  refuse_if(!any(known > 0), "nonfinite", "`x` has only missing values.")
  partial <- which(known > 0 & known < size[2], arr.ind = TRUE)
  refuse_if(nrow(partial), "nonfinite", "`x` lacks the values of some channels, but not of all, ",
            "for {count_of(nrow(partial), 'pattern')}, first condition ",
            named_places(partial[1, 1], dimnames(values)[[1]]), ", repeat ",
            named_places(partial[1, 2], dimnames(values)[[3]]), ": a repeat that is missing is NA ",
            "in all channels. Leave out these channels, or set the whole repeat to NA",
            if (length(missing_choices())) {
              remedies_by_leaving_out(apply(partial_trials(values), c(1, 3), any))
            }, ".")
  known > 0
}

# Labels of the rows of an array, NULL where it has none.
array_conditions <- function(x, condition) {
  names <- dimnames(x)[[1]]
  if (!is.null(condition)) return(labels_of_array(condition, x, "condition", "observations"))
  twice <- anyDuplicated(names)
  refuse_if(twice, "labels", "`x` has the row name {quoted(names[twice])} more than once, ",
            "but each row of an array is a condition. If rows are observations, give a matrix.")
  names
}

# The recorded repeats as rows, those of the first repeat of all conditions first.
recorded_rows <- function(values, labels, run) {
  size <- dim(values)
  recorded <- which(recorded_repeats(values), arr.ind = TRUE)
  rows <- matrix(aperm(values, c(1, 3, 2)), size[1] * size[3], size[2],
                 dimnames = if (!is.null(dimnames(values)[[2]])) list(NULL, dimnames(values)[[2]]))
  rows <- rows[(recorded[, 2] - 1) * size[1] + recorded[, 1], , drop = FALSE]
  # the run of each observation is the label of its repeat, or its number
  names <- dimnames(values)[[3]]
  refuse_if(!is.null(run) && length(run) != size[3], "labels", "`run` has ",
            "{count_of(length(run), 'label')}, but `x` has {count_of(size[3], 'repeat')}: give ",
            "one label per repeat.")
  repeats <- if (!is.null(run)) row_codes(run, size[3], "run", names, "repeat", sorted = TRUE) else
    list(codes = seq_len(size[3]),
         labels = if (is.null(names)) as.character(seq_len(size[3])) else names)
  list(x = rows, condition = list(codes = unname(recorded[, 1]), labels = labels, count = size[1]),
       run = list(codes = repeats$codes[unname(recorded[, 2])], labels = repeats$labels))
}

# ---- patterns of conditions

# Returns list(means, counts, labels, runs, channels): the mean pattern of each condition in each
# run, as a matrix conditions x (channels * runs) in which the channels of a run stand side by side;
# how many observations each is the mean of (conditions x runs; 0: none, and the mean is 0); labels
# of conditions, or NULL, and of runs. by_run = FALSE takes all observations for those of one run.
run_patterns <- function(x, condition, run, by_run, takes = NULL) {
  # the repeats of an array are the runs
  if (is.array(x) && length(dim(x)) == 3 && !is_responses(x) && is.null(run) && by_run) {
    values <- read_array(x)
    size <- dim(values)
    recorded <- recorded_repeats(values)
    runs <- dimnames(values)[[3]]
    twice <- anyDuplicated(runs)
    # taken for different runs, repeats of one run would bias what is compared between runs
    refuse_if(twice, "labels", "`x` has the name {quoted(runs[twice])} for several repeats. If ",
              "these are of the same run, give run = dimnames(x)[[3]]; if not, give each its own.")
    if (!all(recorded)) values[is.na(values)] <- 0
    return(list(means = matrix(values, size[1], size[2] * size[3]), counts = recorded + 0,
                labels = array_conditions(x, condition), channels = size[2],
                names = dimnames(values)[[2]],
                runs = if (is.null(runs)) as.character(seq_len(size[3])) else runs))
  }
  seen <- read_observations(x, condition, run, takes)
  if (is.null(seen$condition)) {
    # each row of a matrix without labels is a condition
    n <- nrow(seen$x)
    seen$condition <- list(codes = seq_len(n), labels = rownames(seen$x), count = n)
  }
  if (!by_run) seen$run <- list(codes = rep(1L, nrow(seen$x)), labels = "1")
  count <- seen$condition$count
  if (is.null(count)) count <- length(seen$condition$labels)
  check_memory(8 * as.double(count) * ncol(seen$x) * length(seen$run$labels),
               "The patterns of all conditions in all runs", "Take fewer channels.")
  found <- .Call(C_run_means, seen$x, seen$condition$codes, seen$run$codes, count,
                 length(seen$run$labels), thread_count())
  c(found, list(labels = seen$condition$labels, runs = seen$run$labels, channels = ncol(seen$x),
                names = colnames(seen$x)))
}

# Patterns of all runs as they are looked at for odd channels, before anything whitens them.
patterns_as_read <- function(patterns, arg) {
  runs <- length(patterns$means) / nrow(patterns$means) / patterns$channels
  means <- array(patterns$means, c(nrow(patterns$means), patterns$channels, runs))
  data <- matrix(aperm(means, c(1, 3, 2)), ncol = patterns$channels)
  colnames(data) <- patterns$names
  list(arg = arg, data = data)
}

# What messages call a condition: its label, or its number where there are none.
condition_title <- function(labels, at) {
  if (is.null(labels)) as.character(at) else quoted(labels[at])
}
