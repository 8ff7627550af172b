# Lines of R that do what rsatoolbox (f1f83ca) does where it differs (the table
# in vignettes/articles/from-rsatoolbox.Rmd), on the data on which rsatoolbox was run: how far they are
# from repalign, and how far rsatoolbox was (disagreements.csv of the reference values). Both
# columns are to agree.
#   Rscript bench/rsa-from-rsatoolbox.R

suppressMessages(library(repalign))
shared <- Sys.getenv("REPALIGN_SHARED", file.path("..", "shared"))
folder <- file.path(shared, "reference", "rsa")
if (!dir.exists(folder)) {
  cat("There are no reference values (folder ../shared): nothing to compare.\n")
  quit("no")
}
seen <- utils::read.csv(file.path(folder, "disagreements.csv"))
input <- function(name) utils::read.csv(file.path(folder, "inputs", paste0(name, ".csv")))
rdms <- function(name) lapply(input(name)[-(1:2)], as_rdm)

# The largest difference, and what disagreements.csv has of it.
row <- function(label, other, ours, ...) {
  wanted <- list(...)
  is_row <- Reduce(`&`, lapply(names(wanted), function(name) seen[[name]] == wanted[[name]]))
  data.frame(what = label, lines_of_r = max(abs(other - ours), na.rm = TRUE),
             rsatoolbox = seen$max_abs[is_row])
}

data <- rdms("r1_data")
models <- rdms("r1_models")
noise <- input("r1_sigma")
variances <- noise$variance
sigma <- unname(as.matrix(noise[-1]))
each_pair <- function(compare) {
  sapply(models, function(model) sapply(data, function(rdm) compare(rdm, model)))
}
moment <- function(rdm) {
  middle <- diag(attr(rdm, "Size")) - 1 / attr(rdm, "Size")
  -middle %*% as.matrix(rdm) %*% middle / 2
}

noise_row <- function() {
  x <- input("g1_data")
  conditions <- length(unique(x$condition))
  estimate <- function(dof) noise_covariance(x[-(1:2)], x$condition, method = "full", dof = dof)
  row("degrees of freedom of noise", estimate((conditions - 1) * length(unique(x$run))),
      estimate(NULL), case = "g1", method = "full",
      parameters = "rsatoolbox cov_from_measurements (balanced)")
}

poisson_row <- function() {
  x <- input("c1_data")
  counts <- as.matrix(x[-(1:2)])
  last <- x$run == max(x$run)
  rates <- function(at) {
    (rowsum(counts[at, ], x$condition[at]) / as.vector(table(x$condition[at])) + 0.1) / 1.1
  }
  inner <- tcrossprod(rates(!last), log(rates(last))) / ncol(counts)
  row("poisson_cv: the last fold",
      stats::as.dist(outer(diag(inner), diag(inner), "+") - inner - t(inner)),
      rdm(counts, x$condition, x$run, "poisson_cv"), case = "c1", method = "poisson_cv",
      parameters = "prior_lambda=1.0;prior_weight=0.1")
}

unbalanced_row <- function() {
  x <- input("g2_data")
  residuals <- as.matrix(input("g2_residuals")[-1])
  precision <- noise_precision(residuals)
  patterns <- as.matrix(x[-(1:2)])
  member <- outer(x$condition, sort(unique(x$condition)), "==") + 0
  other_run <- outer(x$run, x$run, "!=") + 0
  inner <- patterns %*% precision %*% t(patterns) / ncol(patterns) * other_run
  inner <- crossprod(member, inner %*% member) / crossprod(member, other_run %*% member)
  row("crossnobis from averaged inner products",
      stats::as.dist(outer(diag(inner), diag(inner), "+") - 2 * inner),
      suppressWarnings(rdm(patterns, x$condition, x$run, noise = precision)), case = "g2",
      method = "crossnobis", parameters = "rsatoolbox calc_rdm_unbalanced weighting=number")
}

whitened_rows <- function() {
  cosine <- function(a, b) sum(a * b) / sqrt(sum(a^2) * sum(b^2))
  by_scale <- function(rdm) moment(rdm) / sqrt(outer(variances, variances))
  rbind(
    row("cosine_cov, variances", each_pair(function(x, y) cosine(by_scale(x), by_scale(y))),
        each_pair(function(x, y) rsa(x, y, outer = "whitened_cosine", stimulus_noise = variances)),
        case = "r1", method = "cosine_cov", parameters = "sigma_k=variance"),
    row("corr_cov, matrix", each_pair(function(x, y) {
      rsa(x - mean(x), y - mean(y), outer = "whitened_cosine", stimulus_noise = sigma)
    }), each_pair(function(x, y) rsa(x, y, outer = "whitened_pearson", stimulus_noise = sigma)),
    case = "r1", method = "corr_cov", parameters = "sigma_k=matrix")
  )
}

bures_row <- function() {
  half_cut <- function(x, y) {
    found <- eigen(moment(x), symmetric = TRUE)
    root <- found$vectors %*% (sqrt(pmax(found$values, 0)) * t(found$vectors))
    values <- eigen(root %*% moment(y) %*% root, symmetric = TRUE)$values
    sum(sqrt(pmax(values, 0))) / sqrt(sum(diag(moment(x))) * sum(diag(moment(y))))
  }
  row("bures of cross-validated RDMs", each_pair(half_cut), suppressWarnings(each_pair(bures)),
      case = "r1", method = "bures", parameters = "rdms=data")
}

ceiling_row <- function() {
  scaled <- sapply(data, function(rdm) rdm / sqrt(mean(rdm^2)))
  score <- function(k, others) {
    rsa(data[[k]], as_rdm(rowMeans(scaled[, others])), outer = "whitened_cosine")
  }
  all <- seq_along(data)
  other <- c(mean(sapply(all, function(k) score(k, all[-k]))), mean(sapply(all, score, all)))
  ours <- subject_ceiling(data, measure("rsa", outer = "whitened_cosine"))
  row("ceilings of whitened_cosine", other, unlist(ours[c("lower", "upper")]), case = "r1",
      what = "noise_ceiling", method = "cosine_cov", parameters = "")
}

geodesic_row <- function() {
  low <- transform_rdm(data[[1]], "geotopological", low = 0.2, up = 0.8)
  paths <- as.matrix(low)
  paths[paths == 0 | paths == 1] <- Inf
  diag(paths) <- 0
  for (k in seq_len(nrow(paths))) paths <- pmin(paths, outer(paths[, k], paths[k, ], "+"))
  row("geodesic after geotopological", stats::as.dist(paths), transform_rdm(low, "geodesic"),
      case = "r1", method = "geotopological+geodesic",
      parameters = "rdms=data;rdm=1;low=0.2;up=0.8")
}

dual_row <- function() {
  expected <- utils::read.csv(file.path(folder, "expected_rsa.csv"))
  expected <- expected[expected$case == "r1" & expected$what == "variance_model", ]
  of <- function(clip) expected$value[expected$parameters == paste0("compare=cosine;clip=", clip)]
  drawn <- lapply(c(rdm = "r1_boot_rdm", condition = "r1_boot_condition"),
                  function(name) as.matrix(input(name)))
  scores <- evaluate_rdms(data, models, "cosine", resample = drawn)
  variance <- sapply(attr(scores, "draws"), function(draw) apply(draw[, names(models), 1], 2, var))
  people <- length(data) / (length(data) - 1)
  images <- ncol(drawn$condition) / (ncol(drawn$condition) - 1)
  main <- cbind(people * variance[, "rdm"], images * variance[, "condition"])
  mixed <- people * images * (variance[, "both"] - variance[, "rdm"] - variance[, "condition"])
  other <- pmin(pmax(rowSums(main) - mixed, main[, 1], main[, 2]), variance[, "both"])
  data.frame(what = "variance of the dual bootstrap", lines_of_r = max(abs(other - scores$se^2)),
             rsatoolbox = max(abs(of("toolbox") - of("corrected"))))
}

print(rbind(noise_row(), poisson_row(), unbalanced_row(), whitened_rows(), bures_row(),
            ceiling_row(), dual_row(), geodesic_row()), digits = 3, row.names = FALSE)
