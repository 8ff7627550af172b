# The estimators of CKA and HSIC, and the labels of neurons that say which pairs they leave out.

# ---- estimator

# The estimators of CKA and HSIC, and the formula that the corrected ones share.

estimators <- c("naive", "stimulus", "stimulus_neuron")

# These two need responses to several trials, whose noise they correct for.
trial_estimators <- c("stimulus_trial", "stimulus_neuron_trial")

# What estimators correct for: few stimuli, few neurons (by leaving out the pairs of a neuron with
# itself), and the noise of trials.
corrections <- sapply(c(estimators, trial_estimators), function(estimator) {
  list(stimuli = estimator != "naive", neurons = grepl("neuron", estimator),
       trials = grepl("trial", estimator))
}, simplify = FALSE)

# Which of several estimators correct for it.
correct_for <- function(what, estimators) {
  vapply(corrections[estimators], function(one) one[[what]], NA, USE.NAMES = FALSE)
}

# The arguments of CKA with another estimator. What it corrects for stands beside it.
with_estimator <- function(args, estimator) {
  args$estimator <- estimator
  args$corrects <- corrections[[estimator]]
  args
}

# Not where both sides have all neurons that there are.
corrects_sample <- function(args) {
  args$corrects$neurons && !identical(args$complete, "both")
}

# The unbiased estimate of Song et al. (2012) for two kernels of n stimuli without their diagonals.
# `dot` is the sum of the products of their entries, `rows` the sum of the products of their row
# sums, and `totals` the product of the sums of all their entries. Vectors give one value for each
# element. `diagonal` says that `dot` includes the products of the diagonals, which must then add up
# to `rows`. That is so for two centred columns phi and psi with the kernels phi phi' and psi psi':
# `dot` is (phi' psi)^2, the row sums without the diagonal are -phi_i^2 and -psi_i^2, and `totals`
# is |phi|^2 |psi|^2.
song_estimate <- function(dot, rows, totals, n, diagonal = FALSE) {
  (dot - rows * (diagonal + 2 / (n - 2)) + totals / ((n - 1) * (n - 2))) / (n * (n - 3))
}

# From sums over two, three and four different stimuli (or clusters) the corrected estimate.
combine_terms <- function(t1, t2, t3, n) {
  n <- as.double(n)
  tuples <- cumprod(n - 0:3)
  t1 / tuples[2] - 2 * t2 / tuples[3] + t3 / tuples[4]
}

# n (n - 1) (n - 2) ..., k factors: how many tuples of k different stimuli there are.
falling <- function(n, k) prod(n - seq_len(k) + 1)

# ---- complete

# Are the columns of a side a sample of a larger population, or all that there are?

complete_choices <- c("none", "x", "y", "both")

# What a responses() object declares holds for it, and the argument for plain matrices. side: "x" or
# "y", the one of a pair that the representation stands on.
is_complete <- function(repr, args, side) {
  if (!is.null(repr$responses)) return(isTRUE(unclass(repr$responses)$complete))
  isTRUE(args$complete %in% c(side, "both"))
}

complete_of_pair <- function(pair, args) {
  c(x = is_complete(pair$x, args, "x"), y = is_complete(pair$y, args, "y"))
}

# The arguments with `complete` as it is for these representations: one of complete_choices, or
# "declared" where a side has both kinds. reprs: list(x, y), two lists.
settled_complete <- function(args, reprs) {
  if (is.null(args$complete)) return(args)
  declared <- declares_responses(reprs$x) || declares_responses(reprs$y)
  if (args$complete == "none" && !declared) return(args)
  chosen <- !isTRUE(args$default_complete)
  refuse_if(chosen && args$complete %in% c("x", "y") && length(reprs$y) &&
              identical(reprs$x[[1]]$cache, reprs$y[[1]]$cache), "choice",
            "`complete` is {quoted(args$complete)}, but all pairs of one list are ",
            "compared, whose elements stand on both sides: give \"both\", or declare single ",
            "elements by responses(complete = TRUE).")
  kinds <- lapply(c(x = "x", y = "y"), function(side) {
    unique(vapply(reprs[[side]], function(repr) {
      declared <- is_complete(repr, args, side)
      # declaration and argument must say the same
      other <- chosen && args$complete != "declared" &&
        declared != args$complete %in% c(side, "both")
      refuse_if(other, "choice", "`{repr$arg}` declares complete = {declared} by responses(), but ",
                "the argument complete = {quoted(args$complete)} says that its columns are ",
                if (declared) "a sample" else "all that there are", ": leave out the argument, or ",
                "declare the other.", arg = "complete")
      declared
    }, NA))
  })
  args$default_complete <- FALSE
  args$declared_complete <- !chosen
  args$complete <- if (any(lengths(kinds) > 1)) "declared" else
    complete_choices[1 + isTRUE(kinds$x) + 2 * isTRUE(kinds$y)]
  args
}

# The words about complete sides in the label of a measure, or NULL where there are none to say.
complete_words <- function(args) {
  if (is.null(args$complete) || args$complete == "none" || !args$corrects$neurons) {
    return(NULL)
  }
  paste("complete", if (args$complete == "declared") "as declared" else args$complete)
}

# What is printed where y may be the layers of a network.
sampled_units_note <- "Units of y taken as a sample; complete = \"y\" takes them as all there are."

# What is printed where both sides are complete. labels: those of the measures of a result.
complete_note <- function(labels) {
  if (any(grepl("complete both", labels, fixed = TRUE))) {
    "complete both: no neuron is left out, so that this is the stimulus-corrected CKA."
  }
}

# Do pairs of the two sides lack in the numerator because of labels that hold for all pairs of a
# call?
leaves_out_across <- function(args) {
  if (!args$corrects$neurons) return(FALSE)
  labelled <- args$shared_neurons || !is.null(args$units_x)
  labelled && (is.null(args$complete) || args$complete == "none" || isTRUE(args$by_session))
}

# ---- units

# These functions check labels of neurons, which tell which neuron pairs the neuron correction
# leaves out.

# Checks that there is one label for each column, and returns the labels as a plain vector. names:
# those of the columns, by which labels with names go.
check_labels <- function(labels, width, arg, of, names = NULL) {
  if (is.null(labels)) return(NULL)
  labels <- in_order_of(labels, names, arg, paste0("the columns of `", of, "`"))
  if (is.factor(labels)) labels <- as.character(labels)
  refuse_if(!is.atomic(labels), "labels", "`{arg}` must be a vector of labels, not ",
            "{describe(labels)}.")
  refuse_if(length(labels) != width, "labels", "`{arg}` has {count_of(length(labels), 'label')}, ",
            "but `{of}` has {count_of(width, 'column')}: give one label per column.")
  refuse_if(anyNA(labels), "labels", "`{arg}` has missing labels, first at position ",
            "{which(is.na(labels))[1]}: every column needs one.")
  as.vector(labels)
}

# Tells the user that labels have no effect, because only the neuron correction uses them.
note_unused_units <- function(estimator, given) {
  labels <- given[intersect(names(given), c("shared_neurons", "units", "units_x", "units_y"))]
  used <- names(Filter(function(value) !is.null(value) && !identical(value, FALSE), labels))
  if (!length(used)) return(invisible())
  if (any(correct_for("neurons", estimator))) {
    return(inform_if(identical(given$complete, "both") && !isTRUE(given$by_session),
                     "unused_units", "Labels of neurons have no effect with complete = \"both\": ",
                     "of all neurons that there are, none is left out."))
  }
  inform("unused_units", "`", paste(used, collapse = "` and `"), "` ",
         "{if (length(used) > 1) 'have' else 'has'} no effect on the estimator ",
         "{enumerate(estimator)}: only \"stimulus_neuron\" leaves out pairs of neurons.")
}

check_unit_choice <- function(shared_neurons, units_x, units_y) {
  refuse_if(shared_neurons && !(is.null(units_x) && is.null(units_y)), "labels", "Give either ",
            "`shared_neurons` or `units_x` and `units_y`, not both: labels say which are the same.")
  refuse_if(is.null(units_x) != is.null(units_y), "labels",
            "`units_{if (is.null(units_x)) 'x' else 'y'}` is missing: give labels for both sides ",
            "or for neither.")
}

check_units <- function(pair, args) {
  if (!args$shared_neurons && is.null(args$units_x)) return(invisible())
  # distances and graphs have no columns
  if (pair$x$kind != "data" || pair$y$kind != "data") {
    side <- if (pair$x$kind != "data") pair$x else pair$y
    what <- if (side$kind == "dist") "a \"dist\" object" else "a neighbour graph"
    refuse("labels", "`{side$arg}` is {what}, which has no neurons: leave out `shared_neurons`, ",
           "`units_x` and `units_y`.")
  }
  widths <- c(ncol(pair$x$data), ncol(pair$y$data))
  refuse_if(args$shared_neurons && widths[1] != widths[2], "labels", "`shared_neurons = TRUE` ",
            "needs the same neurons in the same columns, but `{pair$x$arg}` has ",
            "{count_of(widths[1], 'column')} and `{pair$y$arg}` has {widths[2]}; name the neurons ",
            "in `units_x` and `units_y` instead.", arg = "shared_neurons")
  names <- list(colnames(pair$x$data), colnames(pair$y$data))
  if (args$shared_neurons && !any(lengths(names) == 0) && !identical(names[[1]], names[[2]])) {
    at <- which(names[[1]] != names[[2]])[1]
    refuse("labels", "`shared_neurons = TRUE` needs the same neurons in the same columns, but the ",
           "column names of `{pair$x$arg}` and `{pair$y$arg}` differ, first in column {at} ",
           "({quoted(names[[1]][at])} and {quoted(names[[2]][at])}). Reorder the ",
           "columns, or remove their names when they do correspond.", arg = "shared_neurons")
  }
  check_labels(args$units_x, widths[1], "units_x", pair$x$arg)
  check_labels(args$units_y, widths[2], "units_y", pair$y$arg)
}

# Neurons that are on both sides without a label that says so make the corrected CKA too high. When
# column names or identical data suggest it, the user is told what to do.
# Returns whether it is. units: the arguments that name neurons; NULL: there are none.
note_shared_neurons <- function(pair, args, units = "`units_x` and `units_y`") {
  if (!args$corrects$neurons || !is.null(pair_labels(pair, args))) return(FALSE)
  common <- intersect(colnames(pair$x$data), colnames(pair$y$data))
  # names that R makes for columns without names say nothing
  if (length(common)) common <- common[!grepl("^(V|X|x|Var)?[0-9]*$", common)]
  if (!length(common) && !identical(pair$x$data, pair$y$data)) return(FALSE)
  inform("shared_names", "`{pair$x$arg}` and `{pair$y$arg}` seem to share neurons (",
         if (length(common)) paste("columns", enumerate(common, 3)) else "their data are identical",
         "). If so, ",
         # controls have no labels of their own in `units_x` and `units_y`
         if (!is.null(units) && is.null(pair$x$responses) && is.null(pair$y$responses) &&
             !startsWith(pair$y$arg, "given")) {
           paste0(if (offers_argument("shared_neurons") || offers_argument("measure")) {
             "use `shared_neurons` or "
           }, "name them in ", units)
         } else {
           "name them in `neuron` of responses(), alike on both sides"
         }, ": the corrected CKA is too high otherwise.",
         if (length(common)) {
           " If not, scores are right as they are; names that differ silence this."
         })
  TRUE
}

# The labels of both sides of a pair, or NULL when every neuron pair is allowed. Neurons of a side
# that has all that there are may be those of the other side; only what shares noise within a trial
# is left out there, too.
pair_labels <- function(pair, args) {
  if (!args$corrects$neurons) return(NULL)
  if (args$shared_neurons) {
    if (any(complete_of_pair(pair, args))) return(NULL)
    identities <- seq_len(ncol(pair$x$data))
    return(list(x = identities, y = identities))
  }
  by_trials <- has_trials(pair$x) && has_trials(pair$y)
  x <- labels_of_side(pair$x, args, "x", by_trials)
  y <- if (!is.null(x$labels)) labels_of_side(pair$y, args, "y", by_trials)
  # sessions of one side and neurons of the other say nothing about pairs of them
  if (is.null(y$labels) || x$kind != y$kind) return(NULL)
  labels <- list(x = x$labels, y = y$labels)
  if (!any(complete_of_pair(pair, args))) return(labels)
  # without the labels of single neurons
  if (x$kind == "session") lapply(labels, as.vector)
}

# The labels by which the self term of a side leaves out pairs of neurons; NULL where it leaves out
# nothing.
self_labels <- function(repr, args, side) {
  if (!args$corrects$neurons || is_complete(repr, args, side)) return(NULL)
  labels <- side_labels(repr, args, side)
  if (is.null(labels)) seq_len(ncol(repr$data)) else labels
}

# The labels of the columns of one side, or NULL.
side_labels <- function(repr, args, side) labels_of_side(repr, args, side)$labels

# list(labels, kind): those that a responses() object declares ("session" or "neuron"), else those
# of the call ("given"), or NULL. What trials correct for need not be left out: sessions are then no
# labels. by_trials: are there trials to correct with? For products between sides both need several.
labels_of_side <- function(repr, args, side = NULL, by_trials = has_trials(repr)) {
  given <- unclass(repr$responses)
  neurons <- given$neuron
  if (!is.null(given$session) && !(args$corrects$trials && by_trials)) {
    labels <- if (is.null(neurons)) given$session else
      structure(as.character(given$session), neurons = as.character(neurons))
    return(list(labels = labels, kind = "session"))
  }
  if (!is.null(neurons)) return(list(labels = neurons, kind = "neuron"))
  list(labels = if (!is.null(side)) args[[paste0("units_", side)]], kind = "given")
}

# The neuron pairs with equal labels. A label that each side has once gives a single neuron pair, in
# `x` and `y`; the others give blocks of neuron pairs, in `blocks`.
excluded_pairs <- function(labels_x, labels_y) {
  neurons <- list(x = attr(labels_x, "neurons"), y = attr(labels_y, "neurons"))
  if (!is.null(neurons$x) && !is.null(neurons$y)) {
    # neuron pairs of equal sessions, and those of equal neurons in different sessions
    session_x <- as.vector(labels_x)
    session_y <- as.vector(labels_y)
    same <- outer(neurons$x, neurons$y, "==") & outer(session_x, session_y, "!=")
    also <- which(same, arr.ind = TRUE)
    result <- excluded_pairs(session_x, session_y)
    return(list(x = c(result$x, also[, 1]), y = c(result$y, also[, 2]), blocks = result$blocks,
                count = result$count + nrow(also)))
  }
  # mostly each neuron has a label of its own, the same on both sides
  if (identical(labels_x, labels_y) && !anyDuplicated(labels_x)) {
    at <- seq_along(labels_x)
    return(list(x = at, y = at, blocks = list(), count = as.double(length(at))))
  }
  common <- intersect(labels_x, labels_y)
  at_x <- split(seq_along(labels_x), factor(match(labels_x, common), seq_along(common)))
  at_y <- split(seq_along(labels_y), factor(match(labels_y, common), seq_along(common)))
  sizes <- lengths(at_x) * as.double(lengths(at_y))
  single <- sizes == 1
  list(
    x = as.integer(unlist(at_x[single])), y = as.integer(unlist(at_y[single])),
    blocks = Map(function(x, y) list(x = x, y = y), at_x[!single], at_y[!single]),
    count = sum(sizes)
  )
}

has_trials <- function(repr) {
  !is.null(repr$responses) && dim(unclass(repr$responses)$values)[3] > 1
}

no_allowed_pair <- function(pair, self) {
  arg <- pair$x$arg
  if (self && ncol(pair$x$data) == 1) {
    # what the function that the user called can do without a neuron correction
    remedy <- if (offers_argument("estimator")) "Use estimator = \"stimulus\"." else
      if (offers_argument("measure")) "Use measure(\"cka\", estimator = \"stimulus\")." else
        "Give data of more neurons."
    refuse("pairs", "`{arg}` has a single neuron (column): the neuron correction needs at least ",
           "two. {remedy}")
  }
  where <- if (self) paste0("within `", arg, "`") else
    paste0("between `", arg, "` and `", pair$y$arg, "`")
  refuse_single_session(pair[c("x", if (!self) "y")], where)
  refuse("pairs", "No neuron pair is allowed {where}: all columns have the same label. Use finer ",
         "labels or other columns.", arg = arg)
}

# Representations for the means over trials: where all of them are of one session each, it says no
# more than no label, see labels_of_means().
without_single_session <- function(reprs) {
  single <- vapply(reprs, function(repr) length(unique(unclass(repr$responses)$session)) < 2, NA)
  if (!all(single)) return(reprs)
  lapply(reprs, function(repr) {
    if (has_trials(repr)) repr$responses["session"] <- list(NULL)
    repr
  })
}

# Are sessions, and not labels of neurons, what leaves no pair?
refuse_single_session <- function(reprs, where) {
  single <- vapply(reprs, function(repr) {
    given <- unclass(repr$responses)
    length(unique(given$session)) == 1 && length(unique(given$neuron)) != 1
  }, NA)
  refuse_if(all(single), "pairs", "No neuron pair is allowed {where}: all columns are of one ",
            "`session`, whose neurons may share noise. Leave out `session` of responses(): such ",
            "noise then stays.", arg = reprs[[1]]$arg)
}

# Whose neurons are a sample of the interval, c(x, y)? By default what the estimator corrects for:
# those of sides that are not complete. This is the rule of all functions. args: settled.
default_neurons <- function(args, complete) {
  c(x = !complete[[1]], y = !complete[[2]]) & isTRUE(args$corrects$neurons)
}
