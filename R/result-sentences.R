# in_words(): results as sentences for a paper. Each class declares its own sentence beside its
# columns (`sentence` of declare_result()); here are the words and numbers that they share.

#' @include result-class.R
NULL

#' A result in one or two sentences
#'
#' Says what a result shows in plain sentences for a methods or results section. [summary()] of a
#' result ends with the same sentences.
#'
#' @param result what a function of this package returned, or some of its rows, with scores or
#'   p-values.
#' @param ... unused.
#' @param x sentences.
#' @return A character vector of class `repalign_words`, which goes into text as it is, with one
#'   element for each measure, or group, metric or estimator.
#' @details
#' Of many rows the sentence reports the best one, whose score is too high by choice, and counts the
#' others; of [evaluate_models()] and [best_score()] it says which may be as good. That a score "was
#' not above chance" is no evidence that there is nothing.
#'
#' What was recorded, what the neurons are a sample of and why a measure was chosen is yours to say.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#' set.seed(1)
#' in_words(calibrate(v4, layers, permutations = 199))
#' in_words(cka_interval(v4, layers$L3))
#' @export
in_words <- function(result, ...) {
  need_arguments()
  UseMethod("in_words")
}

#' @export
in_words.default <- function(result, ...) refuse_speechless(describe(result))

#' @export
in_words.repalign_result <- function(result, ...) {
  no_other_arguments(...)
  sentence <- declaration_of(result)$sentence
  if (is.null(sentence)) refuse_speechless(paste("what", maker_of(result), "returned"))
  refuse_if(!nrow(result), "size", "`result` has no rows: look at how they were chosen.")
  refuse_nameless_rows(result, "result")
  sources <- source_columns(result)
  if (!length(sources)) return(new_words(sentence(result)))
  groups <- row_groups(result, sources)
  new_words(unlist(lapply(unname(groups), function(at) {
    paste0(source_names(as.data.frame(result)[at[1], ], sources), ": ", sentence(result[at, ]))
  })))
}

refuse_speechless <- function(what) {
  told <- Filter(function(declared) !is.null(declared$sentence), as.list(result_classes))
  makers <- sort(unique(unlist(lapply(told, function(declared) declared$from))))
  refuse("type", "`result` must be a result with scores, intervals or p-values, not {what}: what ",
         "evaluate_models(), score_interval(), calibrate() and {length(makers) - 3} more ",
         "functions return.")
}

new_words <- function(text) structure(as.character(text), class = "repalign_words")

#' @rdname in_words
#' @export
print.repalign_words <- function(x, ...) {
  no_other_arguments(...)
  writeLines(strwrap(x))
  invisible(x)
}

# ---- below summaries

# A summary that ends with the sentences of the result. They are left out where rows have lost what
# a sentence needs, because the summary itself does not need it.
told <- function(summary, object) {
  words <- tryCatch(in_words(object), repalign_error = function(error) NULL)
  if (is.null(words)) return(summary)
  structure(summary, words = words, class = c("repalign_told", class(summary)))
}

# Classes without a summary of their own have that of data frames, which ignores what it does not
# know. Columns without a known value have nothing to summarise.
#' @export
summary.repalign_result <- function(object, ...) {
  given <- list(...)
  do.call(no_other_arguments, given[!names(given) %in% c("maxsum", "digits", "quantile.type")])
  plain <- as.data.frame(object)
  # quartiles of p-values say nothing
  known <- vapply(plain, function(column) !all(is.na(column)), NA) & !grepl("^p_", names(plain))
  told(summary(plain[known | nrow(plain) == 0], ...), object)
}

#' @export
in_words.repalign_told <- function(result, ...) {
  no_other_arguments(...)
  attr(result, "words", exact = TRUE)
}

#' @export
print.repalign_told <- function(x, ...) {
  print(untold(x), ...)
  print(attr(x, "words", exact = TRUE))
  invisible(x)
}

# Some of the rows do not have the sentence of all.
#' @export
`[.repalign_told` <- function(x, ...) untold(NextMethod())

#' @export
rbind.repalign_told <- function(..., deparse.level = 1) {
  parts <- lapply(list(...), function(part) if (inherits(part, "repalign_told")) untold(part) else
    part)
  do.call(rbind, c(parts, deparse.level = deparse.level))
}

untold <- function(x) {
  attr(x, "words") <- NULL
  class(x) <- setdiff(class(x), "repalign_told")
  x
}

# ---- numbers

# Numbers that stand together have the same number of decimals: two for numbers near 1, fewer for
# larger and more for smaller ones, and more where they lie close to each other.
number_words <- function(...) {
  values <- as.double(c(...))
  known <- values[is.finite(values)]
  largest <- max(abs(known), 0)
  decimals <- if (largest == 0) 2 else
    if (largest >= 0.1) 2 - max(floor(log10(largest)), 0) else 1 - floor(log10(largest))
  # numbers that differ by rounding only need no decimals for that
  spread <- if (largest > 0) diff(range(known)) else 0
  if (spread > 1e-6 * largest) decimals <- max(decimals, ceiling(-log10(spread / 2)))
  decimals <- max(decimals, 0)
  text <- if (decimals > 6) formatC(values, digits = 3, format = "g") else
    formatC(values, digits = decimals, format = "f", big.mark = ",")
  # no "-0.00"
  text <- sub("^-(0[.]?0*)$", "\\1", trimws(text))
  text[is.na(values)] <- "NA"
  names(text) <- names(c(...))
  text
}

# A number that may be whole, such as a rank or degrees of freedom.
short_number <- function(value) format(round(value, 1), trim = TRUE)

# One number that stands alone.
number_word <- function(value) unname(number_words(value))

# "p = .004". The side of the level that a p-value is on stays visible.
p_words <- function(p, alpha = 0.05, name = "p") {
  if (is.na(p)) return(paste(name, "undefined (NA)"))
  if (p < 0.001) return(paste(name, "< .001"))
  if (p > 0.995) return(paste(name, "> .99"))
  digits <- if (p < 0.1) 3 else 2
  while (digits < 15 && sign(round(p, digits) - alpha) != sign(p - alpha)) digits <- digits + 1
  paste(name, "=", without_zero(formatC(p, digits = digits, format = "f")))
}

without_zero <- function(text) sub("^(-?)0[.]", "\\1.", text)

alpha_words <- function(alpha, name = "p") paste(name, "<=", without_zero(format(alpha)))

# "100 stimuli"; NULL where it is not known.
stimuli_words <- function(n, what = "stimulus") {
  n <- unique(n)
  if (!length(n) || anyNA(n)) return(NULL)
  if (length(n) == 1) return(count_of(count_word(n), what))
  paste(count_word(min(n)), "to", count_of(count_word(max(n)), what))
}

count_word <- function(n) format(n, big.mark = ",", scientific = FALSE, trim = TRUE)

# ---- intervals

# "95% interval 0.58 to 1.03 over stimuli"; NULL without one.
interval_phrase <- function(limits, level, over = NULL) {
  if (anyNA(limits)) return("no interval (NA)")
  paste0(if (!is.null(level)) paste0(format(100 * level), "% "), "interval ", limits[1], " to ",
         limits[2], if (length(over)) paste(" over", over))
}

# A score with its interval, rounded alike: c(score, low, high), of which undefined ones are NA.
# low, high: NULL where there is no column of them.
with_limits_words <- function(score, low, high) {
  values <- c(score = score, low = c(low, NA)[1], high = c(high, NA)[1])
  replace(number_words(values), is.na(values), NA)
}

# The column `over` of results in words: "stimuli + neurons_x" is "stimuli and neurons of x".
extent_words <- function(over) {
  over <- unique(over[!is.na(over)])
  if (length(over) != 1) return(if (length(over)) paste(vapply(over, extent_words, ""),
                                                         collapse = ", or over "))
  parts <- strsplit(over, " + ", fixed = TRUE)[[1]]
  if (all(c("neurons_x", "neurons_y") %in% parts)) {
    parts <- replace(setdiff(parts, "neurons_y"), setdiff(parts, "neurons_y") == "neurons_x",
                     "neurons of both sides")
  }
  parts <- readable_samples(sub("^clusters\\b", "clusters of stimuli", parts))
  enumerate(parts, quote = FALSE)
}

# What was sampled for scores of each measure, by its name.
over_of_measures <- function(rows) {
  over <- stats::setNames(rows$over, rows$measure)
  over[!duplicated(rows[c("measure", "over")])]
}

own_extent <- function(x, measure) {
  over <- attr(x, "over")
  own <- names(over) %in% measure
  extent_words(if (any(own)) over[own] else over)
}

# "neurons of x", and "neurons of these 2 subjects".
readable_samples <- function(over) {
  over <- sub("neurons_given", "neurons of the controls", over, fixed = TRUE)
  gsub("neurons_", "neurons of ", gsub("neurons_x of", "neurons of", over))
}

# Who calls evaluate_models() has no x and y.
recordings_words <- function(words) {
  words <- sub("of both sides and", "of x, neurons of y and", words)
  words <- sub(" and neurons of both sides", ", neurons of x and neurons of y", words)
  words <- sub("of both sides", "of x and neurons of y", words)
  sub("neurons of y", "units of the models", sub("of x", "of the recording", words))
}

# What the errors of models of recordings are over, for prints and captions: "stimuli and neurons".
sample_words <- function(over) {
  paste(unique(vapply(strsplit(over, " + ", fixed = TRUE), function(parts) {
    parts <- sub("^neurons_x", "neurons", sub("^neurons_y", "units of the models", parts))
    enumerate(readable_samples(parts), quote = FALSE)
  }, "")), collapse = ", or over ")
}

# ---- permutations

# What was warned of is not claimed. dependence: the warning about rows that permutations had, or
# NULL.
without_claim <- function(text, dependence) {
  if (is.null(dependence)) return(text)
  paste(gsub("(above|below|against) chance", "\\1 permuted stimuli", text),
        "But the stimuli seem to come in groups or in time: if they were sampled so, this is no",
        "evidence of a relation (see ?dependence).")
}

# "999 permutations of the stimuli". engine: as in the column of calibrations.
permutations_words <- function(count, engine, what = "stimuli") {
  engine <- if (length(engine) == 1 && !is.na(engine)) engine else "several"
  if (engine == "moments") return(paste("the moments of all permutations of the", what))
  if (!length(count) || is.na(count)) return(NULL)
  kind <- if (engine == "series") "circular shift" else if (engine == "linear") "linear shift" else
    "permutation"
  where <- if (engine == "clusters") paste("whole clusters of", what) else
    paste0("the ", what, if (engine == "blocks") " within blocks",
           if (engine == "exact") ", which are all")
  paste(count_of(count_word(count), kind), "of", where)
}

# ---- names

# What measures are called in sentences, where that is not the label of the table of measures.
measure_names <- c(cka = "CKA", rsa = "RSA score", linear_regression = "R squared of a regression",
                   kcka = "kernel alignment on nearest neighbours", angular_cka = "angular CKA")

# What estimators of CKA are corrected for.
estimator_names <- list(naive = character(), stimulus = "few stimuli",
                        stimulus_neuron = c("few stimuli", "neurons"),
                        stimulus_trial = c("few stimuli", "the noise of trials"),
                        stimulus_neuron_trial = c("few stimuli", "neurons", "the noise of trials"))

# Whose neurons are a sample, which a correction for few neurons is about.
sampled_names <- c(x = "neurons of y", y = "neurons of x",
                   `as declared` = "neurons that are not declared complete")

outer_names <- c(cosine = "cosine", pearson = "Pearson correlation",
                 spearman = "Spearman correlation", kendall = "Kendall's tau-a",
                 tau_b = "Kendall's tau-b", rho_a = "rho-a", whitened_cosine = "whitened cosine",
                 whitened_pearson = "whitened Pearson correlation")

# Scores and methods of encode().
encoding_scores <- c(r2 = "R squared", cor = "correlation")

encoding_names <- c(ridge = "ridge regression", linear = "least squares",
                    pcr = "principal component regression", pls = "partial least squares")

# The label of a measure in words: "cka(stimulus_neuron)" is "CKA corrected for few stimuli and
# neurons". Labels that users gave stay as they are.
measure_words <- function(label) {
  label <- as.character(label)
  if (isTRUE(startsWith(label, "consensus ("))) return(paste("agreement with the", label))
  if (label %in% names(outer_names)) return(outer_names[[label]])
  parts <- strsplit(label, " ", fixed = TRUE)[[1]]
  if (length(parts) == 2 && parts[1] %in% names(encoding_names) &&
        parts[2] %in% names(encoding_scores)) {
    return(paste(encoding_scores[[parts[2]]], "by", encoding_names[[parts[1]]]))
  }
  id <- sub("[( ].*", "", label)
  if (is.na(label) || !id %in% names(registry)) return(label)
  inner <- sub("^[^(]*[(]([^)]*)[)].*$", "\\1", label)
  parts <- if (grepl("(", label, fixed = TRUE)) strsplit(inner, ", ", fixed = TRUE)[[1]]
  given <- grep("^given ", parts, value = TRUE)
  estimator <- intersect(parts, names(estimator_names))
  complete <- grep("^complete ", parts, value = TRUE)
  # of missing values the numbers of pairs or stimuli tell
  others <- setdiff(parts, c(estimator, complete, given, "pairwise", "middle half"))
  known <- others %in% names(outer_names)
  others[known] <- outer_names[others[known]]
  name <- declaration(id)$label
  # names of people and abbreviations keep their capital
  if (!grepl("^[A-Z]{2}|^(Bures|Jaccard|Procrustes|Riemannian)", name)) {
    name <- paste0(tolower(substring(name, 1, 1)), substring(name, 2))
  }
  if (id %in% names(measure_names)) name <- measure_names[[id]]
  controls <- unlist(strsplit(sub("^given ", "", given[1]), " + ", fixed = TRUE))
  if (identical(controls, "control")) controls <- "the control"
  paste0(named_estimator(name, estimator, sub("^complete ", "", complete)),
         if (length(others)) paste(" with", enumerate(others, quote = FALSE)),
         if (length(given)) paste(" beyond", enumerate(controls, quote = FALSE)),
         if (grepl("middle half", label, fixed = TRUE)) " over the middle half of the rows")
}

# complete: of which sides the neurons are all that there are.
named_estimator <- function(name, estimator, complete = character()) {
  if (!length(estimator)) return(name)
  of <- estimator_names[[estimator]]
  if (!length(of)) return(paste("uncorrected", name))
  if ("both" %in% complete) of <- setdiff(of, "neurons")
  sampled <- sampled_names[intersect(complete, names(sampled_names))]
  if (length(sampled)) of[of == "neurons"] <- sampled[[1]]
  if (length(sampled) || length(of) > 2) of <- sub("^neurons", "few neurons", of)
  paste(name, "corrected for", enumerate(of, quote = FALSE))
}

# "an uncorrected CKA"
with_article <- function(name) {
  paste(if (grepl("^([aeiou]|R[SV])", name)) "an" else "a", name)
}

# The estimator of a CKA, with what is complete, in words.
estimator_words <- function(estimator, complete = NULL) {
  named_estimator("CKA", estimator, as.character(complete))
}

# ---- sentences of scores

# One sentence for each measure of a result.
for_each_measure <- function(x, sentence) {
  vapply(unname(row_groups(x, "measure")), function(at) sentence(x[at, , drop = FALSE]), "")
}

# What a corrected CKA beyond 1 means. low: the lower end of its interval, NA or NULL without one.
odd_value_words <- function(name, score, low = NULL) {
  if (!grepl("^CKA corrected", name) || !isTRUE(abs(score) > 1)) return(NULL)
  nothing <- score < -1 || score > meaningless
  if (!nothing && isTRUE(low <= 0)) return(" An interval with 0 and 1 in it says little.")
  if (!nothing && isTRUE(low <= 1)) {
    return(paste(" True values are at most 1: of the interval", number_word(low), "to 1 is left."))
  }
  said <- c(" A CKA so far from 0 to 1 means nothing: there are too few stimuli or neurons, or ",
            " No true value is above 1: this is chance, or ",
            " No true value is above 1, and this is more than chance: ")
  paste0(said[if (nothing) 1 else 2 + isTRUE(low > 1)],
         "units share noise or are on both sides, or one neuron dominates.")
}

# Of a reliability above 1.
least_excess <- 0.01

# Chance, or noise that is shared, may take the estimate of a ceiling above 1.
ceiling_word <- function(ceiling) {
  paste0(number_word(ceiling), if (ceiling > 1 + least_excess) " (no true one is above 1)")
}

# What is in brackets: the parts that are not NULL or NA.
brackets <- function(...) {
  parts <- c(...)
  parts <- parts[!is.na(parts) & nzchar(parts)]
  if (length(parts)) paste0(" (", paste(parts, collapse = ", "), ")") else ""
}

# "2 of 12 scores are undefined (NA)."; NULL where all are known.
undefined_words <- function(values, what = "score", begins = TRUE) {
  lost <- sum(is.na(values))
  if (!lost) return(NULL)
  if (lost == length(values)) {
    if (lost == 1) return(paste0(if (begins) " The " else " the ", what, " is undefined (NA)."))
    return(paste0(if (begins) " All " else " all ", count_of(lost, what), " are undefined (NA)."))
  }
  paste0(" ", lost, " of ", count_of(length(values), what), if (lost == 1) " is" else " are",
         " undefined (NA).")
}

capitalised <- function(text) paste0(toupper(substring(text, 1, 1)), substring(text, 2))

# The sentence of scores by one measure. details: a function(row) with what stands in brackets after
# the score of a row, where c(score, low, high) is rounded together.
scores_sentence <- function(x, sign, details) {
  name <- measure_words(x$measure[1])
  # "the RV coefficient of x and y beyond pixels"
  parts <- c(sub(" beyond .*$", "", name), regmatches(name, regexpr(" beyond .*$", name)), "")
  # how many of what there are, and what is said of a row that stands out: "L3 was most similar to
  # V4", `title` and `twin`; encode() has other names of arguments
  rows <- as.data.frame(x)
  named <- lapply(c("x", "y"), function(side) sub("^(from|to)$", "`\\1`", full_names(rows, side)))
  same <- which(vapply(named, function(names) nrow(x) > 1 && length(unique(names)) == 1, NA))[1]
  title <- if (is.na(same)) paste(named[[1]], "and", named[[2]]) else named[[3 - same]]
  twin <- if (is.na(same)) rep("", nrow(x)) else paste(" to", named[[same]])
  known <- which(!is.na(x$score))
  undefined <- undefined_words(x$score, begins = length(known) > 0)
  if (!length(known)) {
    return(if (nrow(x) > 1) paste0("By the ", name, ":", undefined) else
      paste0("The ", parts[1], " of ", title, parts[2], " is undefined (NA)."))
  }
  best <- known[which.max(sign * x$score[known])]
  score <- with_limits_words(x$score[best], x$conf_low[best], x$conf_high[best])[["score"]]
  end <- paste0(".", odd_value_words(name, x$score[best], x$conf_low[best]))
  if (nrow(x) == 1) {
    return(paste0("The ", parts[1], " of ", title, parts[2], " was ", score,
                  brackets(details(best)), end))
  }
  paste0("Of ", count_of(nrow(x), if (is.na(same)) "pair" else "representation"), ", ",
         title[best], like_others(x$score, best), if (is.na(same)) " were" else " was",
         if (sign > 0) " most similar" else " closest", twin[best],
         brackets(paste(name, "=", score), details(best)), others_words(x$score, best), end,
         undefined)
}

# Of how many others is the value the same, but for rounding?
like_others <- function(values, best) {
  same <- sum(abs(values - values[best]) <= 1e-12 * max(1, abs(values[best])), na.rm = TRUE) - 1
  if (same) paste0(", like ", count_of(same, "other"), ",")
}

# What the scores of the others were.
others_words <- function(score, best) {
  others <- score[-best]
  others <- others[!is.na(others)]
  if (!length(others)) return("")
  range <- unique(number_words(min(others), max(others)))
  paste0("; the ", if (length(others) == 1) "other score" else
    paste("other", length(others), "scores"), if (length(others) == 1) " was " else " were ",
    paste(range, collapse = " to "))
}

# How many of the other models are above chance. p: their p-values; alone: those of single models,
# not of all together?
others_chance_words <- function(p, alpha, sign, alone = FALSE) {
  if (!any(!is.na(p))) return(NULL)
  found <- sum(p <= alpha, na.rm = TRUE)
  how <- if (!alone) "" else if (found > 1) ", each by itself" else " by itself"
  side <- if (sign > 0) "above" else "below"
  if (length(p) == 1) {
    return(paste0(" The other was ", if (!found) "not ", side, " chance", how, "."))
  }
  paste0(" Of the others, ", if (found) found else "none", if (found > 1) " were " else " was ",
         side, " chance", how, ".")
}

# Which others than the best stay in its confidence set. count: of how many others.
as_good_words <- function(others, count, level) {
  paste0("; ", if (length(others)) {
    paste(enumerate(others, 6, quote = FALSE), "may be as good")
  } else if (count == 1) "the other is not as good" else "the others are not as good",
  if (!is.null(level)) paste0(" (", format(100 * level), "% confidence set)"))
}

# The sentences as lines below printed rows; none where the rows have lost what they need.
words_below <- function(x) {
  strwrap(tryCatch(in_words(x), repalign_error = function(error) NULL))
}
