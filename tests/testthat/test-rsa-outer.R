# Comparisons of RDMs: reference values, plain definitions, missing pairs, signs.

# inputs are small: threads would only wait for each other
withr::local_options(repalign.threads = 1)

outer_of <- c(cosine = "cosine", corr = "pearson", spearman = "spearman", "tau-a" = "kendall",
              "tau-b" = "tau_b", "rho-a" = "rho_a", cosine_cov = "whitened_cosine",
              corr_cov = "whitened_pearson")

# The RDMs of the 92 images by the names of the reference.
images_of_rsa <- function() {
  table <- read.csv(gzfile(shared_file("data", "rdm92.csv.gz")))
  as_dist <- function(values) structure(values, Size = 92L, Diag = FALSE, Upper = FALSE, class = "dist")
  lapply(table[-(1:2)], as_dist)
}

# The RDMs and models of a block, and the score of a data RDM and a model.
block_rdms <- function(block) {
  case <- block$case[1]
  if (case == "rdm92") return(list(data = images_of_rsa(), models = images_of_rsa()))
  parameters <- block$parameters[1]
  which <- if (grepl("rdms=", parameters)) sub(".*rdms=([a-z_]+).*", "\\1", parameters) else "data"
  list(data = rsa_rdms(paste0(case, "_", which)), models = rsa_rdms(paste0(case, "_models")))
}

block_sigma <- function(block) {
  if (!grepl("sigma_k", block$parameters[1])) return(NULL)
  sigma <- as.matrix(rsa_input(paste0(block$case[1], "_sigma")))
  if (grepl("variance", block$parameters[1])) sigma[, 1] else unname(sigma[, -1])
}

block_score <- function(block) {
  sigma <- block_sigma(block)
  method <- block$method[1]
  function(data, model) {
    quietly(switch(method, bures = bures(data, model),
      bures_metric = bures_distance(data, model)^2,
      neg_riem_dist = riemann(model, data, sigma = sigma),
      rsa(data, model, outer = outer_of[[method]], sigma = sigma, missing = "pairwise")))
  }
}

test_that("scores are those of the reference, for every comparison", {
  for (block in rsa_blocks("compare")) {
    rdms <- block_rdms(block)
    score <- block_score(block)
    at <- function(column) if (block$case[1] == "rdm92") column else as.integer(column)
    values <- mapply(function(i, j) score(rdms$data[[i]], rdms$models[[j]]), at(block$i),
                     at(block$j))
    expect_rsa_block(values, block)
  }
})
