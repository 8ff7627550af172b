# subject_ceiling() says how alike the representations of several subjects are, and which score a
# model could reach that knows what they share.

#' @include result-class.R
NULL

declare_result(
  "repalign_subject_ceiling", from = "subject_ceiling", digits = 3, words = "ceilings of subjects",
  columns = described_columns(
    column("measure", "what the scores are by", key = TRUE),
    column("lower", "the mean score of a subject with the mean of the others", shown = 2),
    column("upper", "that with the mean of all", shown = 3),
    column("pairwise", "the score between subjects", shown = 4),
    column("ceiling", "the root of pairwise", shown = 1, tidy = "estimate"),
    column("rdms", "the number of RDMs", always = FALSE),
    column("n", "the number of subjects", shown = 5),
    column("groups", "the number of their groups", shown = 6)
  ),
  kept = list(words = function(values) unique(unlist(values))),
  heading = function(x, digits) {
    c(paste0("Ceiling of subjects: ", count_of(nrow(x), "row")), attr(x, "words"))
  },
  term = function(rows) rep("ceiling", nrow(rows)),
  sentence = function(x) {
    need_columns(x, c("measure", "lower", "upper", "pairwise", "ceiling", "n"), "told", "result")
    vapply(seq_len(nrow(x)), function(row) {
      who <- count_of(x$n[row], "subject")
      name <- measure_words(x$measure[row])
      if (is.na(x$ceiling[row])) return(paste0("The ceiling of ", who, " is undefined (NA)."))
      limits <- number_words(x$lower[row], x$upper[row])
      paste0("A model of what ", who, " share can be expected to reach ", with_article(name),
             " of ", ceiling_word(x$ceiling[row]),
             brackets(paste("between subjects", number_word(x$pairwise[row])),
                      paste("of a subject with the mean of the others", limits[1]),
                      paste("with the mean of all", limits[2])), ".")
    }, "")
  }
)

#' How similar subjects are, as a ceiling of models
#'
#' Scores of subjects with the mean of the others and of all, and with each other.
#'
#' @param x a named list of at least two subjects with the same stimuli: matrices stimuli x neurons,
#'   [responses()], or, for [rsa()], RDMs as `dist` objects.
#' @param measure [rsa()] or [cka()] (any kernel and estimator), as a name or from [measure()].
#'   `"rsa"` of RDMs is by the whitened cosine, as [evaluate_rdms()] is; `measure("rsa")`, and
#'   `"rsa"` of other data, as [rsa()].
#' @param ... not used: parameters go to [measure()].
#' @param group one label per subject, by name or in their order, such as the animal of a session:
#'   only subjects of different groups are compared.
#' @param na see [similarity()].
#' @return A data frame with one row: `measure`, its label; `lower`, the mean score of a subject
#'   with the mean of the others; `upper`, that with the mean of all; `pairwise`, the score between
#'   subjects (of different groups); `ceiling`, its square root; `n`, the number of subjects, and
#'   `groups`, that of groups; for [rsa()] also `rdms`, which is `n`. If all are of one group,
#'   `lower`, `pairwise` and `ceiling` are `NA`, with a warning.
#' @details
#' `lower` and `upper` are the limits of Nili et al. (2014); with few subjects, `lower` is too low
#' for the best model and `upper` too high. `ceiling` does not depend on the number of subjects: if
#' each subject is what all share plus parts of its own, it is the score of a subject with the
#' shared part. Test a model against `ceiling`; a model at `pairwise` is as good as another subject.
#'
#' When not to trust it: with two or three subjects all values are very uncertain. When stimuli
#' depend on each other, subjects seem to have more in common (see [dependence]). What subjects
#' share for other reasons (the same scanner or preprocessing) counts as representation; `group`
#' leaves out such pairs. Cosines of positive RDMs are high even if subjects share nothing (see
#' [evaluate_rdms()]). `upper` is a bound for any model by cosines, Pearson correlations and
#' rho-a, and by Spearman's correlation only without ties. [noise_ceiling()] is about noise alone.
#' @references Nili et al. (2014), PLoS Computational Biology 10.
#' @examples
#' # four subjects whose responses share a representation; the first two are of one animal
#' set.seed(1)
#' shared <- matrix(rnorm(40 * 5), 40)
#' subjects <- lapply(1:4, function(u) {
#'   shared %*% matrix(rnorm(5 * 30), 5) + 3 * matrix(rnorm(40 * 30), 40)
#' })
#' subject_ceiling(subjects, measure("cka", estimator = "stimulus_neuron"))
#' subject_ceiling(subjects, "rsa", group = c("a", "a", "b", "c"))
#' @export
subject_ceiling <- function(x, measure = "rsa", ..., group = NULL,
                            na = c("error", "stimuli", "neurons", "pairwise")) {
  need_arguments()
  of_rdms <- is.list(x) && all(vapply(x, inherits, NA, "dist"))
  # as models of RDMs are compared with them
  if (of_rdms && identical(measure, "rsa")) measure <- measure("rsa", outer = "whitened_cosine")
  measure <- single_measure(measure, ...)
  usable <- !is_own(measure) && measure$id %in% c("cka", "rsa")
  refuse_if(!usable, "measure", "`measure` must be \"cka\" or \"rsa\", where the mean of ",
            "subjects is defined, not {quoted(measure$label)}.")
  refuse_if(!is.null(measure$args$units_x) || isTRUE(measure$args$shared_neurons), "choice",
            "`measure` has labels of neurons for two sides: declare them in `neuron` or `session` ",
            "of responses(), for each subject.")
  rule <- rule_of_call(na, list(measure), !missing(na))
  refuse_if(!is.list(x) || is.data.frame(x) || is_responses(x) || length(x) < 2, "type",
            "`x` must be a list of at least two subjects, not ",
            if (is.list(x) && length(x) < 2) count_of(length(x), "element") else describe(x), ".")
  refuse_time_bins(x, "x")
  # subjects need no names
  args <- if (is.null(names(x))) paste0("x[[", seq_along(x), "]]") else
    paste0("x$", check_element_names(x, "x"))
  reprs <- Map(representation, unname(x), args, args, rule$na != "error", "x", TRUE)
  call <- open_sides(sides_of(with_common_stimuli(unname(reprs))), rule$set, rule$na,
                     use = "errors", why = "a ceiling", remedy = measure_cluster_remedy,
                     grid = FALSE)
  stop_at_refusals(call$sides)
  reprs <- call$sides$x$reprs
  measure <- call$set[[1]]
  group <- check_group(group, length(reprs), names = names(x))
  groups <- length(unique(group))
  warn_if(groups == 1, "undefined", "All subjects are of one group: there is no score between ",
          "groups, and no lower ceiling (NA).")
  found <- if (measure$id == "cka") kernel_ceiling(reprs, measure, group) else
    rdm_ceiling(reprs, measure, group)
  pairwise <- found$pairwise
  rows <- data.frame(measure = measure$label, lower = found$lower, upper = found$upper,
                     pairwise = pairwise,
                     ceiling = if (isTRUE(pairwise > 0)) sqrt(pairwise) else NA_real_)
  if (groups > 1 && !is.na(pairwise)) {
    limits <- c("lower", "upper")
    lost <- limits[is.na(unlist(rows[limits]))]
    reasons <- c(if (is.na(rows$ceiling)) {
      paste0("the score between subjects (`pairwise`) is ", format(pairwise, digits = 3),
             ", and `ceiling` is the root of it")
    }, if (length(lost)) {
      paste0("the mean of some subjects has no positive size, which `",
             paste(lost, collapse = "` and `"), "` need", if (length(lost) == 1) "s")
    })
    warn_if(length(reasons) > 0, "undefined", "The subjects have too little in common for all ",
            "values (NA): {paste(reasons, collapse = '; ')}. Take more stimuli or subjects.")
  }
  if (measure$id == "rsa") rows$rdms <- length(reprs)
  # what the scores are by, also where the user chose nothing; `inner` is not used of given RDMs
  choices <- switch(measure$id, cka = c("kernel", "estimator"),
                    rsa = c(if (!of_rdms) "inner", "outer"), no_branch(measure$id))
  new_result(cbind(rows, n = length(reprs), groups = groups), "repalign_subject_ceiling",
             list(words = paste0(measure$label, ": ", paste(
               choices, "=", quoted(unlist(measure$args[choices])), collapse = ", "
             ))))
}

kernel_ceiling <- function(reprs, measure, group) {
  # H values of all pairs, and of each representation with itself
  args <- measure$args
  if (!args$corrects$trials) reprs <- without_single_session(reprs)
  told <- FALSE
  products <- diag(vapply(reprs, function(repr) {
    found <- self_h(repr, args, self_labels(repr, args, "x"))
    unscale_h(found$value, found$scale)
  }, 0), length(reprs))
  for (i in seq_along(reprs)) {
    for (j in seq_len(i - 1)) {
      pair <- pair_of(reprs[[j]], reprs[[i]])
      check_cka_pair(pair, args)
      told <- told || note_shared_neurons(pair, args, units = NULL)
      found <- pair_h(pair, args)
      products[i, j] <- products[j, i] <- unscale_h(found$value, found$scale)
    }
  }
  different <- outer(group, group, "!=")
  size <- diag(products)
  if (anyNA(size) || any(size <= 0)) {
    warn_no_size(reprs[[which(is.na(size) | size <= 0)[1]]])
    size[] <- NA
  }
  cosines <- products / sqrt(outer(size, size))
  # the mean over subjects of the cosine with the mean of some subjects
  with_mean <- function(others_of) {
    mean(vapply(seq_along(reprs), function(u) {
      others <- others_of(u)
      length <- sum(cosines[others, others])
      if (is.na(length) || length <= 0) NA_real_ else sum(cosines[u, others]) / sqrt(length)
    }, 0))
  }
  # between subjects, products are averaged before the ratio is taken
  at <- which(different & upper.tri(products), arr.ind = TRUE)
  list(lower = with_mean(function(u) different[u, ]),
       upper = with_mean(function(u) rep(TRUE, length(reprs))),
       pairwise = if (nrow(at)) mean(products[at]) / mean((size[at[, 1]] + size[at[, 2]]) / 2)
                  else NA_real_)
}

# Limits of RDMs are scores with pooled RDMs, see pool_rdms().
rdm_ceiling <- function(reprs, measure, group) {
  args <- measure$args
  values <- do.call(cbind, lapply(reprs, function(repr) {
    # what rounding may have changed is tied
    form <- form_raw_dissimilarities(repr, args$inner)
    rdm <- less_rounding(if (form$square) form$d^2 else as.double(form$d))
    ranked <- args$outer %in% ranked_outer && is.null(gaps_of(repr)) && any(rdm != rdm[1])
    if (ranked) form_ranks(repr, args$inner)$ranks else rdm
  }))
  values <- even_sizes(values)$values
  size <- length(reprs)
  codes <- match(group, unique(group))
  if (!is.null(args$clusters)) {
    # a stimulus without a label has no pair that counts
    values[!(between_clusters(args$clusters) %in% TRUE), ] <- NA
  }
  table <- similarity_table(values, values, args$outer, args$stimulus_noise)
  flat <- which(is.na(diag(table)))
  if (length(flat)) {
    warn_no_size(reprs[[flat[1]]])
    return(list(lower = NA_real_, upper = NA_real_, pairwise = NA_real_))
  }
  ones <- rep(1, size)
  ceilings <- plain_ceilings(values, args$outer, args$stimulus_noise, codes, ones, ones, ones)
  pairs <- table[outer(codes, codes, "!=") & upper.tri(table)]
  list(lower = mean(ceilings$lower), upper = mean(ceilings$upper),
       pairwise = if (length(pairs)) mean(pairs) else NA_real_)
}

warn_no_size <- function(repr) {
  warn("undefined", "The ceiling is undefined (NA): a subject's score with itself is not positive ",
       "(`{repr$arg}`). There are too few stimuli or neurons, or it has no variance.")
}

# Labels, or numbers where there are none; what: that the labels are of, names: their names or NULL.
check_group <- function(group, n, what = "subjects", names = NULL) {
  if (is.null(group)) return(seq_len(n))
  group <- plain_labels(in_order_of(group, names, "group", paste("the", what)), "group")
  refuse_if(length(group) != n || anyNA(group), "labels", "`group` must have one label for each ",
            "of the {n} {what}, none of them missing, not ",
            "{count_of(length(group), 'label')}{if (anyNA(group)) ' with NA'}.")
  group
}
