# Measures that compare the spaces which the columns span, beyond canonical correlation.

#' Linear regression score
#'
#' The share of the variance of `x` that a linear regression on `y` explains.
#'
#' @inheritParams cka
#' @return One number in \[0, 1\]: R squared of predicting `x` from `y`; 1 when the centred
#'   columns of `x` are linear combinations of those of `y`. It is not symmetric.
#' @details
#' The score is \eqn{||Q_y^T x||^2 / ||x||^2}{||Qy'x||^2 / ||x||^2}, with the centred columns
#' of `x`, an orthonormal basis \eqn{Q_y}{Qy} of the centred columns of `y`, and Frobenius
#' norms.
#'
#' Rotation, scaling, translation and reordering of the neurons of either side leave the
#' score as it is, and so does any invertible linear change of `y`, the predictor. Directions
#' of `x` count in proportion to their variance; directions of `y` count equally, whatever
#' their variance.
#'
#' When not to trust it: the regression is fitted and evaluated on the same stimuli. For
#' unrelated data the score is about rank y / (n - 1). If the rank of `y` is n - 1, as with n -
#' 1 or more neurons it usually is, the score is 1 whatever the data, with a warning of class
#' `repalign_trivial`.
#'
#' Other code may predict `y` from `x` instead.
#' @references Kornblith, Norouzi, Lee and Hinton (2019), ICML.
#' @examples
#' set.seed(1)
#' y <- matrix(rnorm(600), 100)
#' x <- y[, 1:2] + matrix(rnorm(200), 100)
#' linear_regression(x, y)
#' linear_regression(y, x)
#' @seealso [cca()], [gulp()]
#' @inheritSection procrustes How long it takes
#' @export
linear_regression <- function(x, y) one_score("linear_regression", x, y, list())

compare_linear_regression <- function(pair, args) {
  warn_predictor(pair)
  q <- form_basis(pair$y)$q
  center <- form_centering(pair$x)
  explained <- .Call(C_linear_cross, q, numeric(ncol(q)), 1, pair$x$data, center$means,
                     center$scale, NULL)
  min(explained / form_centered_squares(pair$x), 1)
}

warn_predictor <- function(pair) {
  if (basis_rank(pair$y) < pair$y$n - 1) return(invisible())
  warn("`", pair$y$arg, "` has rank ", pair$y$n - 1, " over ", pair$y$n, " stimuli: it predicts ",
       "anything without error, and the value is 1 whatever `", pair$x$arg, "` holds. Use more ",
       "stimuli than neurons, or fewer principal components of `", pair$y$arg, "`.",
       class = "repalign_trivial", data = pair$y$arg)
}

# T = <x x', q q'> over the sum of squares of x.
regression_null <- list(
  kind = "pair", centered = TRUE,
  form = function(rep, args, side) {
    if (side == "y") return(projector(form_basis(rep)$q))
    squares <- form_centered_squares(rep)
    center <- form_centering(rep)
    x <- .Call(C_center, rep$data, center$means, center$scale)
    normed(tcrossprod(x / sqrt(squares)))
  },
  score = function(inner, fx, fy, args) pmin(pmax(inner, 0), 1)
)

projector <- function(q) normed(tcrossprod(q))

# In scaled units.
form_centered_squares <- function(rep) {
  remember(rep$cache, "centered squares", {
    center <- form_centering(rep)
    .Call(C_centered_squares, rep$data, center$means, center$scale)
  })
}

declare_measure(
  id = "linear_regression", label = "Linear regression", family = "alignment", resi = "LinReg",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = FALSE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  form = "pair", check = identity, compare = compare_linear_regression,
  reference = "Kornblith et al. 2019", null = regression_null
)

#' Eigenspace overlap score
#'
#' How much the spaces spanned by the columns of two representations have in common. The
#' columns are not centred.
#'
#' @inheritParams cka
#' @return One number in \[0, 1\]. It is 1 when both sides have the same number of columns,
#'   all of them linearly independent, and span the same space.
#' @details
#' Let \eqn{U_x}{Ux} and \eqn{U_y}{Uy} be the left singular vectors of `x` and `y` (as many
#' as the rank), and d and d' the numbers of columns. The score is
#' \eqn{||U_x^T U_y||^2 / \max(d, d')}{||Ux'Uy||^2 / max(d, d')}, with the Frobenius norm. If
#' columns are linearly dependent, or if there are more columns than stimuli, the score of a
#' representation with itself is therefore rank / d, below 1.
#'
#' Any invertible linear change of the columns of either side leaves the score as it is.
#' Translation does not, because the means are part of the spaces. The score ignores how much
#' variance a direction has.
#'
#' When not to trust it: for unrelated data the score is about min(d, d') / n. If the columns
#' of one side span all possible directions (rank n), the score depends only on the numbers
#' of stimuli and columns, with a warning of class `repalign_trivial`.
#' @references May, Zhang, Dao and Re (2019), NeurIPS.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 100)
#' eigenspace_overlap(x, x %*% matrix(rnorm(36), 6))
#' eigenspace_overlap(x, matrix(rnorm(600), 100))
#' @seealso [cca()], [gulp()]
#' @inheritSection procrustes How long it takes
#' @export
eigenspace_overlap <- function(x, y) one_score("eigenspace_overlap", x, y, list())

compare_eigenspace_overlap <- function(pair, args) {
  warn_whole_space(pair, basis_rank(pair$x, FALSE), basis_rank(pair$y, FALSE),
                   "the overlap depends only on the numbers of stimuli and columns",
                   most = pair$x$n)
  cosines <- pair_cosines(pair, centered = FALSE)
  min(.Call(C_dot, cosines, cosines) / max(ncol(pair$x$data), ncol(pair$y$data)), 1)
}

overlap_null <- list(
  kind = "pair", centered = FALSE,
  form = function(rep, args, side) {
    c(projector(form_basis(rep, FALSE)$q), list(width = ncol(rep$data)))
  },
  score = function(inner, fx, fy, args) {
    pmin(pmax(inner / max(fx$width, fy$width), 0), 1)
  }
)

declare_measure(
  id = "eigenspace_overlap", label = "Eigenspace overlap score", family = "subspace", resi = "EOS",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE,
  invariant = c("orthogonal", "scaling", "column permutation", "invertible linear"),
  form = "pair", check = identity, compare = compare_eigenspace_overlap,
  reference = "May et al. 2019", null = overlap_null
)

#' GULP distance
#'
#' How differently ridge regressions on two representations can predict. The score is an
#' upper bound on the root mean square difference between the two predictions, for every
#' target of variance 1.
#'
#' @inheritParams cka
#' @param lambda strength of the ridge penalty, relative to a total variance of 1. At 0 it is
#'   ordinary regression.
#' @return One number, at least 0; 0 when the two sides span the same space (with
#'   `lambda = 0`), or have equal kernels up to scale. Up to the changes that leave it as it
#'   is, the score is a metric.
#' @details
#' Take centred data of total variance 1, with covariances \eqn{S_x}{Sx} and \eqn{S_y}{Sy}
#' and cross-covariance C, and let
#' \eqn{R_x = (S_x + \lambda I)^{-1}}{Rx = (Sx + lambda I)^-1},
#' \eqn{R_y = (S_y + \lambda I)^{-1}}{Ry = (Sy + lambda I)^-1}. The squared score is
#' \eqn{tr(R_x S_x R_x S_x) + tr(R_y S_y R_y S_y) - 2 tr(R_x C R_y C^T)}{tr(Rx Sx Rx Sx) +
#' tr(Ry Sy Ry Sy) - 2 tr(Rx C Ry C')}. It equals the squared Frobenius distance between the
#' two hat matrices of ridge regression (which map targets to fitted values), and is computed
#' without cancellation when these are nearly equal. At `lambda = 0` the inverse is the
#' pseudo-inverse, and the score is at most
#' \eqn{\sqrt{rank(x) + rank(y)}}{sqrt(rank x + rank y)}.
#'
#' At `lambda = 0`, any invertible linear change of the neurons of either side and
#' translation leave the score as it is, and it ignores variance, as [cca()] does. With
#' `lambda` above 0, only rotation, scaling, translation and reordering of the neurons leave
#' it as it is, and directions whose share of the variance is below `lambda` count less.
#'
#' When not to trust it: at `lambda = 0`, when there are not many more stimuli than neurons.
#' If one side has rank n - 1, the score depends only on the ranks, with a warning of class
#' `repalign_trivial`. At `lambda = 0` the score of unrelated data grows with the number of
#' neurons, so compare only pairs of similar size.
#'
#' The published code returns the square; here the root is taken, as in the paper.
#' @references Boix-Adsera, Lawrence, Stepaniants and Rigollet (2022), NeurIPS.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 100)
#' gulp(x, x %*% matrix(rnorm(36), 6))
#' gulp(x, matrix(rnorm(600), 100))
#' gulp(x, matrix(rnorm(600), 100), lambda = 0.1)
#' @seealso [cca()], [linear_regression()]
#' @inheritSection procrustes How long it takes
#' @export
gulp <- function(x, y, lambda = 0) one_score("gulp", x, y, list(lambda = lambda))

check_gulp_args <- function(args) {
  args$lambda <- check_number(args$lambda, "lambda")
  if (args$lambda < 0 || args$lambda > 1e6) {
    abort("`lambda` must be from 0 to 1e6: it is relative to a total variance of 1.",
          class = "repalign_error_value", arg = "lambda")
  }
  args
}

compare_gulp <- function(pair, args) {
  if (args$lambda == 0) {
    warn_whole_space(pair, basis_rank(pair$x), basis_rank(pair$y), "gulp depends only on the ranks")
  }
  hat_x <- form_hat(pair$x, args$lambda)
  hat_y <- form_hat(pair$y, args$lambda)
  cosines <- pair_cosines(pair)
  total <- hat_x$squares + hat_y$squares
  fitted <- if (args$lambda == 0) cosines else hat_x$hat %*% cosines %*% hat_y$hat
  square <- total - 2 * .Call(C_dot, fitted, cosines)
  # each digit that cancels is one lost: below this share another way is better
  if (square < 1e-4 * total) square <- close_hats(pair, hat_x$hat, hat_y$hat, cosines)
  sqrt(square)
}

# The matrix of a ridge regression is q hat q': its hat and the sum of its squares. lambda
# is relative to the total variance; at 0 every direction counts fully.
form_hat <- function(rep, lambda) {
  if (lambda == 0) {
    rank <- basis_rank(rep)
    return(list(hat = diag(rank), squares = rank))
  }
  remember(rep$cache, list("hat", lambda), {
    parts <- form_components(rep)
    shares <- parts$s^2 / sum(parts$s^2)
    kept <- shares / (shares + lambda)
    rotation <- if (is.null(parts$rotation)) diag(length(kept)) else parts$rotation
    list(hat = tcrossprod(sweep(rotation, 2, sqrt(kept), "*")), squares = sum(kept^2))
  })
}

# The same square as a sum of squares: y's basis is split into what lies in the space of x
# and the rest, which is small when the two are close.
close_hats <- function(pair, hat_x, hat_y, cosines) {
  q_x <- form_basis(pair$x)$q
  rest <- form_basis(pair$y)$q - q_x %*% cosines
  weighted <- hat_y %*% crossprod(rest)
  inside <- hat_x - cosines %*% hat_y %*% t(cosines)
  across <- (weighted %*% hat_y) * crossprod(cosines)
  sum(inside^2) + 2 * max(sum(across), 0) + max(sum(weighted * t(weighted)), 0)
}

gulp_null <- list(
  kind = "pair", centered = TRUE,
  form = function(rep, args, side) {
    hat <- form_hat(rep, args$lambda)
    q <- form_basis(rep)$q
    matrix <- if (args$lambda == 0) tcrossprod(q) else q %*% hat$hat %*% t(q)
    c(normed(matrix), list(squares = hat$squares))
  },
  score = function(inner, fx, fy, args) sqrt(pmax(fx$squares + fy$squares - 2 * inner, 0))
)

declare_measure(
  id = "gulp", label = "GULP distance", family = "subspace", resi = "GULP",
  direction = "distance", range = c(0, Inf), best = 0, symmetric = TRUE, metric = TRUE,
  pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation", "invertible linear"),
  form = "pair", check = check_gulp_args, compare = compare_gulp,
  reference = "Boix-Adsera et al. 2022", null = gulp_null
)
