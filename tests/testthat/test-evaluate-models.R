# evaluate_models() against reference values, and its fast ways against plain ones.

evaluated <- function(case, compare, models = NULL, ...) {
  models <- if (is.null(models)) rsa_rdms(paste0(case, "_models")) else models
  evaluate_models(rsa_rdms(paste0(case, "_data")), models, outer_of[[compare]], ...)
}

# The values that a block has, from a matrix i x j.
placed <- function(values, block) values[cbind(as.integer(block$i), as.integer(block$j))]

part_draws <- function(result, part) attr(result, "draws")[[part]][, , 1]

given_draws_of <- function(case) {
  list(rdm = as.matrix(rsa_input(paste0(case, "_boot_rdm"))),
       condition = as.matrix(rsa_input(paste0(case, "_boot_condition"))))
}

test_that("scores, variances and p-values over RDMs alone are those of the reference", {
  for (compare in c("cosine", "corr", "rho-a", "cosine_cov")) {
    result <- evaluated("r1", compare, resample = "none")
    at <- function(what) {
      rsa_blocks(what, case = "r1", method = "fixed", parameters = paste0("compare=", compare))[[1]]
    }
    expect_rsa_block(placed(attr(result, "table"), at("evaluation")), at("evaluation"))
    expect_rsa_block(result$se^2, at("variance_model"))
    expect_rsa_block(result$p_zero, at("p_zero"))
    pairs <- compare_scores(result)
    expect_rsa_block(pairs$se^2, at("variance_difference"))
    expect_rsa_block(pairs$p_value, at("p_pair"))
  }
  for (block in rsa_blocks("p_pair_adjusted", case = "r1")) {
    result <- evaluated("r1", "cosine", resample = "none")
    pairs <- compare_scores(result, adjust = rsa_parameters(block)$adjust)
    expect_rsa_block(pairs$p_adjusted, block)
  }
})

test_that("draws of RDMs and conditions give the scores and ceilings of the reference", {
  for (compare in c("cosine", "corr", "rho-a", "cosine_cov")) {
    result <- evaluated("r1", compare, resample = given_draws_of("r1"))
    for (part in c("both", "rdm", "condition")) {
      given <- paste0("compare=", compare, ";resample=", part)
      values <- part_draws(result, part)
      block <- rsa_blocks("evaluation", case = "r1", method = "bootstrap", parameters = given)[[1]]
      expect_rsa_block(placed(values, block), block)
      block <- rsa_blocks("noise_ceiling", case = "r1", parameters = given)[[1]]
      expect_rsa_block(as.vector(values[, 5:6]), block)
    }
  }
})

test_that("the dual variance and its tests are those of the reference", {
  for (compare in c("cosine", "corr", "rho-a", "cosine_cov")) {
    result <- evaluated("r1", compare, resample = given_draws_of("r1"))
    pairs <- compare_scores(result)
    corrected <- function(what, ...) {
      given <- paste(c(paste0("compare=", compare), "clip=corrected", ...), collapse = ";")
      rsa_blocks(what, case = "r1", method = "dual_bootstrap", parameters = given)[[1]]
    }
    expect_rsa_block(result$se^2, corrected("variance_model"))
    expect_rsa_block(pairs$se^2, corrected("variance_difference"))
    expect_rsa_block(result$p_zero, corrected("p_zero", "centre=all data"))
    expect_rsa_block(pairs$p_value, corrected("p_pair", "centre=all data"))
    expect_rsa_block(result$p_ceiling, corrected("p_ceiling", "centre=all data"))
    expect_equal(unique(pairs$df), 5)
  }
})

test_that("noise ceilings of all data are those of the reference", {
  blocks <- Filter(function(block) {
    !block$method[1] %in% c("bootstrap", "crossval") && block$case[1] != "rdm92"
  }, rsa_blocks("noise_ceiling"))
  for (block in blocks) {
    data <- rsa_data(block)
    groups <- grepl("group=", block$parameters[1])
    missing <- if (groups) "error" else rsa_missing(block)
    if (groups) data <- rsa_rdms(paste0(block$case[1], "_data"))
    result <- evaluate_models(data, rsa_rdms(paste0(block$case[1], "_models"))[1],
                              outer_of[[block$method[1]]], resample = "none", missing = missing,
                              group = if (groups) (seq_along(data) + 1) %/% 2)
    expect_rsa_block(c(result$ceiling_low, result$ceiling_high), block)
  }
})

crossval_models <- function(case) {
  rdms <- rsa_rdms(paste0(case, "_models"))
  list(m1 = rdms[[1]], weighted = rdm_model(rdms, "weighted"), select = rdm_model(rdms, "select"),
       interpolate = rdm_model(rdms, "interpolate"))
}

test_that("cross-validated scores and ceilings are those of the reference", {
  for (block in rsa_blocks("evaluation", method = "crossval")) {
    given <- strsplit(block$parameters[1], ";")[[1]]
    compare <- sub("compare=", "", given[1])
    folds <- rsa_input(paste0("r1_", given[2]))
    result <- evaluated("r1", compare, crossval_models("r1"), resample = "none", folds = folds) |>
      suppressWarnings()
    each <- vapply(unique(folds$fold), function(k) {
      # one fold alone gives its scores
      suppressWarnings(evaluated("r1", compare, crossval_models("r1"), resample = "none",
                                 folds = folds[folds$fold == k, ]))$score
    }, numeric(4))
    expect_rsa_block(placed(t(each), block), block)
    expect_equal(result$score, rowMeans(each))
    ceiling <- rsa_blocks("noise_ceiling", method = "crossval",
                          parameters = paste(given[1:2], collapse = ";"))
    for (block in ceiling) expect_rsa_block(c(result$ceiling_low[1], result$ceiling_high[1]), block)
  }
})

test_that("the variance of repeated cross-validation is that of the reference", {
  block <- rsa_blocks("cv_covariance")[[1]]
  table <- rsa_input("r1_cv_evaluations")
  values <- array(NA_real_, c(max(table$sample), max(table$model), max(table$`repeat`)))
  values[cbind(table$sample, table$model, table$`repeat`)] <- table$evaluation
  covariance <- repalign:::draw_covariance(values, seq_len(dim(values)[2]))
  expect_rsa_block(covariance[cbind(as.integer(block$i), as.integer(block$j))], block)
})
