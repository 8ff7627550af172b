# The first three moments of T(p) = sum_ij A_ij B_p(i)p(j) over all permutations, for matrices
# whose rows add up to 0 (Kazi-Aoual et al. 1995), and a Pearson type III law with them.

# What the moments need of one matrix, in units of its Frobenius norm (the terms cancel).
moment_sums <- function(matrix) {
  norm <- sqrt(sum(matrix^2))
  w <- matrix / norm
  d <- diag(w)
  square <- crossprod(w)
  list(norm = norm, n = nrow(w), t1 = sum(d), t2 = 1, t3 = sum(square * w), s2 = sum(d^2),
       s3 = sum(d^3), u = sum(w^3), r = sum(d * diag(square)), b = sum(d * (w %*% d)))
}

# list(mean, var, skewness) of T / (norm norm).
permutation_moments <- function(a, b) {
  n <- a$n
  mean <- a$t1 * b$t1 / (n - 1)
  var <- permutation_variance(a, b, n)
  third <- permutation_third(a, b, n)
  list(mean = mean, var = var, skewness = (third - 3 * mean * var - mean^3) / var^1.5)
}

permutation_variance <- function(a, b, n) {
  first <- function(m) (n - 1) * m$t2 - m$t1^2
  second <- function(m) n * (n + 1) * m$s2 - (n - 1) * (m$t1^2 + 2 * m$t2)
  2 * first(a) * first(b) / ((n - 1)^2 * (n + 1) * (n - 2)) +
    second(a) * second(b) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
}

# E T^3; named as in the source: T, T2, T3, S2, S3, U, R, B of the first matrix, and of the
# second with a star.
permutation_third <- function(a, b, n) {
  # the sum of f(a, b) and f(b, a)
  both <- function(f) f(a, b) + f(b, a)
  squares <- n^2 * (n + 1) * (n^2 + 15 * n - 4) * a$s3 * b$s3 +
    4 * (n^4 - 8 * n^3 + 19 * n^2 - 4 * n - 16) * a$u * b$u +
    24 * (n^2 - n - 4) * both(function(p, q) p$u * q$b) +
    6 * (n^4 - 8 * n^3 + 21 * n^2 - 6 * n - 24) * a$b * b$b +
    12 * (n^4 - n^3 - 8 * n^2 + 36 * n - 48) * a$r * b$r +
    12 * (n^3 - 2 * n^2 + 9 * n - 12) * both(function(p, q) p$t1 * p$s2 * q$r) +
    3 * (n^4 - 4 * n^3 - 2 * n^2 + 9 * n - 12) * a$t1 * b$t1 * a$s2 * b$s2
  (squares + third_mixed(both, n) + third_traces(a, b, both, n)) /
    (n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5))
}

third_mixed <- function(both, n) {
  24 * (n^3 - 3 * n^2 - 2 * n + 8) * both(function(p, q) p$r * q$u) +
    24 * (n^3 - 2 * n^2 - 3 * n + 12) * both(function(p, q) p$r * q$b) +
    12 * (n^2 - n + 4) * both(function(p, q) p$t1 * p$s2 * q$u) +
    6 * (2 * n^3 - 7 * n^2 - 3 * n + 12) * both(function(p, q) p$t1 * p$s2 * q$b) -
    2 * n * (n - 1) * (n^2 - n + 4) * both(function(p, q) (2 * p$u + 3 * p$b) * q$s3) -
    3 * n * (n - 1)^2 * (n + 4) * both(function(p, q) (p$t1 * p$s2 + 4 * p$r) * q$s3) +
    2 * n * (n - 1) * (n - 2) *
      both(function(p, q) (p$t1^3 + 6 * p$t1 * p$t2 + 8 * p$t3) * q$s3)
}

third_traces <- function(a, b, both, n) {
  a$t1^3 * ((n^3 - 9 * n^2 + 23 * n - 14) * b$t1^3 + 6 * (n - 4) * b$t1 * b$t2 + 8 * b$t3) +
    6 * a$t1 * a$t2 * ((n - 4) * b$t1^3 + (n^3 - 9 * n^2 + 24 * n - 14) * b$t1 * b$t2 +
                         4 * (n - 3) * b$t3) +
    8 * a$t3 * (b$t1^3 + 3 * (n - 3) * b$t1 * b$t2 + (n^3 - 9 * n^2 + 26 * n - 22) * b$t3) -
    16 * both(function(p, q) p$t1^3 * q$u) -
    6 * (2 * n^2 - 10 * n + 16) * both(function(p, q) p$t1 * p$t2 * q$u) -
    8 * (3 * n^2 - 15 * n + 16) * both(function(p, q) p$t3 * q$u) -
    (6 * n^2 - 30 * n + 24) * both(function(p, q) p$t1^3 * q$b) -
    6 * (4 * n^2 - 20 * n + 24) * both(function(p, q) p$t1 * p$t2 * q$b) -
    8 * (3 * n^2 - 15 * n + 24) * both(function(p, q) p$t3 * q$b) -
    (n - 2) * third_last(both, n)
}

third_last <- function(both, n) {
  24 * both(function(p, q) p$t1^3 * q$r) +
    6 * (2 * n^2 - 10 * n + 24) * both(function(p, q) p$t1 * p$t2 * q$r) +
    8 * (3 * n^2 - 15 * n + 24) * both(function(p, q) p$t3 * q$r) +
    (3 * n^2 - 15 * n + 6) * both(function(p, q) p$t1^3 * q$t1 * q$s2) +
    6 * (n^2 - 5 * n + 6) * both(function(p, q) p$t1 * p$t2 * q$t1 * q$s2) +
    48 * both(function(p, q) p$t3 * q$t1 * q$s2)
}

# Pearson type III: a shifted gamma law, mirrored for negative skewness. upper: P(T >= q).
pearson3_upper <- function(q, moments) {
  z <- (q - moments$mean) / sqrt(moments$var)
  g <- moments$skewness
  if (abs(g) < 1e-6) return(stats::pnorm(z, lower.tail = FALSE))
  shape <- 4 / g^2
  stats::pgamma(shape + sign(g) * z * sqrt(shape), shape, lower.tail = g < 0)
}

pearson3_quantile <- function(p, moments) {
  g <- moments$skewness
  if (abs(g) < 1e-6) {
    z <- stats::qnorm(p)
  } else {
    shape <- 4 / g^2
    z <- sign(g) * (stats::qgamma(p, shape, lower.tail = g > 0) - shape) / sqrt(shape)
  }
  moments$mean + z * sqrt(moments$var)
}

# The null of a measure from its moments; see measure_null().
moments_null <- function(measure, pairs, sides, observed) {
  null <- null_of(measure)
  usable <- !is.null(null) && null$kind == "pair" && isTRUE(null$centered) &&
    is.null(null$correction)
  if (!usable) {
    abort("engine = \"moments\" is for cka, rv, distance correlation, linear regression and gulp ",
          "(without shared neurons), not for ", dQuote(measure$label, FALSE),
          ": use engine = \"auto\".", class = "repalign_error_design", arg = "engine")
  }
  check_rows(sides$x$reps[[1]]$n, 6, sides$x$reps[[1]]$arg, "engine = \"moments\"")
  form <- function(rep, side) {
    form <- null$form(rep, measure$args, side)
    c(form[names(form) != "matrix"], list(sums = moment_sums(form$matrix), matrix = form$matrix))
  }
  x <- used_forms(sides$x$reps, pairs$i, function(rep) form(rep, "x"))
  y <- used_forms(sides$y$reps, pairs$j, function(rep) form(rep, "y"))
  laws <- lapply(seq_len(nrow(pairs)), function(p) {
    moments_law(x$forms[[x$at[p]]], y$forms[[y$at[p]]], null, measure$args)
  })
  list(observed = observed, laws = laws)
}

# It outlives the forms, and so keeps what is small of them.
moments_law <- function(fx, fy, null, args) {
  force(null)
  force(args)
  size <- fx$sums$norm * fy$sums$norm
  # least: the observed order is one of all n! permutations
  law <- list(stat = sum(fx$matrix * fy$matrix) / size, least = exp(-lgamma(fx$sums$n + 1)),
              moments = permutation_moments(fx$sums, fy$sums))
  fx$matrix <- fy$matrix <- NULL
  law$score <- function(t) null$score(t * size, fx, fy, args)
  law
}

# One row's numbers; the law is that of T in units of the norms, increasing with similarity.
moments_row <- function(null, p, measure, settings) {
  law <- null$laws[[p]]
  s <- null$observed[p]
  if (is.na(s)) return(undefined_row(s, NULL))
  constant <- !(law$moments$var > equal_share^2)
  tau <- if (constant) s else law$score(pearson3_quantile(1 - settings$alpha, law$moments))
  spread <- score_moments(law, constant)
  best <- best_of(measure$declaration, measure$args)
  data.frame(
    score = s, threshold = tau,
    calibrated = calibrated_score(s, tau, spread$mean, spread$sd, best, orientation(measure),
                                  settings$variant),
    p_value = if (constant) 1 else
      max(pearson3_upper(law$stat - equal_share, law$moments), law$least),
    null_mean = spread$mean, null_sd = spread$sd, permutations = NA_integer_
  )
}

# Mean and standard deviation of the score: by its values at many quantiles of the law, which
# for scores that are linear in T is corrected to be exact.
score_moments <- function(law, constant) {
  m <- law$moments$mean
  if (constant) return(list(mean = law$score(m), sd = 0))
  sd <- sqrt(law$moments$var)
  at <- law$score(c(m - sd, m, m + sd))
  linear <- abs(at[1] + at[3] - 2 * at[2]) <= 1e-9 * abs(at[3] - at[1])
  if (linear) return(list(mean = at[2], sd = abs(at[3] - at[2])))
  values <- law$score(pearson3_quantile((seq_len(4000) - 0.5) / 4000, law$moments))
  list(mean = mean(values), sd = stats::sd(values))
}
