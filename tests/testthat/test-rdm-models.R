# Pooled RDMs and models of RDMs against reference values and definitions.

test_that("pooled RDMs are those of the reference", {
  for (block in rsa_blocks("pool")) {
    outer <- outer_of[[block$method[1]]]
    pooled <- pool_rdms(rsa_data(block), outer, missing = rsa_missing(block))
    if (outer %in% c("pearson", "whitened_pearson")) pooled <- pooled - min(pooled)
    expect_rsa_block(as.vector(pooled), block)
  }
})

type_of <- function(method) {
  if (startsWith(method, "weighted")) "weighted" else method
}

fit_of_block <- function(block) {
  given <- rsa_parameters(block)
  ridge <- if (is.null(given$ridge)) 0 else as.numeric(given$ridge)
  model <- rdm_model(rsa_rdms(paste0(block$case[1], "_models")), type_of(block$method[1]),
                     nonnegative = block$method[1] == "weighted_nonneg", ridge = ridge)
  fit_rdm_model(model, rsa_data(block), outer_of[[given$compare]], missing = rsa_missing(block))
}

small_cases <- c("r1", "r2")

test_that("weights, predictions and choices are those of the reference", {
  for (block in rsa_blocks("theta", case = small_cases)) {
    expect_rsa_block(coef(fit_of_block(block)), block)
  }
  for (block in rsa_blocks("prediction", case = small_cases)) {
    expect_rsa_block(as.vector(predict(fit_of_block(block))), block)
  }
  for (block in rsa_blocks("select", case = small_cases)) {
    expect_rsa_block(which(coef(fit_of_block(block)) == 1), block)
  }
  for (block in rsa_blocks("evaluation", case = small_cases,
                           method = c("weighted", "weighted_nonneg"))) {
    expect_rsa_block(fit_of_block(block)$score, block)
  }
})
