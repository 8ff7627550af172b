# noise_covariance(), noise_precision().

set.seed(1)
design <- full_design(6, 4, 2)
x <- matrix(rnorm(48 * 7), 48) %*% matrix(rnorm(49), 7)
kept <- sample(48, 35)

refused <- function(code, class, text) {
  error <- expect_error(code, class = class)
  expect_match(conditionMessage(error), text)
}

values_of <- function(s) matrix(as.vector(s), nrow(s))

# outer products of rows, as the papers write it
plain_shrinkage <- function(e, dof, to) {
  m <- nrow(e)
  p <- ncol(e)
  if (to == "eye") {
    s <- crossprod(e) / m
    mu <- sum(diag(s)) / p
    away <- sum((s - mu * diag(p))^2)
    error <- sum(apply(e, 1, function(row) sum((outer(row, row) - s)^2))) / m^2
    share <- min(error, away) / away
    return((share * mu * diag(p) + (1 - share) * s) * m / dof)
  }
  z <- e / rep(sqrt(colMeans(e^2)), each = m)
  r <- crossprod(z) / m
  variance <- Reduce(`+`, lapply(seq_len(m), function(k) (outer(z[k, ], z[k, ]) - r)^2)) / (m * dof)
  off <- row(r) != col(r)
  share <- min(max(sum(variance[off]) / sum(r[off]^2), 0), 1)
  s <- crossprod(e) / dof
  s[off] <- (1 - share) * s[off]
  s
}

test_that("residuals are those of the least squares fit, and so are degrees of freedom", {
  for (rows in list(1:48, kept)) {
    some <- design[rows, ]
    condition <- factor(some$condition)
    run <- factor(some$run)
    fit <- lm(x[rows, ] ~ condition + run)
    s <- noise_covariance(x[rows, ], condition, run, method = "full")
    expect_equal(values_of(s), unname(crossprod(resid(fit)) / df.residual(fit)))
    expect_equal(attr(s, "dof"), df.residual(fit))
    fit <- lm(x[rows, ] ~ condition)
    s <- noise_covariance(x[rows, ], condition, method = "full")
    expect_equal(values_of(s), unname(crossprod(resid(fit)) / df.residual(fit)))
    fit <- lm(x[rows, ] ~ run)
    s <- noise_covariance(x[rows, ], run = run, method = "full")
    expect_equal(values_of(s), unname(crossprod(resid(fit)) / df.residual(fit)))
  }
  # conditions of the first runs and those of the last have nothing in common
  run <- ifelse(design$condition < 4, design$run, design$run + 10)
  fit <- lm(x ~ factor(design$condition) + factor(run))
  expect_equal(attr(noise_covariance(x, design$condition, run), "dof"), df.residual(fit))
})

test_that("shrinkage is that of the outer products", {
  for (dof in c(40, 47)) {
    for (to in c("eye", "diag")) {
      e <- scale(x, scale = FALSE)
      s <- noise_covariance(x, method = paste0("shrinkage_", to), dof = dof)
      expect_equal(values_of(s), plain_shrinkage(e, dof, to), tolerance = 1e-12)
      expect_true(attr(s, "shrinkage") > 0 && attr(s, "shrinkage") < 1)
    }
  }
  expect_equal(values_of(noise_covariance(x, method = "diag")), diag(apply(x, 2, var)))
  expect_equal(values_of(noise_covariance(x, method = "full")), unname(var(x)))
  large <- values_of(noise_covariance(2^400 * x, method = "shrinkage_eye"))
  expect_identical(large, 2^800 * values_of(noise_covariance(x, method = "shrinkage_eye")))
  one <- x[, 1, drop = FALSE]
  for (method in c("shrinkage_diag", "shrinkage_eye", "diag", "full")) {
    expect_equal(as.vector(noise_covariance(one, method = method)), var(one[, 1]))
  }
})

test_that("the mean of the covariance is the true one, with offsets of runs too", {
  set.seed(2)
  mixing <- matrix(c(1, 0.5, 0, 0.3, 1, 0.2, 0, 0, 1), 3)
  found <- replicate(600, {
    labels <- full_design(4, 3)
    values <- matrix(rnorm(36), 12) %*% mixing + 5 * labels$run + labels$condition
    values_of(noise_covariance(values, labels$condition, labels$run, method = "full"))
  })
  z <- (rowMeans(found, dims = 2) - crossprod(mixing)) / (apply(found, 1:2, sd) / sqrt(600))
  expect_lt(max(abs(z)), 4)
})

test_that("arrays and responses are their observations", {
  values <- array(rnorm(6 * 5 * 4), c(6, 5, 4))
  rows <- matrix(aperm(values, c(1, 3, 2)), 24)
  labels <- full_design(6, 4)
  expect_equal(noise_covariance(values), noise_covariance(rows, labels$condition))
  expect_equal(noise_covariance(values, run = 1:4),
               noise_covariance(rows, labels$condition, labels$run))
  expect_equal(noise_covariance(responses(values, run = TRUE)),
               noise_covariance(values, run = 1:4))
  values[2, , 3] <- NA
  kept <- !(labels$condition == 2 & labels$run == 3)
  expect_equal(noise_covariance(values), noise_covariance(rows[kept, ], labels$condition[kept]))
})

test_that("each run has a covariance of its own on request", {
  each <- noise_covariance(x, design$condition, design$run, by_run = TRUE)
  expect_named(each, as.character(1:4))
  at <- design$run == 3
  expect_equal(each[["3"]], noise_covariance(x[at, ], design$condition[at]))
  residuals <- noise_covariance(x, run = design$run, by_run = TRUE, dof = c(8, 9, 10, 11))
  expect_equal(residuals[["2"]], noise_covariance(x[design$run == 2, ], dof = 9))
  expect_equal(noise_precision(residuals), noise_precision(x, run = design$run, by_run = TRUE,
                                                           dof = c(8, 9, 10, 11)))
  for (name in names(each)) {
    expect_equal(values_of(noise_precision(each)[[name]]), solve(values_of(each[[name]])))
  }
})

test_that("bad noise data are refused", {
  value <- "repalign_error_value"
  flat <- x
  colnames(flat) <- letters[1:7]
  flat[, 3] <- design$condition
  refused(noise_covariance(flat, design$condition), "repalign_error_variance", "channel \"c\"")
  refused(noise_covariance(x[1:6, ], 1:6), value, "`dof`.*0 degrees of freedom")
  refused(noise_covariance(x, dof = 0.5), value, "`dof`")
  refused(noise_covariance(x, dof = c(3, 4)), value, "`dof` must be one finite number")
  refused(noise_covariance(x, by_run = TRUE), "repalign_error_missing", "`run` is missing")
  refused(noise_covariance(x[design$repeats == 1, ], design$condition[design$repeats == 1],
                           design$run[design$repeats == 1], by_run = TRUE), value, "^Run \"1\"")
  refused(noise_covariance(replace(x, 50, Inf)), "repalign_error_nonfinite", "row 2, column 2")
  refused(noise_covariance(1e200 * x), value, "rescale")
  refused(noise_covariance(x, method = "none"), "repalign_error_choice", "method")
  refused(noise_precision(x[1:5, ], method = "full"), value, "shrinkage")
  refused(noise_precision(cbind(x, x[, 1] + x[, 2]), method = "full"), value, "shrinkage")
  refused(noise_precision(noise_precision(x)), "repalign_error_type", "precision already")
})

test_that("channels in very different units have a precision", {
  units <- 10^(-8 * (seq_len(ncol(x)) %% 2))
  for (method in c("shrinkage_diag", "diag", "full")) {
    plain <- noise_precision(x, method = method)
    scaled <- noise_precision(x %*% diag(units), method = method)
    expect_equal(values_of(scaled) * outer(units, units), values_of(plain))
  }
})

test_that("a covariance is not taken for data", {
  s <- noise_covariance(x)
  for (wrong in list(s[1:4, 1:4], unclass(s), cov(x), as.matrix(dist(x)))) {
    refused(noise_precision(wrong), "repalign_error_type", "solve\\(\\)")
    refused(noise_covariance(wrong), "repalign_error_type", "symmetric")
  }
  expect_equal(solve(s), unclass(noise_precision(s)), ignore_attr = TRUE)
})

test_that("a list of subjects has a covariance for each, and rdm() takes their precisions", {
  set.seed(5)
  subjects <- list(a = matrix(rnorm(24 * 5), 24), b = matrix(rnorm(24 * 5), 24))
  condition <- rep(1:6, 4)
  run <- rep(1:4, each = 6)
  both <- noise_covariance(subjects, condition, run)
  expect_identical(both$b, noise_covariance(subjects$b, condition, run))
  precisions <- noise_precision(subjects, condition, run)
  expect_identical(precisions, noise_precision(both))
  expect_identical(precisions$a, noise_precision(both$a))
  expect_identical(rdm(subjects, condition, run, noise = precisions)$b,
                   rdm(subjects$b, condition, run, noise = precisions$b))
  by_run <- noise_precision(subjects, run = run, by_run = TRUE)
  expect_identical(by_run$a[["2"]], noise_precision(subjects$a, run = run, by_run = TRUE)[["2"]])
  expect_error(rdm(subjects, condition, run, noise = unname(precisions)), "precisions without",
               class = "repalign_error_labels")
  subjects$b[, 3] <- 1
  expect_error(noise_precision(subjects, condition), "x[$]b: .*first channel 3",
               class = "repalign_error_variance")
  expect_error(noise_precision(cbind(k = rnorm(24), 0), condition), "first channel 2",
               class = "repalign_error_variance")
})

test_that("a table of subjects has a covariance for each, as rdm() has an RDM", {
  set.seed(6)
  table <- expand.grid(image = c("a", "b", "c"), run = 1:4, subject = c("s2", "s1"))
  table <- cbind(table, matrix(rnorm(24 * 3), 24, dimnames = list(NULL, c("u", "v", "w"))))
  of_first <- table[table$subject == "s1", c("image", "run", "u", "v", "w")]
  precisions <- noise_precision(table, "image", "run", subject = "subject")
  expect_identical(precisions$s1, noise_precision(of_first, "image", "run"))
  expect_identical(rdm(table, "image", "run", noise = precisions, subject = "subject")$s1,
                   rdm(of_first, "image", "run", noise = precisions$s1))
  expect_error(noise_precision(table, "image", "run"), "\"subject\". Give .*`subject`",
               class = "repalign_error_type")
  table$subject <- as.integer(table$subject)
  expect_error(noise_precision(table, "image", "run"), "subject = \"subject\"",
               class = "repalign_error_identifier")
})

test_that("the precision of a covariance takes nothing else", {
  set.seed(8)
  made <- noise_covariance(matrix(rnorm(60), 20))
  expect_refused(noise_precision(made, subject = rep(1:2, 10)), "no further arguments")
  expect_refused(noise_precision(run = rep(1:2, 10), x = list(a = made)), "no further arguments")
  expect_identical(noise_precision(x = made), noise_precision(made))
})

test_that("an array with one pattern per condition and run has no covariance of each run", {
  set.seed(9)
  x <- array(rnorm(16 * 5 * 4), c(16, 5, 4))
  for (run in list(NULL, 1:4)) {
    expect_refused(noise_covariance(x, run = run, by_run = TRUE),
                   "one pattern of each condition.*leave out `by_run`.*single trials")
  }
  expect_named(noise_covariance(x, run = c(1, 1, 2, 2), by_run = TRUE), c("1", "2"))
})
