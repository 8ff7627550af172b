# What a measure is: its declaration, which everything else reads, and what users give as `measure`.

# ---- measure

# This file says what a measure is: its declaration, which everything else reads.

# All declarations by the ids of the measures. A measure is declared once, beside its exported
# function: the table measures(), the checks of arguments, the permutation null and the tests read
# the declaration.
registry <- new.env()

#' Declares a measure
#'
#' A score is made in three steps. Each side is prepared as a form. The two forms together give the
#' statistic, which is the only thing that a permutation of the stimuli of one side changes. The
#' score is made of the statistic and of what the forms know about their sides. The permutation
#' null computes the statistic of all permutations at once, and makes null scores of it in the same
#' way.
#'
#' @param id,label,family names, the family one of `families`
#' @param resi the abbreviation in the ReSi benchmark, or NA
#' @param direction "similarity" or "distance"
#' @param range the smallest and the largest score, or a function(args) that gives them
#' @param best the score of identical representations: a number, NA or a function(args)
#' @param symmetric is the score of (x, y) that of (y, x): TRUE, FALSE or a function(args)
#' @param metric is the distance a metric? TRUE, FALSE or a function(args)
#' @param pairing does the score depend on which stimulus of x corresponds to which of y?
#' @param invariant the changes of one side, of those in `invariances`, that keep the score
#' @param reference the source of the definition
#' @param accepts what may stand for a representation: some of "data" (a matrix), "dist", "signed"
#'   (distances may be negative), "zero" (all of them may be 0) and "graph", or a function(args)
#' @param uses which parts of a declaration by responses() it uses: a function(args) that gives
#'   some of `structures`, or NULL: the clusters, if it has this argument
#' @param neighbours NULL, or a function(args) that gives list(metric, k) of the neighbour graph
#'   that the measure compares
#' @param exact_ties NULL, or for measures with the argument `ties`: is there a formula for the
#'   mean score over orders of tied neighbours? TRUE, FALSE or a function(args)
#' @param check function(args): checks the arguments and returns them
#' @param settle NULL, or a function(args, reprs) that returns the arguments as they are for the
#'   representations of a call (a list of those of x and of those of y)
#' @param check_pair NULL, or a function(pair, args) for errors that only both sides together can
#'   tell; it is called before anything is prepared
#' @param form the kind of form that is prepared (form.R), c(x = , y = ) where the sides differ, or
#'   a function(args) that gives it
#' @param keeps the kinds of other forms that are made on the way and stay in memory, or a
#'   function(args) that gives them
#' @param prepare function(repr, args, side): the form of one representation; side: "x" or "y". A
#'   form whose part `undefined` is TRUE makes every score NA
#' @param undefined function(repr, args): the warning that says why a form is undefined
#' @param statistic function(pair, x, y, args), where x and y are the forms; NULL where the score
#'   is made of the two forms alone
#' @param score function(statistic, x, y, args): the score. Where there is a fast null, `statistic`
#'   may also hold many permutations, as a vector, or as a matrix with a column for each
#'   permutation
#' @param inspect NULL, or a function(score, pair, x, y, args) that warns about the score, or
#'   refuses one that is too large for a double
#' @param needs_data does a comparison, or its null, need the responses beside the forms of all
#'   kinds that it makes? TRUE, FALSE or a function(args, n, d); prepare() keeps them then
#' @param null how the statistic of all permutations is made: a list that names a null kernel, see
#'   new_null(), or a function(args) that gives one; with NULL it is made permutation by
#'   permutation, from relabelled forms
#' @param dot how the scores of a grid are made at once: a function(args) that gives NULL (cell by
#'   cell) or what new_dot() makes
#' @param errors how the score varies with the stimuli: NULL (by half-samples), or a function(args)
#'   that gives NULL or what new_errors() makes
#' @param cosine is the score a cosine, of which there are partial scores (input-given.R): TRUE,
#'   FALSE or a function(args); measures for which it may be have the parameter `given`
#' @param held NULL, or for measures that align neurons a function(args) that gives what
#'   new_holdout() makes: how the alignment is scored on other stimuli
#' @return the environment of the call, kept in `registry`; complete_declarations() makes it a list
#'   with these names, and `own = FALSE`.
#' @noRd
declare_measure <- function(id, label, family, resi = NA_character_, direction, range, best,
                            symmetric, metric, pairing, invariant, reference, accepts = "data",
                            uses = NULL, neighbours = NULL, exact_ties = NULL, check = identity,
                            settle = NULL, check_pair = NULL, form, keeps = character(), prepare,
                            undefined = NULL, statistic = NULL, score = same_statistic,
                            inspect = NULL, needs_data = TRUE, null = NULL, dot = NULL,
                            errors = NULL, cosine = FALSE, held = NULL) {
  stopifnot(is.null(registry[[id]]))
  registry[[id]] <- environment()
}

# By itself, because one made in the declaration would carry the registry into saved measures.
same_statistic <- function(statistic, x, y, args) statistic

# The arguments of a declaration are evaluated after all files have been read (see zzz.R), so that
# they may name functions of any file.
complete_declarations <- function() {
  # what every comparison asks for stands first, because R goes through a list from its beginning
  first <- c("check_pair", "prepare", "statistic", "score", "inspect", "pairing")
  for (id in measure_ids()) {
    d <- mget(union(first, names(formals(declare_measure))), envir = registry[[id]])
    d <- c(list(own = FALSE), d)
    known <- function(words, vocabulary, field) {
      unknown <- setdiff(words, vocabulary)
      if (!length(unknown)) return()
      stop("The measure ", quoted(id), " declares `", field, "` = ", quoted(unknown[1]),
           ", which is none of ", enumerate(vocabulary, 30), ".")
    }
    known(d$family, families, "family")
    known(d$direction, c("similarity", "distance"), "direction")
    known(d$invariant, invariances, "invariant")
    for (field in c("form", "keeps")) {
      if (!is.function(d[[field]])) known(d[[field]], names(form_kinds), field)
    }
    for (field in c("prepare", "score", "check")) {
      if (!is.function(d[[field]])) {
        stop("The measure ", quoted(id), " declares no function `", field, "`.")
      }
    }
    registry[[id]] <- d
  }
}

# The `check` of a measure. Each parameter is a "flag", a "count", "clusters", or one of the choices
# that are named here.
check_parameters <- function(...) {
  kinds <- list(...)
  function(args) {
    for (name in names(kinds)) {
      kind <- kinds[[name]]
      args[[name]] <- if (length(kind) > 1) check_choice(args[[name]], kind, name) else
        switch(kind, flag = check_flag, count = check_count, clusters = cluster_codes,
               no_branch(kind))(args[[name]], name)
    }
    args
  }
}

families <- c("kernel", "cca", "subspace", "alignment", "distance", "neighbours", "topology",
              "statistic")

invariances <- c("orthogonal", "scaling", "translation", "column permutation", "invertible linear")

# A declared field is a value, or a function that gives it for the arguments of the measure.
declared <- function(value, args) if (is.function(value)) value(args) else value

range_of <- function(d, args) declared(d$range, args)

best_of <- function(d, args) declared(d$best, args)

# The best value where no score can be better: at the end of the range that the direction names,
# or as the user's own measure gives it. NA where nothing bounds the scores: a corrected CKA of
# identical representations is 1, but others exceed it.
limit_of <- function(measure) {
  d <- measure$declaration
  best <- as.double(best_of(d, measure$args))
  if (is_own(measure)) return(best)
  end <- range_of(d, measure$args)[if (d$direction == "distance") 1 else 2]
  if (is.finite(end)) best else NA_real_
}

symmetry_of <- function(d, args) declared(d$symmetric, args)

accepted_by <- function(d, args) declared(d$accepts, args)

# The kinds of forms that are prepared of the two sides: a vector with the names x and y.
forms_of <- function(d, args) {
  kinds <- declared(d$form, args)
  if (is.null(names(kinds))) c(x = kinds, y = kinds) else kinds[c("x", "y")]
}

# All kinds of forms that stay in memory for a representation of one side.
kept_forms <- function(d, args, side) union(forms_of(d, args)[[side]], declared(d$keeps, args))

is_symmetric <- function(measure) isTRUE(symmetry_of(measure$declaration, measure$args))

has_permutations <- function(measure) isTRUE(measure$declaration$pairing)

# An own measure is made by new_measure() of a function, about which nothing more is known.
is_own <- function(measure) isTRUE(measure$declaration$own)

takes_clusters <- function(measure) {
  !is_own(measure) && "clusters" %in% names(measure_parameters(measure$id))
}

measure_ids <- function() sort(names(registry))

declaration <- function(id) {
  refuse_if(!is.character(id) || length(id) != 1 || is.na(id), "measure", "A measure is named by ",
            "one id, a string such as \"cka\"; see measures().", arg = "measure")
  refuse_if(!id %in% names(registry), "measure", "There is no measure ",
            "{quoted(id)}{suggest_measure(id)} measures() lists all measures.", arg = "measure")
  registry[[id]]
}

suggest_measure <- function(id) {
  if (id %in% c("jsd", "disagreement", "accuracy_difference")) {
    return(paste0(" for similarity(): ", id, "() is a function of two classifiers' outputs."))
  }
  estimator <- synonyms_of(id, c("stimulus", "stimulus_neuron"))
  if (length(estimator)) {
    return(paste0("; did you mean measure(\"cka\", estimator = ", quoted(estimator[1]), ")?"))
  }
  resi <- vapply(measure_ids(), function(known) registry[[known]]$resi, "")
  same <- which(tolower(resi) == tolower(id))
  if (length(same)) return(paste0("; it is called ", quoted(names(same)[1]), " here."))
  suggest(id, measure_ids())
}

measure_parameters <- function(id) {
  parameters <- formals(get(id, envir = topenv()))
  # `na` is about the call, but for what a measure alone can do
  own <- setdiff(eval(parameters$na), missing_rules)
  parameters$na <- if (length(own)) c("error", own)
  parameters[setdiff(names(parameters), c("x", "y", "..."))]
}

# The default values of the parameters. Where the default lists several choices, d$check() takes the
# first one.
default_arguments <- function(id) {
  # controls are no argument of a declaration
  lapply(measure_parameters(id)[setdiff(names(measure_parameters(id)), "given")], eval,
         envir = topenv())
}

# ---- measure set

# These functions turn what users give as `measure` into a list of measure objects.

# measure: a vector of ids, a measure object, or a list of both. The names of a list become labels,
# and labels are made unique, because results tell their measures apart by them.
# encoding: may it be measure("encode"), which is none of the registry?
as_measures <- function(measure, encoding = FALSE) {
  if (inherits(measure, "repalign_measure") || is.function(measure)) measure <- list(measure)
  refuse_if(!is.character(measure) && !is.list(measure), "measure", "`measure` must be ids, ",
            "measure objects, or a list of both; see measures().")
  refuse_if(!length(measure), "measure", "`measure` is empty: name at least one; see measures().")
  set <- lapply(measure, function(m) {
    if (inherits(m, "repalign_measure")) return(m)
    refuse_if(is.function(m), "measure", "`measure` holds a function: wrap it in new_measure().")
    measure(m)
  })
  encodes <- vapply(set, function(m) identical(m$id, "encode"), NA)
  refuse_if(any(encodes) && !encoding, "measure", "`measure` cannot be \"encode\" here, which has ",
            "a direction and folds: encode(from, to) gives its scores and p-values, ",
            "score_interval() of these their errors, and evaluate_models() compares models by it.")
  named <- names(set)
  for (i in which(!is.null(named) & nzchar(named))) set[[i]]$label <- named[i]
  unname(with_unique_labels(set))
}

with_unique_labels <- function(set) {
  if (length(set) < 2) return(set)
  labels <- vapply(set, function(m) m$label, "")
  # the second of equal labels gets " #2", where make.unique() would start with 1
  unique <- make.unique(labels, sep = " #")
  repeated <- which(unique != labels)
  count <- as.integer(sub(".* #", "", unique[repeated])) + 1L
  unique[repeated] <- paste0(labels[repeated], " #", count)
  # users may have given such a label themselves
  Map(function(measure, label) replace(measure, "label", label), set,
      make.unique(unique, sep = " #"))
}
