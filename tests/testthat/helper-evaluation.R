# What tests of models of RDMs share: names of comparisons in the reference values, and RDMs.

outer_of <- c(cosine = "cosine", corr = "pearson", spearman = "spearman", `tau-a` = "kendall",
              `tau-b` = "tau_b", `rho-a` = "rho_a", cosine_cov = "whitened_cosine",
              corr_cov = "whitened_pearson")

# "compare=cosine;ridge=0" as list(compare = "cosine", ridge = "0").
rsa_parameters <- function(block) {
  parts <- strsplit(strsplit(block$parameters[1], ";")[[1]], "=")
  stats::setNames(lapply(parts, function(part) part[length(part)]),
                  vapply(parts, `[`, "", 1))
}

rsa_data <- function(block) {
  which <- rsa_parameters(block)$rdms
  rsa_rdms(paste0(block$case[1], "_", if (is.null(which)) "data" else which))
}

rsa_missing <- function(block) if (is.null(rsa_parameters(block)$rdms)) "error" else "pairwise"

packed_dist <- function(values) {
  n <- (1 + sqrt(1 + 8 * length(values))) / 2
  structure(values, Size = as.integer(n), Diag = FALSE, Upper = FALSE, class = "dist")
}

# Data RDMs that share a signal, and models of which the first is near it.
made_rdms <- function(n = 12, subjects = 5, models = 3, seed = 1, noise = 1) {
  set.seed(seed)
  shared <- matrix(rnorm(n * 4), n)
  noisy <- function(k) dist(shared + noise * matrix(rnorm(n * 4), n))^2
  data <- lapply(seq_len(subjects), noisy)
  names(data) <- paste0("s", seq_len(subjects))
  found <- lapply(seq_len(models), function(k) dist(shared + k * matrix(rnorm(n * 4), n))^2)
  names(found) <- paste0("m", seq_len(models))
  list(data = data, models = found)
}

# The scores and ceilings of draws are those of the plain way.
expect_same_rounds <- function(task, rounds, way, info = NULL) {
  expect_identical(task$way, way, info = info)
  fast <- repalign:::evaluate_rounds(task, rounds, 2L)
  plain <- repalign:::plain_rounds(task, rounds)
  expect_equal(fast$scores, repalign:::mean_table(plain$table, rounds$m_test),
               tolerance = 1e-9, info = info)
  for (bound in c("lower", "upper")) {
    expect_equal(fast[[bound]], drop(repalign:::mean_table(plain[[bound]], rounds$m_test)),
                 tolerance = 1e-9, info = paste(info, bound))
  }
}

# The way in which the draws of each comparison are computed.
ways_of_outers <- c(cosine = "grams", pearson = "grams", whitened_cosine = "grams",
                    whitened_pearson = "grams", spearman = "ranks", rho_a = "ranks",
                    kendall = "ranks", tau_b = "ranks")
