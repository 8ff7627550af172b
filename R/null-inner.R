# The null of inner products, and of CKA that leaves out pairs of neurons: by permutations, or by
# moments without any permutation.

#' @include null-kernels.R
NULL

# The null kernel "inner" makes inner products of symmetric n x n matrices under permutations of one
# of them, T = sum_ij A_ij B_p(i)p(j).
#
# operand()     gives list(matrix = A, norm = its Frobenius norm), see matrix_operand(), and what
#               else the score needs
# values        the T of each permutation; a larger T must mean a more similar score
# centered      do the rows of the matrices add up to 0? Then the moments of T are known, too
# correction    NULL, or a function(pair, args, design) that gives what is subtracted from T
# cube          NULL, or a function(form, repr, args, side) that gives NULL or a cheap way to the
#               trace of the cube of A, see core_cube()
# from_gram     is the matrix made of the Gram matrix of the data? See prepare_grams()

declare_null_kernel(
  "inner", cosets = TRUE, size = function(n, d) as.double(n)^2,
  run = function(task) {
    matrices <- function(side) lapply(side$forms, function(form) form$matrix)
    nulls_of_inner(task, inner_products(matrices(task$x), matrices(task$y), task$design,
                                        task$label))
  }
)

# inner: the inner products of all forms, a column for each two, those of x the fastest. adjust: how
# those of a pair follow from them and from its forms.
nulls_of_inner <- function(task, inner, adjust = function(values, forms) values) {
  columns <- task$x$at + length(task$x$forms) * (task$y$at - 1)
  lapply(seq_len(nrow(task$pairs)), function(p) {
    forms <- task_forms(task, p)
    values <- adjust(inner[, columns[p]], forms)
    if (!is.null(task$null$correction)) {
      pair <- pair_of(task$sides$x$reprs[[task$pairs$i[p]]], task$sides$y$reprs[[task$pairs$j[p]]])
      values <- values - task$null$correction(pair, task$args, task$design)
    }
    null_of_pair(values, task$score(values, forms$x, forms$y),
                 equal_share * forms$x$norm * forms$y$norm, task$observed[p], task$design$kept)
  })
}

# The null kernel "factors" makes the same inner products where stimuli are many and neurons few:
# with A = X X' and B = Y Y' they are sums of squares, |X' Y[p, ]|^2, of a product of neurons x
# neurons for each permutation, and no matrix of all pairs of stimuli is made.
#
# factor        a function(form, repr, args, side): the n x d matrix X; measures of the kernel
#               "inner" that name it may be served by this one (cheaper_null())
# u_centered    is A the U-centred X X'? Then X has centred columns
# sizes         what else the statistic needs of a side: NULL, or a function(repr) that gives a list

declare_null_kernel(
  "factors", cosets = FALSE, size = function(n, d) as.double(n) * min(n, d),
  run = function(task) {
    permutations <- with_observed(task$design)
    layers <- lapply(task[c("x", "y")], function(side) lapply(side$forms, `[[`, "factor"))
    n <- as.double(task$design$n)
    # how many permutations take about a second
    at_once <- 7e9 / (n * prod(vapply(layers, function(one) sum(lengths(one)) / n, 0)))
    inner <- in_chunks(ncol(permutations), at_once, function(columns) {
      .Call(C_permuted_products, layers$x, layers$y, permutations[, columns, drop = FALSE])
    }, task$label)
    nulls_of_inner(task, inner, function(values, forms) {
      a <- forms$x$diagonal
      b <- forms$y$diagonal
      if (is.null(a)) return(values)
      u_centered_products(values, paired_sums(a, b, task$design), sum(a) * sum(b), n)
    })
  }
)

# The inner products of U-centred X X' and Y Y', from those of X X' and Y Y' themselves, the sums of
# the products of their diagonals, and the product of their traces.
u_centered_products <- function(inner, diagonals, traces, n) {
  inner - (1 + 2 / (n - 2)) * diagonals + traces / ((n - 1) * (n - 2))
}

factor_operand <- function(null) {
  function(form, repr, args, side) {
    x <- null$factor(form, repr, args, side)
    own <- sum(crossprod(x)^2)
    diagonal <- if (isTRUE(null$u_centered)) rowSums(x^2)
    if (!is.null(diagonal)) {
      own <- u_centered_products(own, sum(diagonal^2), sum(diagonal)^2, as.double(nrow(x)))
    }
    c(list(factor = x, diagonal = diagonal, norm = sqrt(max(own, 0))),
      if (!is.null(null$sizes)) null$sizes(repr))
  }
}

# Of fewer stimuli everything takes so little time that the more permutations of cosets are worth
# more.
many_stimuli <- 2000

# The measure with the null kernel that takes less time for its permutations: products of neurons x
# neurons for every permutation, or matrices of all pairs of stimuli, of which whole cosets are
# taken at once. The times are rough ones, in nanoseconds on one core; the choice depends on sizes
# alone. Matrices beyond 8 GB are not made where factors serve.
cheaper_null <- function(measure, pairs, sides, plan, engine) {
  null <- measure$null
  coset <- !is.null(plan$fixed$coset)
  n <- as.double(sides$x$reprs[[1]]$n)
  if (coset || !is.null(plan$fixed$shifts) || engine == "coset") return(measure)
  if (made_of_factors(measure, pairs, sides)) return(with_factors(measure))
  if (n < many_stimuli || engine == "moments" || !has_factors(null, sides)) return(measure)
  x <- sides$x$reprs
  y <- sides$y$reprs
  width <- function(reprs, at) pmin(n, vapply(reprs[at], width_of, 0))
  layers <- list(x = width(x, unique(pairs$i)), y = width(y, unique(pairs$j)))
  products <- sum(width(x, pairs$i) * width(y, pairs$j))
  random <- if (is.null(plan$fixed)) plan$counts[["random"]] else plan$fixed$count
  by_factors <- random * n * (0.04 * products + 4 * sum(layers$y))
  by_matrices <- n^2 * (0.04 * sum(unlist(layers)) + if (is.null(plan$fixed) && engine == "auto") {
    ceiling((random + 1) / n) * (2 * nrow(pairs) + 14 * sum(lengths(layers)))
  } else 1.8 * random * nrow(pairs))
  if (by_factors > by_matrices) measure else with_factors(measure)
}

has_factors <- function(null, sides) {
  !is.null(null$factor) && all(vapply(c(sides$x$reprs, sides$y$reprs), function(repr) {
    repr$kind == "data" && width_of(repr) + 2 < repr$n
  }, NA))
}

# Would the matrices of all pairs of stimuli be beyond 8 GB, and are there factors?
made_of_factors <- function(measure, pairs, sides) {
  layers <- length(unique(pairs$i)) + length(unique(pairs$j))
  8 * as.double(sides$x$reprs[[1]]$n)^2 * layers > 2^33 && has_factors(measure$null, sides)
}

with_factors <- function(measure) {
  null <- measure$null
  measure$null <- c(list(kernel = "factors", operand = factor_operand(null)),
                    null[setdiff(names(null), c("kernel", "operand", "from_gram"))])
  measure
}

# Where a measure needs the Gram matrices for its null anyway (from_gram), the observed scores use
# them, too: all inner products of a grid are computed at once. An error is not reported here but
# when its pair is compared, where the message can name the pair.
prepare_grams <- function(set, sides) {
  needed <- vapply(set, function(m) isTRUE(m$null$from_gram), NA)
  reprs <- all_representations(sides)
  kinds <- vapply(reprs, function(repr) repr$kind, "")
  if (!any(needed) || any(kinds != "data")) return(invisible())
  for (repr in reprs) repr$cache$route <- "sample"
  grams <- function(side) lapply(side$reprs, function(repr) form_linear(repr)$gram)
  totals <- tryCatch(.Call(C_cross_dots, grams(sides$x), grams(sides$y), thread_count()),
                     repalign_error = function(e) NULL)
  if (is.null(totals)) return(invisible())
  for (i in seq_along(sides$x$reprs)) sides$x$reprs[[i]]$cache$grid_row <- totals[i, ]
  for (j in seq_along(sides$y$reprs)) sides$y$reprs[[j]]$cache$grid_column <- j
}

# ---- CKA

# The permutation null of CKA for each kernel and estimator stands here. Only the H value of the
# pair changes with a permutation; the self terms do not.

cka_null <- function(args) {
  if (args$corrects$trials) {
    return(new_null("trials", operand = function(form, repr, args, side) list(), fits = trials_fit))
  }
  if (isTRUE(args$own_labels)) return(NULL)
  if (goes_by_clusters(args)) return(cluster_null(args))
  if (args$kernel == "manifold") {
    # from sums over the edges that the two graphs have in common
    return(sparse_null(function(values, x, y, args, design) {
      sums <- paired_sums(x$row_sums, y$row_sums, design)
      manifold_value(values[[1]][, 1], sums, x, y, args)$value
    }))
  }
  linear <- args$kernel == "linear"
  sizes <- function(repr) {
    list(width = if (linear) as.double(ncol(repr$data)) else 1, stimuli = as.double(repr$n))
  }
  new_null("inner", operand = if (linear) function(form, repr, args, side) {
    # the form has the Gram matrix, unless another measure made it before without
    gram <- form$gram
    if (is.null(gram)) gram <- tcrossprod(scaled_data(repr, TRUE))
    if (args$corrects$stimuli) gram <- .Call(C_u_center, gram)
    c(matrix_operand(gram), sizes(repr))
  } else function(form, repr, args, side) c(matrix_operand(unpacked(form, repr$n)), sizes(repr)),
           factor = if (linear) function(form, repr, args, side) scaled_data(repr, TRUE),
           u_centered = args$corrects$stimuli, sizes = sizes,
           # the H values of all permutations, from the inner products of the centred kernels
           statistic = function(values, x, y, args, design) {
             n <- x$stimuli
             left_out <- if (!leaves_out_across(args)) 0 else if (args$shared_neurons) x$width else
               excluded_pairs(args$units_x, args$units_y)$count
             neuron_pairs <- x$width * y$width - left_out
             terms <- if (args$corrects$stimuli) n * (n - 3) else n^2
             values / (terms * neuron_pairs)
           },
           centered = TRUE, from_gram = linear,
           # the Gram matrix X X' has the eigenvalues of X'X, but for zeros
           cube = if (linear) function(form, repr, args, side) {
             if (ncol(repr$data) >= repr$n) return(NULL)
             x <- scaled_data(repr, TRUE)
             if (args$corrects$stimuli) u_centered_cube(x) else core_cube(crossprod(x), repr$n)
           },
           # what the neuron pairs that are left out would add to the inner product
           correction = if (leaves_out_across(args)) function(pair, args, design) {
             labels <- pair_labels(pair, args)
             excluded_sums(scaled_data(pair$x, TRUE), scaled_data(pair$y, TRUE),
                           excluded_pairs(labels$x, labels$y), design)
           })
}

# x, y: with centred columns; at: what excluded_pairs() gives.
excluded_sums <- function(x, y, at, design) {
  places <- neuron_pair_places(at)
  ix <- places$x
  iy <- places$y
  if (!length(ix)) return(0)
  n <- as.double(nrow(x))
  total <- 0
  # a part of the neuron pairs at a time, so that memory stays bounded
  for (part in split(seq_along(ix), ceiling(seq_along(ix) * (design$count + 1) / 2e7))) {
    phi <- x[, ix[part], drop = FALSE]
    psi <- y[, iy[part], drop = FALSE]
    sums <- song_estimate(rowSums(column_sums(phi, psi, design)^2),
                          rowSums(column_sums(phi^2, psi^2, design)),
                          sum(colSums(phi^2) * colSums(psi^2)), n, diagonal = TRUE)
    # the inner product is n (n - 3) times the estimate
    total <- total + n * (n - 3) * sums
  }
  total
}

# All neuron pairs of what excluded_pairs() gives, as list(x, y).
neuron_pair_places <- function(at) {
  blocks <- lapply(at$blocks, function(b) expand.grid(x = b$x, y = b$y))
  list(x = c(at$x, unlist(lapply(blocks, function(b) b$x))),
       y = c(at$y, unlist(lapply(blocks, function(b) b$y))))
}

# ---- moments

# These functions compute the first three moments of T(p) = sum_ij A_ij B_p(i)p(j) over all
# permutations p, for matrices whose rows add up to 0 (Kazi-Aoual et al. 1995), and take the Pearson
# type III law with these moments for the null.

# T = shift + size * t, where t is T of the normalised matrices without traces. This is the shift;
# permutation_moments() gives the moments of t.
permutation_shift <- function(a, b) a$trace * b$trace / (a$n - 1)

permutation_moments <- function(a, b) {
  diagonal <- function(m) a$n * (a$n + 1) * m$s2 - 2 * (a$n - 1)
  n <- a$n
  var <- 2 / ((n + 1) * (n - 2)) +
    diagonal(a) * diagonal(b) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
  # The expectation of t^3. The sums t3, s2, s3, u, r and b have the names of the source, which
  # marks those of the second matrix with a star. The terms of the source with the trace T are 0
  # here, and T2 is 1.
  both <- function(f) f(a, b) + f(b, a)
  squares <- n^2 * (n + 1) * (n^2 + 15 * n - 4) * a$s3 * b$s3 +
    4 * (n^4 - 8 * n^3 + 19 * n^2 - 4 * n - 16) * a$u * b$u +
    6 * (n^4 - 8 * n^3 + 21 * n^2 - 6 * n - 24) * a$b * b$b +
    12 * (n^4 - n^3 - 8 * n^2 + 36 * n - 48) * a$r * b$r +
    8 * (n^3 - 9 * n^2 + 26 * n - 22) * a$t3 * b$t3
  mixed <- 24 * (n^2 - n - 4) * both(function(p, q) p$u * q$b) +
    24 * (n^3 - 3 * n^2 - 2 * n + 8) * both(function(p, q) p$r * q$u) +
    24 * (n^3 - 2 * n^2 - 3 * n + 12) * both(function(p, q) p$r * q$b) -
    2 * n * (n - 1) * (n^2 - n + 4) * both(function(p, q) (2 * p$u + 3 * p$b) * q$s3) -
    12 * n * (n - 1)^2 * (n + 4) * both(function(p, q) p$r * q$s3) +
    16 * n * (n - 1) * (n - 2) * both(function(p, q) p$t3 * q$s3) -
    8 * (3 * n^2 - 15 * n + 16) * both(function(p, q) p$t3 * q$u) -
    8 * (3 * n^2 - 15 * n + 24) * both(function(p, q) p$t3 * q$b) -
    8 * (n - 2) * (3 * n^2 - 15 * n + 24) * both(function(p, q) p$t3 * q$r)
  third <- (squares + mixed) / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5))
  list(mean = 0, var = var, skewness = third / var^1.5)
}

# What tells that three moments do not tell the tail: numbers above these limits. bench/moments.R
# shows by simulation how the law does below them, and what lies above them.
#
# leverage  How many times the mean row the heaviest row of one matrix weighs, divided by the
#           effective number of rows of the other one. If it is large, t is not a sum of many small
#           contributions, but decided by what the heaviest row meets. Heavy entries of the diagonal
#           can meet, too: then t rises by n / sqrt(2) times their product, in standard deviations.
#           (A tenth of n times the product is as harmful as the same leverage of rows.)
# step      When both matrices are nearly v v', where v has two values, t is nearly the square of a
#           number of common members, of which there are few. The step of this number is given, in
#           standard deviations; 0 for other matrices.
# decline   A skewness below 0 means that the law ends on the upper side. Next to its end the tail
#           is small differences of large numbers.
# values    With few different values off both diagonals (stimuli in categories), t has few values.
law_limits <- c(leverage = 0.2, step = 0.35, decline = 0.75, values = 0.2)

# For v v' with a centred v of length 1, t3 is 1, `rows` is n times the kurtosis of v and u n times
# its squared skewness. Kurtosis - skewness^2 - 1 is never negative, and 0 if v has two values only.
# (For -v v', the signs of t3 and u change.)
has_two_groups <- function(sums) {
  abs(sums$t3) > 0.7 && sums$n * (sums$rows - sign(sums$t3) * sums$u) - 1 < 0.25
}

# P(T >= q) under the Pearson type III law: a shifted gamma law, mirrored for negative skewness.
pearson3_upper <- function(q, moments) {
  z <- (q - moments$mean) / sqrt(moments$var)
  g <- moments$skewness
  if (abs(g) < 1e-6) return(stats::pnorm(z, lower.tail = FALSE))
  shape <- 4 / g^2
  stats::pgamma(shape + sign(g) * z * sqrt(shape), shape, lower.tail = g < 0)
}

pearson3_quantile <- function(p, moments) {
  g <- moments$skewness
  shape <- 4 / g^2
  z <- if (abs(g) < 1e-6) stats::qnorm(p) else
    sign(g) * (stats::qgamma(p, shape, lower.tail = g > 0) - shape) / sqrt(shape)
  moments$mean + z * sqrt(moments$var)
}

# The null of a measure from its moments, in the place of null scores; see measure_null().
moments_null <- function(measure, pairs, sides, observed) {
  null <- measure$null
  usable <- !is.null(null) && null$kernel %in% c("inner", "factors") &&
    isTRUE(null$centered) && is.null(null$correction)
  refuse_if(!usable, "design", "engine = \"moments\" is for cka, angular_cka, rv, distance ",
            "correlation, linear regression, gulp, squared cca and whitened rsa (without shared ",
            "neurons), not for {quoted(measure$label)}: use engine = \"auto\".", arg = "engine")
  check_rows(sides$x$reprs[[1]]$n, 6, sides$x$reprs[[1]]$arg, "engine = \"moments\"")
  x <- operands_with_sums(null, measure, sides$x$reprs, pairs$i, "x")
  y <- operands_with_sums(null, measure, sides$y$reprs, pairs$j, "y")
  score <- null_score(null, measure, NULL)
  laws <- lapply(seq_len(nrow(pairs)), function(p) {
    moments_law(x$forms[[x$at[p]]], y$forms[[y$at[p]]], score)
  })
  list(observed = observed, laws = laws)
}

operands_with_sums <- function(null, measure, reprs, index, side) {
  found <- operands(null, measure, reprs, index, side)
  found$forms <- Map(function(form, repr) {
    cube <- if (!is.null(null$cube)) null$cube(form, repr, measure$args, side)
    extend_form(form, sums = if (is.null(form$factor)) moment_sums(form$matrix, cube) else
      factor_moment_sums(form, cube))
  }, found$forms, reprs[unique(index)])
  found
}

# x, y: forms with their operands for the null kernel "inner" and the sums of moment_sums().
moments_law <- function(x, y, score) {
  force(score)
  a <- x$sums
  b <- y$sums
  size <- max(a$norm * b$norm, .Machine$double.xmin)
  shift <- permutation_shift(a, b)
  inner <- if (is.null(x$factor)) .Call(C_dot, x$matrix, y$matrix) else {
    values <- sum(crossprod(x$factor, y$factor)^2)
    if (is.null(x$diagonal)) values else
      u_centered_products(values, sum(x$diagonal * y$diagonal), sum(x$diagonal) * sum(y$diagonal),
                          as.double(a$n))
  }
  stat <- (inner - shift) / size
  moments <- permutation_moments(a, b)
  # The values of v for groups with the shares p and 1 - p are 1 / sqrt(n p (1 - p)) apart, and
  # 1 / (p (1 - p)) is the kurtosis + 3. The sum of v_i w_p(i) has the standard deviation
  # 1 / sqrt(n - 1).
  step <- if (has_two_groups(a) && has_two_groups(b)) {
    sqrt((a$n * a$rows + 3) * (b$n * b$rows + 3) / a$n)
  } else 0
  doubts <- c(leverage = a$n * max(a$row * b$rows, a$rows * b$row, a$entry * b$entry / 10),
              step = step, decline = -moments$skewness, values = 1 / max(a$values, b$values))
  x <- without_arrays(x)
  y <- without_arrays(y)
  # least, the smallest possible p-value: the observed order is one of all n! permutations
  list(stat = stat, size = size, shift = shift, moments = moments,
       doubts = doubts, least = exp(-lgamma(a$n + 1)),
       tolerance = equal_share * a$whole * b$whole / size,
       score = function(t) score(t * size + shift, x, y))
}

is_constant_law <- function(law) !(law$moments$var > law$tolerance^2)

# The law is kept with the result, long after the call. To take little memory it keeps only the
# single numbers of the forms.
without_arrays <- function(form) {
  new_form(kind_of_form(form), Filter(function(part) is.list(part) || length(part) == 1, form))
}

# The mean and standard deviation of the null score. They are exact where the score is linear in t,
# and otherwise those of its values at many quantiles of the law.
score_moments <- function(law) {
  m <- law$moments$mean
  sd <- sqrt(law$moments$var)
  at <- law$score(c(m - sd, m, m + sd))
  linear <- abs(at[1] + at[3] - 2 * at[2]) <= 1e-9 * abs(at[3] - at[1])
  if (linear) return(list(mean = at[2], sd = abs(at[3] - at[2])))
  values <- law$score(pearson3_quantile((seq_len(4000) - 0.5) / 4000, law$moments))
  list(mean = mean(values), sd = stats::sd(values))
}

# The density of the null score under the law, for pictures, over the range that holds nearly all of
# it; NULL where the null is undefined or has one value only.
law_density <- function(law, observed) {
  if (is.na(observed) || is_constant_law(law)) return(NULL)
  ends <- pearson3_quantile(c(5e-4, 1 - 5e-4), law$moments)
  t <- seq(ends[1], ends[2], length.out = 61)
  at <- law$score(t)
  step <- diff(t[1:2]) * 1e-3
  slope <- abs(law$score(t + step) - law$score(t - step)) / (2 * step)
  sd <- sqrt(law$moments$var)
  z <- (t - law$moments$mean) / sd
  g <- law$moments$skewness
  shape <- 4 / g^2
  density <- if (abs(g) < 1e-6) stats::dnorm(z) / sd else
    stats::dgamma(shape + sign(g) * z * sqrt(shape), shape) * sqrt(shape) / sd
  density <- density / slope
  good <- is.finite(at) & is.finite(density)
  list(at = at[good], density = density[good])
}

# Refuses laws that the three moments do not determine well enough. nulls, set, names: the nulls and
# the measures of a call, and the names of its pairs.
check_laws <- function(nulls, set, names) {
  found <- unlist(Map(function(null, measure) {
    titles <- apply(cbind(names, measure = measure$label), 1, function(row) row_title(as.list(row)))
    mapply(law_complaint, null$laws, null$observed, titles)
  }, nulls, set))
  bad <- found[nzchar(found)]
  refuse_if(length(bad), "design", "engine = \"moments\" would mislead",
            if (length(found) > 1) paste(" for", length(bad), "of", length(found), "comparisons"),
            ": {enumerate(bad, 3, quote = FALSE)}. Use engine = \"auto\".", arg = "engine")
}

# What is wrong with a law, or "".
law_complaint <- function(law, observed, title) {
  if (is.na(observed) || is_constant_law(law)) return("")
  above <- names(which(law$doubts > law_limits))
  if (!length(above)) return("")
  value <- format(law$doubts[[above[1]]], digits = 3)
  limit <- format(law_limits[[above[1]]])
  why <- switch(above[1],
    leverage = paste0("single stimuli weigh too much, with a leverage of ", value, ", above "),
    step = paste0("both sides consist of two groups, and the null has few values, ", value,
                  " standard deviations apart, above "),
    decline = paste0("the null ends soon above its threshold, with a skewness of -", value,
                     ", beyond -"),
    values = paste0("both sides consist of equal stimuli in categories, and the null has few ",
                    "values, as the matrices have ", round(1 / law$doubts[["values"]]),
                    " off their diagonals; it takes at least "),
    no_branch(above[1]))
  if (above[1] == "values") limit <- format(1 / law_limits[["values"]])
  paste0(quoted(title), " (", why, limit, ")")
}

# ---- moment sums

# These functions compute the sums over one symmetric matrix of which the moments of permuted inner
# products are made.

# The sums that the moments need of one matrix. First the multiple of I - 11'/n with the same trace
# is subtracted. That changes T by the same constant for all permutations. Without it, a large trace
# would make all T nearly equal, and the moments small differences of large terms. `whole` is the
# norm before the subtraction and `norm` the one after it. The sums are in units of `norm`, and so
# are `row`, the largest share of a row in the sum of squares, `rows`, the sum of the squared
# shares, and `entry`, the largest entry of the diagonal. `cube` is NULL, or a function(trace,
# scale, squares) that gives the trace of the cube cheaply, see core_cube().
moment_sums <- function(matrix, cube = NULL) {
  n <- nrow(matrix)
  whole <- sqrt(.Call(C_dot, matrix, matrix))
  trace <- sum(diag(matrix))
  scale <- 1 / max(whole, .Machine$double.xmin)
  columns <- .Call(C_moment_sums, matrix, -trace / n, trace / (n * (n - 1)), scale, thread_count())
  if (is.null(cube)) cube <- function(trace, scale, squares) {
    .Call(C_cube_trace, matrix, -trace / n, trace / (n * (n - 1)), scale)
  }
  sums_of_columns(n, whole, trace, columns, cube, function(rows) matrix[rows, rows])
}

# The same of X X', which is made a part at a time and never stands as a whole. form: with what
# factor_operand() gives.
factor_moment_sums <- function(form, cube) {
  x <- form$factor
  n <- as.double(nrow(x))
  own <- rowSums(x^2)
  centered <- !is.null(form$diagonal)
  trace <- if (centered) 0 else sum(own)
  scale <- 1 / max(form$norm, .Machine$double.xmin)
  part <- function(at, rows = seq_len(n)) {
    m <- tcrossprod(x[rows, , drop = FALSE], x[at, , drop = FALSE])
    if (!centered) return(m)
    m + outer(own[rows], own[at], "+") / (n - 2) - sum(own) / ((n - 1) * (n - 2))
  }
  diagonal <- ((if (centered) 0 else own) - trace / n) * scale + numeric(n)
  at_once <- split(seq_len(n), ceiling(seq_len(n) / max(1, floor(2^23 / n))))
  advance <- progress_along(length(at_once))
  sums <- lapply(at_once, function(at) {
    m <- (part(at) + trace / (n * (n - 1))) * scale
    m[cbind(at, seq_along(at))] <- diagonal[at]
    squares <- m * m
    advance()
    cbind(colSums(squares), colSums(squares * m), drop(crossprod(m, diagonal)))
  })
  sums <- do.call(rbind, unname(sums))
  columns <- list(diagonal = diagonal, squares = sums[, 1], cubes = sums[, 2], dots = sums[, 3])
  sums_of_columns(n, form$norm, trace, columns, cube, function(rows) part(rows, rows))
}

# columns: what C_moment_sums gives; corner(rows): this part of the matrix.
sums_of_columns <- function(n, whole, trace, columns, cube, corner) {
  scale <- 1 / max(whole, .Machine$double.xmin)
  size <- sqrt(sum(columns$squares))
  cubes <- cube(trace, scale, columns$squares)
  unit <- if (size > 0) size else 1
  # How many different values there are off the diagonal, up to rounding: among some rows in equal
  # distances, and counted no further than about 200 of them.
  rows <- unique(round(seq(1, n, length.out = min(n, 200))))
  some <- corner(rows)
  some <- some[upper.tri(some)] / max(whole, .Machine$double.xmin)
  d <- columns$diagonal / unit
  squares <- columns$squares / unit^2
  list(whole = whole, trace = trace, norm = size * whole, n = n, t3 = cubes / unit^3, s2 = sum(d^2),
       s3 = sum(d^3), u = sum(columns$cubes) / unit^3, r = sum(d * squares),
       b = sum(d * columns$dots) / unit^2, row = max(squares),
       rows = sum(squares^2), entry = max(abs(d)), values = length(unique(round(some * n * 1e6))))
}

# The trace of the cube takes a product of the matrix with itself, unless the matrix has low rank.
# Then it is the sum of the cubes of few eigenvalues. Here `core` is a small matrix with the same
# eigenvalues but for zeros. On the space where rows add up to 0, subtracting the trace lowers every
# eigenvalue by the same number. NULL where the core is not smaller.
core_cube <- function(core, n) {
  if (nrow(core) >= n) return(NULL)
  function(trace, scale, squares) {
    mean <- trace / (n - 1)
    .Call(C_cube_trace, core, -mean, 0, scale) - (n - 1 - nrow(core)) * (mean * scale)^3
  }
}

# The same for the U-centred Gram matrix of centred data x. It is L - D, where D is diagonal and L
# has the same diagonal and the rank d + 2: L = x x' + (k 1' + 1 k') / (n - 2) - rest 1 1', with the
# squared norms k of the rows. Since L^2 has the diagonal `squares` + D^2, the trace of (L - D)^3 is
# that of L^3 less 3 sum(D squares) + sum(D^3).
u_centered_cube <- function(x) {
  n <- nrow(x)
  if (ncol(x) + 2 >= n) return(NULL)
  k <- rowSums(x^2)
  rest <- sum(k) / ((n - 1) * (n - 2))
  function(trace, scale, squares) {
    # x' k and so on: L = z s z', with z = (x, k, 1), has the eigenvalues of s z'z
    m <- crossprod(cbind(x, k, 1))
    d <- ncol(x)
    last <- m[d + 1:2, , drop = FALSE]
    m[d + 1, ] <- last[2, ] / (n - 2)
    m[d + 2, ] <- last[1, ] / (n - 2) - rest * last[2, ]
    m <- m * scale
    diagonal <- (k + 2 * k / (n - 2) - rest) * scale
    sum((m %*% m) * t(m)) - 3 * sum(diagonal * squares) - sum(diagonal^3)
  }
}
