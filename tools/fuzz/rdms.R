# Calls of the functions that take RDMs, RDMs of lists of subjects, and labels of conditions.

draw_rdm_call <- function() if (chance(0.5)) draw_regression() else draw_rows()

# Conditions; of one call all RDMs have the same.
draw_rdm <- function(n, gaps) {
  values <- switch(sample.int(4, 1), as.vector(stats::dist(matrix(stats::rnorm(n * 3), n))),
                   round(stats::rnorm(n * (n - 1) / 2), 1), # signed, with ties
                   sample.int(3, n * (n - 1) / 2, replace = TRUE) + 0,
                   stats::rexp(n * (n - 1) / 2) * 10^stats::runif(1, -8, 8))
  if (chance(gaps)) values[sample.int(length(values), 1 + length(values) %/% 8)] <- NA
  if (chance(0.02)) values[] <- 1
  rdm <- structure(values, Size = n, Diag = FALSE, Upper = FALSE, class = "dist")
  if (chance(0.2)) as.matrix(rdm) else rdm
}

draw_conditions <- function(n, gaps) {
  switch(sample.int(4, 1, prob = c(0.5, 0.25, 0.2, 0.05)), draw_rdm(n, gaps),
         matrix(stats::rnorm(n * 4), n), labels_for(n, min(n, 3)), draw_rdm(n + 1, gaps))
}

# A list of subjects or one.
draw_subjects <- function(n, gaps) {
  if (chance(0.7)) return(draw_rdm(n, gaps))
  replicate(sample.int(3, 1), draw_rdm(n, gaps), simplify = FALSE)
}

draw_missing <- function(gaps) if (gaps > 0) "pairwise"

draw_regression <- function() {
  n <- count_up_to(14, 4)
  gaps <- if (chance(0.25)) 0.5 else 0
  terms <- letters[seq_len(sample.int(3, 1))]
  data <- c(list(brain = draw_subjects(n, gaps)),
            stats::setNames(lapply(terms, function(term) draw_conditions(n, gaps)), terms))
  data$run <- if (chance(0.25)) rep_len(seq_len(2 + sample.int(2, 1)), n)
  fit <- one_of(c("ordinary", "nonnegative", "ridge"))
  args <- given(formula = stats::reformulate(terms, "brain"), data = data, leave_out = data$run,
                blocks = if (chance(0.2)) rep_len(1:2, n), inner = if (chance(0.5)) any_inner(),
                fit = fit, ridge = if (fit == "ridge") stats::rexp(1),
                na = draw_missing(gaps), standardize = if (chance(0.3)) FALSE,
                center = if (chance(0.3)) FALSE,
                permutations = count_up_to(60))
  list(fun = "rsa_regression", call = call_of("rsa_regression", args), args = args, rdms = TRUE)
}

draw_rows <- function() {
  n <- count_up_to(14, 4)
  gaps <- if (chance(0.25)) 0.5 else 0
  outer <- one_of(c("spearman", "pearson", "kendall", "cosine", "tau_b", "rho_a",
                    "whitened_cosine", "whitened_pearson"))
  noise <- startsWith(outer, "whitened") && chance(0.5)
  args <- given(x = if (chance(0.3)) draw_subjects(n, gaps) else draw_conditions(n, gaps),
                y = draw_subjects(n, gaps), inner = if (chance(0.5)) any_inner(), outer = outer,
                stimulus_noise = if (noise) {
                  one_of(list(stats::rexp(n) + 0.1,
                              stats::cov(matrix(stats::rnorm(3 * n^2), 3 * n))))
                },
                na = draw_missing(gaps))
  list(fun = "rdm_rows", call = call_of("rdm_rows", args), args = args, rdms = TRUE)
}

any_inner <- function() one_of(c("correlation", "euclidean", "sqeuclidean", "cosine"))

check_rdm_result <- function(drawn, value, outcome) {
  if (!is.data.frame(value) || !nrow(value)) return("no rows")
  rows <- as.data.frame(value)
  common <- c(check_finite_columns(rows),
              check_methods(value, list(print = print, glance = repalign::glance,
                                        tidy = repalign::tidy, plot = draw_value)))
  c(common, if (drawn$fun == "rdm_rows") check_rows_result(drawn, value, outcome) else
    check_regression_result(drawn, value, outcome))
}

draw_value <- function(value) {
  numbers <- if (is.null(value$contribution)) value$estimate else value$contribution
  if (!all(is.na(numbers)) && requireNamespace("ggplot2", quietly = TRUE)) plot(value)
}

check_rows_result <- function(drawn, value, outcome) {
  whole <- repalign::glance(value)
  groups <- value[intersect(c("subject", "model"), names(value))]
  key <- if (length(groups)) do.call(paste, unname(as.list(as.data.frame(groups)))) else
    rep("", nrow(value))
  sums <- as.vector(tapply(value$contribution, factor(key, unique(key)), sum))
  c(problem(!same_numbers(sums, whole$score), "contributions do not sum to the score"),
    check_within(value$score, c(-1, 1), "score of a row"),
    check_undefined_warning(anyNA(value$score) || anyNA(value$contribution), outcome))
}

check_regression_result <- function(drawn, value, outcome) {
  model <- repalign::glance(value)
  p <- c(value$p_value, model$p_value)
  ordinary <- is.null(drawn$args$fit) || drawn$args$fit != "ridge"
  c(problem(any(p <= 0 | p > 1, na.rm = TRUE), "a p-value outside of (0, 1]"),
    check_within(c(value$partial, value$semipartial), c(-1, 1), "a correlation"),
    if (ordinary) check_within(c(model$r_squared, value$unique), c(0, 1), "R squared"),
    problem(identical(drawn$args$fit, "nonnegative") && any(value$estimate < 0, na.rm = TRUE),
            "a negative coefficient"),
    check_undefined_warning(anyNA(p), outcome))
}
