# RDMs, noise and transformations against the reference values of ../shared/reference/rsa.

setting_of <- function(parameters, name) {
  given <- strsplit(strsplit(parameters, ";")[[1]], "=")
  value <- Filter(function(pair) pair[1] == name, given)
  if (length(value)) value[[1]][2]
}

rsa_data <- function(case) {
  table <- rsa_input(paste0(case, "_data"))
  list(x = as.matrix(table[-(1:2)]), condition = table$condition, run = table$run)
}

reference_noise <- function(case, noise) {
  if (is.null(noise) || noise == "identity") return(NULL)
  table <- rsa_input(paste0(case, "_residuals"))
  e <- as.matrix(table[-1])
  if (!grepl("per run", noise)) return(noise_precision(e))
  noise_covariance(e, run = table$run, by_run = TRUE)
}

reference_rdm <- function(case, method, parameters) {
  data <- rsa_data(case)
  args <- list(data$x, data$condition, data$run,
               distance = if (method == "euclidean") "sqeuclidean" else method)
  args$noise <- reference_noise(case, setting_of(parameters, "noise"))
  args$weights <- setting_of(parameters, "weights")
  args$center_patterns <- identical(setting_of(parameters, "remove_mean"), "TRUE")
  if (grepl("poisson", method)) {
    args$prior_rate <- as.numeric(setting_of(parameters, "prior_lambda"))
    args$prior_weight <- as.numeric(setting_of(parameters, "prior_weight"))
  }
  do.call(rdm, args)
}

test_that("RDMs have the reference values", {
  blocks <- rsa_blocks("rdm")
  expect_gt(length(blocks), 20)
  for (block in blocks) {
    found <- as.data.frame(reference_rdm(block$case[1], block$method[1], block$parameters[1]))
    found <- found[order(as.integer(found$x), as.integer(found$y)), ]
    expect_identical(as.integer(found$x), as.integer(block$i))
    expect_identical(as.integer(found$y), as.integer(block$j))
    expect_rsa_block(found$dissimilarity, block)
  }
})

reference_covariance <- function(case, method, parameters, of) {
  dof <- setting_of(parameters, "dof")
  if (!is.null(dof)) dof <- as.numeric(dof)
  if (setting_of(parameters, "from") == "measurements") {
    data <- rsa_data(case)
    return(of(data$x, data$condition, method = method, dof = dof))
  }
  table <- rsa_input(paste0(case, "_residuals"))
  e <- as.matrix(table[-1])
  run <- setting_of(parameters, "run")
  if (is.null(run)) return(of(e, method = method, dof = dof))
  of(e, run = table$run, method = method, dof = dof, by_run = TRUE)[[run]]
}

test_that("covariances and precisions of noise have the reference values", {
  for (what in c("covariance", "precision")) {
    blocks <- rsa_blocks(what)
    expect_gt(length(blocks), 10)
    for (block in blocks) {
      found <- reference_covariance(block$case[1], block$method[1], block$parameters[1],
                                    if (what == "precision") noise_precision else noise_covariance)
      expect_rsa_block(found[cbind(as.integer(block$i), as.integer(block$j))], block)
    }
  }
})

test_that("transformed RDMs have the reference values", {
  blocks <- rsa_blocks("transform")
  expect_gt(length(blocks), 10)
  for (block in blocks) {
    parameters <- block$parameters[1]
    rdms <- rsa_rdms(paste(block$case[1], setting_of(parameters, "rdms"), sep = "_"))
    d <- rdms[[as.integer(setting_of(parameters, "rdm"))]]
    before <- d + 0
    for (method in strsplit(block$method[1], "+", fixed = TRUE)[[1]]) {
      limits <- if (method == "geotopological") {
        lapply(c(low = "low", up = "up"), function(name) as.numeric(setting_of(parameters, name)))
      }
      d <- do.call(transform_rdm, c(list(d, method), limits))
    }
    expect_rsa_block(as.vector(d), block)
    expect_identical(rdms[[as.integer(setting_of(parameters, "rdm"))]], before)
  }
})
