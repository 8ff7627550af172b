# What a measure is: its declaration, which everything else reads.

# Measures by their ids. A measure is declared once, beside its exported function: the table
# measures(), the checks of arguments, the permutation null and the tests read the declaration.
registry <- new.env()

# How a score comes about: each side is prepared as a form; both sides together give the
# statistic, the one thing that a permutation of the stimuli of one side changes; and the score
# is made of the statistic and of what the forms know of their sides. The permutation null makes
# the statistic of all permutations at once, and the same score of it.
#
# id, label, family   names; resi: the abbreviation in the ReSi benchmark, or NA
# direction           "similarity" or "distance"
# range               a pair, or a function(args) that gives one
# best                its value for identical representations: a number, NA or a function(args)
# symmetric           does d(x, y) = d(y, x): TRUE, FALSE or a function(args) that tells
# metric              is it a metric
# pairing             does it depend on which stimulus is paired with which
# invariant           to what, of `invariances`, applied to one side
# reference           the source of its definition
# accepts             what may stand for a representation: some of "data" (a matrix), "dist",
#                     "signed" (distances may be negative) and "graph", or a function(args)
# neighbours          NULL, or a function(args) giving list(metric, k): the graph it compares
# check               function(args): checked arguments
# check_pair          NULL, or a function(pair, args): errors that only the data can tell, before
#                     anything is prepared
# form                the kind of form that is prepared (form.R), c(x = , y = ) where the sides
#                     differ, or a function(args) that gives it
# keeps               the kinds of forms that are made on the way and kept, too, or a
#                     function(args) that gives them
# prepare             function(repr, args, side): the form of one representation; side: "x" or
#                     "y". A form whose part `undefined` is TRUE makes every score NA
# undefined           function(repr, args): the warning that says why a form is undefined
# statistic           function(pair, x, y, args), x and y the forms; NULL where the score is made
#                     of the two forms alone
# score               function(statistic, x, y, args): the score. Where there is a fast null,
#                     `statistic` is that of many permutations: a vector, or a matrix with a
#                     permutation a column
# inspect             NULL, or a function(score, pair, x, y, args): warnings about the score, or
#                     an error where it left the numbers
# memory              function(n, dx, dy, args): what a comparison needs, see memory-peaks.R
# null                how the null makes the statistic of all permutations: a list that names a
#                     kernel, see null-kernel.R, or a function(args) that gives one; NULL:
#                     permutation by permutation, from relabelled forms
declare_measure <- function(id, label, family, resi = NA_character_, direction, range, best,
                            symmetric, metric, pairing, invariant, reference, accepts = "data",
                            neighbours = NULL, check = identity, check_pair = NULL, form,
                            keeps = character(), prepare, undefined = NULL, statistic = NULL,
                            score = function(statistic, x, y, args) statistic,
                            inspect = NULL, memory, null = NULL) {
  stopifnot(is.null(registry[[id]]))
  registry[[id]] <- environment()
}

# Arguments of a declaration are evaluated when all files have been read (zzz.R), so that they may
# name functions of any file.
complete_declarations <- function() {
  for (id in measure_ids()) {
    d <- mget(names(formals(declare_measure)), envir = registry[[id]])
    stopifnot(all(d$invariant %in% invariances), is.function(d$prepare), is.function(d$score),
              identical(names(formals(d$memory)), c("n", "dx", "dy", "args")))
    for (kinds in d[c("form", "keeps")]) if (!is.function(kinds)) lapply(kinds, form_kind)
    registry[[id]] <- d
  }
}

invariances <- c("orthogonal", "scaling", "translation", "column permutation", "invertible linear")

# What may depend on the arguments of a measure.
declared <- function(value, args) if (is.function(value)) value(args) else value

range_of <- function(d, args) declared(d$range, args)

best_of <- function(d, args) declared(d$best, args)

symmetry_of <- function(d, args) declared(d$symmetric, args)

accepted_by <- function(d, args) declared(d$accepts, args)

# Kinds of forms, a vector named x and y.
forms_of <- function(d, args) {
  kinds <- declared(d$form, args)
  if (is.null(names(kinds))) c(x = kinds, y = kinds) else kinds[c("x", "y")]
}

# All kinds of forms that stay in memory for one side.
kept_forms <- function(d, args, side) union(forms_of(d, args)[[side]], declared(d$keeps, args))

is_symmetric <- function(measure) isTRUE(symmetry_of(measure$declaration, measure$args))

# A function of the user's own (new-measure.R), of which nothing is known.
is_own <- function(measure) isTRUE(measure$declaration$own)

measure_ids <- function() sort(names(registry))

declaration <- function(id) {
  if (!is.character(id) || length(id) != 1 || is.na(id)) {
    abort("A measure is named by one id, a string such as \"cka\"; see measures().",
          class = "repalign_error_measure", arg = "measure")
  }
  if (!id %in% names(registry)) {
    abort("There is no measure ", dQuote(id, FALSE), suggest_measure(id), " measures() lists all ",
          "measures.", class = "repalign_error_measure", arg = "measure")
  }
  registry[[id]]
}

suggest_measure <- function(id) {
  if (id %in% c("jsd", "disagreement", "accuracy_difference")) {
    return(paste0(" for similarity(): ", id, "() is a function of two classifiers' outputs."))
  }
  estimator <- synonyms_of(id, c("stimulus", "stimulus_neuron"))
  if (length(estimator)) {
    return(paste0("; did you mean measure(\"cka\", estimator = ", dQuote(estimator[1], FALSE),
                  ")?"))
  }
  resi <- vapply(measure_ids(), function(known) registry[[known]]$resi, "")
  same <- which(tolower(resi) == tolower(id))
  if (length(same)) return(paste0("; it is called ", dQuote(names(same)[1], FALSE), " here."))
  suggest(id, measure_ids())
}

measure_parameters <- function(id) {
  parameters <- formals(get(id, envir = topenv()))
  parameters[setdiff(names(parameters), c("x", "y"))]
}

# Defaults as values: the first of several choices.
default_arguments <- function(id) lapply(measure_parameters(id), eval, envir = topenv())
