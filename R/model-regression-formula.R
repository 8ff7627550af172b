# A formula of RDMs becomes a table here: the dissimilarities of the response and of each predictor
# for all pairs of conditions.

# Returns list(n, labels, x, y, single, response, subjects): the number and the labels (or NULL) of
# the conditions; matrices with a row for each pair of conditions and a column for each predictor,
# and for each response (subject); whether the response is one RDM and no list; its name; and the
# names of subjects that the user gave, or NULL. inner: NULL for that of the response.
regression_table <- function(formula, data, inner, allow_na) {
  terms <- regression_terms(formula, data)
  values <- lapply(terms$calls, function(call) {
    for (name in all.vars(call)) {
      if (name %in% names(data) || exists(name, envir = terms$env)) next
      refuse("missing", "`formula` names {quoted(name)}, which is neither in `data` nor a ",
             "variable{suggest(name, c(names(data), 'data'))}")
    }
    catch_error(eval(call, data, terms$env), failed = function(e) {
      if (inherits(e, "repalign_error")) stop(e)
      refuse("value", "`formula` has {quoted(deparse1(call))}, which fails: {conditionMessage(e)}")
    })
  })
  single <- !is_list_of_rdms(values[[1]])
  responses <- if (single) stats::setNames(values[1], terms$names[1]) else
    named_subjects(values[[1]], terms$names[1])
  all <- c(responses, stats::setNames(values[-1], terms$names[-1]))
  places <- if (single) terms$names else
    c(paste0(terms$names[1], "$", names(responses)), terms$names[-1])
  all <- labels_in_order(all, places)
  if (is.null(inner)) {
    # as in the RDMs of the response
    known <- unique(vapply(responses, inner_of_rdm, ""))
    if (length(known) > 1) known <- NA
    inner <- if (is.na(known)) "correlation" else known
    made <- !vapply(all, function(value) {
      inherits(value, "dist") || is_square_rdm(value) || is_labels(value)
    }, NA)
    # a response that is a representation is compared as the predictors are
    inform_if(any(made) && !made[1], "inner", "The RDM{if (sum(made) > 1) 's'} of `",
              paste(places[made], collapse = "` and `"), "` {if (sum(made) > 1) 'are' else 'is'} ",
              "made with inner = {quoted(inner)}",
              if (is.na(known)) ": how that of the response was made is not known" else
                ", dissimilarities of the kind of the response's", ". Give `inner` for others.")
  }
  rdms <- Map(function(value, place) rdm_of_value(value, place, inner, allow_na), all, places)
  check_equal_sizes(rdms, places)
  rdms <- rdms_in_one_order(rdms, places, "formula")
  refuse_repeated_labels(labels_of_rdms(rdms), places[1])
  packed <- matrix(unlist(lapply(rdms, as.vector), use.names = FALSE), ncol = length(rdms),
                   dimnames = list(NULL, names(all)))
  subjects <- seq_along(responses)
  list(n = attr(rdms[[1]], "Size"), labels = labels_of_rdms(rdms),
       y = packed[, subjects, drop = FALSE], x = packed[, -subjects, drop = FALSE],
       series = declares_series(unname(values)), single = single,
       response = terms$names[1], subjects = if (!single) names(values[[1]]))
}

# list(calls, names, env): of the response and the predictors.
regression_terms <- function(formula, data) {
  refuse_if(!inherits(formula, "formula") || length(formula) != 3, "type",
            "`formula` must have a response and predictors, as in brain ~ layer4 + category.")
  named <- is.list(data) && !is.null(names(data)) && !anyNA(names(data)) &&
    all(nzchar(names(data))) && !anyDuplicated(names(data))
  refuse_if(!is.null(data) && !is.environment(data) && !named, "type", "`data` must be a list ",
            "with a different name for each element, not {describe(data)}.")
  # the dot stands for all elements of `data` that are not in the response
  names <- if (is.environment(data)) ls(data) else names(data)
  refuse_if("." %in% all.vars(formula[[3]]) &&
              !length(setdiff(names, all.vars(formula[[2]]))), "missing",
            "`.` in `formula` stands for the other elements of `data`, but there are none.",
            arg = "formula")
  frame <- stats::setNames(rep(list(numeric()), length(names)), names)
  frame <- as.data.frame(frame, optional = TRUE)
  terms <- catch_error(stats::terms(formula, data = frame), failed = function(e) {
    refuse("type", "`formula` cannot be read: {conditionMessage(e)}")
  })
  labels <- attr(terms, "term.labels")
  refuse_if(any(attr(terms, "order") > 1), "value", "`formula` has the interaction ",
            quoted(labels[attr(terms, "order") > 1][1]), ": give a product of RDMs as an ",
            "RDM of its own.")
  refuse_if(!attr(terms, "intercept") || !is.null(attr(terms, "offset")), "value",
            "`formula` must have an intercept and no offset: the zero of an RDM is no model of it.")
  refuse_if(!length(labels), "missing", "`formula` has no predictor.")
  response <- as.list(attr(terms, "variables"))[[2]]
  refuse_if(deparse1(response) %in% labels, "value", "`formula` has the response ",
            "{quoted(deparse1(response))} among its predictors.")
  variables <- as.list(attr(terms, "variables"))[-1]
  names <- vapply(variables, function(v) if (is.name(v)) as.character(v) else deparse1(v), "")
  list(calls = variables, names = names, env = environment(formula))
}

# Subjects are a list of RDMs or of representations; data frames and responses are one.
is_list_of_rdms <- function(value) {
  inherits(value, "repalign_rdms") || (is.list(value) && !is.object(value) && !is_graph(value))
}

named_subjects <- function(subjects, place) {
  refuse_if(!length(subjects), "size", "`{place}` is an empty list: give one RDM or more.")
  if (is.null(names(subjects))) names(subjects) <- paste0("s", seq_along(subjects))
  check_element_names(subjects, place)
  subjects
}

# The distance of rsa() of the kind of an RDM, or NA.
inner_of_rdm <- function(rdm) {
  made <- attr(rdm, "distance")
  if (is.null(made)) made <- attr(rdm, "method")
  if (!inherits(rdm, "dist") || length(made) != 1) return(NA_character_)
  if (made == "correlation" && is.null(attr(rdm, "transformed"))) return("correlation")
  if (!made %in% c("euclidean", distance_ids()) || made == "correlation") return(NA_character_)
  kind <- kind_of_values(rdm)
  # dist(x)^2 still calls itself Euclidean
  if (is.null(attr(rdm, "distance")) && kind == "distances" && !have_points(rdm)) kind <- "squares"
  c(distances = "euclidean", squares = "sqeuclidean", neither = NA)[[kind]]
}

# Are there points with these distances? Then the matrix of their inner products has no eigenvalue
# below 0.
have_points <- function(rdm) {
  if (!all(is.finite(rdm)) || !any(rdm != 0)) return(TRUE)
  square <- as.matrix(rdm / max(abs(rdm)))^2
  products <- rowMeans(square) - square
  products <- sweep(products, 2, colMeans(products))
  eigenvalues <- eigen(products, symmetric = TRUE, only.values = TRUE)$values
  min(eigenvalues) > -1e-8 * max(eigenvalues)
}

check_equal_sizes <- function(rdms, places) {
  n <- vapply(rdms, function(rdm) as.integer(attr(rdm, "Size")), 0L)
  other <- which(n != n[1])
  refuse_if(length(other), "size", "`{places[other[1]]}` has ",
            "{count_of(n[other[1]], 'condition')}, but `{places[1]}` has {n[1]}: a pair of ",
            "conditions needs a value in both. match_rows() keeps those that all have, by their ",
            "names.")
}

# The RDM of what a formula may name, a "dist" object. Labels of conditions give 0 for pairs with
# the same label and 1 for others.
rdm_of_value <- function(value, place, inner, allow_na) {
  if (inherits(value, "dist") || is_square_rdm(value)) return(read_rdm(value, place, allow_na))
  if (is_labels(value)) {
    codes <- match(value, unique(value[!is.na(value)]))
    refuse_if(length(codes) < 2, "size", "`{place}` has {count_of(length(codes), 'label')}, no ",
              "pair.")
    refuse_if(anyNA(codes) && !allow_na, "nonfinite", "`{place}` lacks labels (NA): give all, or ",
              "set na = \"pairwise\" to leave the pairs of these conditions out.")
    differ <- outer(codes, codes, "!=") + 0
    return(structure(differ[lower.tri(differ)], Size = length(codes), Labels = names(value),
                     class = "dist", Diag = FALSE, Upper = FALSE))
  }
  refuse_if(is.numeric(value) && length(dim(value)) < 2, "type", "`{place}` is a numeric vector: ",
            "give dist({place}) for differences of its values, or factor({place}) for labels.")
  repr <- representation(value, place, side = "x")
  warn_of_odd_columns(list(repr))
  note_unused_structure(list(repr), list(list(label = paste("the RDM of", place))))
  if (repr$kind == "graph") need_kind(repr, c("data", "dist"), "a regression of RDMs")
  check_rows(repr$n, 2, place, "a dissimilarity")
  check_row_width(repr, inner)
  rdm <- dissimilarities_of(repr, inner)
  unscaled <- if (inner %in% c("euclidean", "sqeuclidean")) form_distances(repr)$scale else 1
  values <- as.vector(rdm$d) / unscaled
  if (rdm$square) values <- values^2
  # squares of very small values have few digits left, or none
  tiny <- rdm$square && any(rdm$d != 0) && max(values) <= 1e16 * .Machine$double.xmin
  refuse_if(tiny || any(is.infinite(values)), "value", "The dissimilarities of `{place}` are too ",
            "large or too small for a double: rescale the data.")
  structure(values, Size = repr$n, Labels = stimulus_names(repr$data),
            Diag = FALSE, Upper = FALSE, class = "dist")
}

# Symmetric and without a diagonal to speak of: dissimilarities, not responses.
is_square_rdm <- function(value) {
  if (!is.matrix(value) || !is.numeric(value) || nrow(value) != ncol(value)) return(FALSE)
  diagonal <- diag(value)
  all(diagonal == 0 | is.na(diagonal)) && equals_transpose(value)
}

# Labels of conditions that have names, in the order of the conditions in other values.
labels_in_order <- function(values, places, others = values) {
  labels <- vapply(values, is_labels, NA)
  names <- first_row_names(Filter(Negate(is_labels), others))
  values[labels] <- Map(function(value, place) {
    stats::setNames(in_order_of(value, names, place), if (!is.null(names(value))) names)
  }, values[labels], places[labels])
  values
}

is_labels <- function(value) {
  is.factor(value) || ((is.character(value) || is.logical(value)) && is.null(dim(value)))
}
