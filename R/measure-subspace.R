# Measures that compare the spaces which the columns span, beyond canonical correlation.

#' Linear regression score
#'
#' The share of the variance of the first argument that a linear regression on the second
#' one explains.
#'
#' @inheritParams cka
#' @return One number in \[0, 1\]: R squared of predicting `x` from `y`; 1 when the centred
#'   columns of `x` are linear combinations of those of `y`. Not symmetric.
#' @details
#' With an orthonormal basis Qy of the centred columns of `y`, the value is the squared
#' Frobenius norm of Qy'x over that of the centred `x`.
#'
#' It is invariant to rotation, scaling, translation and column permutation of either
#' side, and to any invertible linear change of `y`, the predictor. It is sensitive to
#' the directions of `x` with large variance; directions of `y` count whatever their
#' variance.
#'
#' When not to trust it: it is fitted and evaluated on the same stimuli. For unrelated
#' data it is about rank y / (n - 1), and 1 whatever the data when the rank of `y` is
#' n - 1 (as many neurons as stimuli): a warning of class `repalign_trivial` says so.
#' Other code differs in which side predicts which.
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
  score = function(inner, fx, fy, args) pmin(inner, 1)
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
#' How much of the spaces spanned by the columns, which are not centred, is common.
#'
#' @inheritParams cka
#' @return One number in \[0, 1\]. It is 1 when both sides have the same number of columns,
#'   all of them independent, and span the same space.
#' @details
#' With \eqn{U_x} and \eqn{U_y} the left singular vectors of `x` and `y` (as many as the
#' rank), the value is the squared Frobenius norm of \eqn{U_x^T U_y} over the larger number of
#' COLUMNS. With dependent columns, or more columns than stimuli, a representation therefore
#' scores rank / columns with itself.
#'
#' It is invariant to every invertible linear change of the columns of either side, not to
#' translation: means are part of the spaces. It is blind to how much variance a direction
#' has.
#'
#' When not to trust it: for unrelated data it is about the smaller number of columns over
#' n, and when the columns of one side span everything (rank n) it depends on sizes only:
#' a warning of class `repalign_trivial` says so.
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
                   "the overlap is a ratio of sizes", most = pair$x$n)
  cosines <- pair_cosines(pair, centered = FALSE)
  min(.Call(C_dot, cosines, cosines) / max(ncol(pair$x$data), ncol(pair$y$data)), 1)
}

overlap_null <- list(
  kind = "pair", centered = FALSE,
  form = function(rep, args, side) {
    c(projector(form_basis(rep, FALSE)$q), list(width = ncol(rep$data)))
  },
  score = function(inner, fx, fy, args) pmin(inner / max(fx$width, fy$width), 1)
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
#' How differently ridge regressions on the two representations can predict, at worst over
#' what there is to predict.
#'
#' @inheritParams cka
#' @param lambda strength of the ridge penalty, relative to a total variance of 1; at 0 it
#'   is ordinary regression.
#' @return One number, 0 or more; 0 for equal spaces (with `lambda = 0`) or for equal
#'   kernels up to scale. A metric on representations up to what it is invariant to.
#' @details
#' For centred data of total variance 1 with covariances S and S', cross-covariance C and
#' \eqn{S^{-\lambda} = (S + \lambda I)^{-1}}, the squared distance is
#' \eqn{tr(S^{-\lambda} S S^{-\lambda} S) + tr(S'^{-\lambda} S' S'^{-\lambda} S') -
#' 2 tr(S^{-\lambda} C S'^{-\lambda} C^T)}. That is the squared Frobenius distance of the
#' two matrices of fitted values of ridge regression (hat matrices), and is computed as such:
#' without cancellation when the two are nearly equal. At `lambda = 0` the inverse is the
#' pseudo-inverse, and the value is at most the root of rank x + rank y.
#'
#' At `lambda = 0` it is invariant to every invertible linear change of the neurons of
#' either side and to translation, and blind to variance, as [cca()]; with `lambda` above
#' 0 only to rotation, scaling, translation and column permutation, and directions with a
#' share of the variance below `lambda` count less.
#'
#' When not to trust it: at `lambda = 0` with stimuli not many times the neurons. When
#' one side has rank n - 1 the value depends on ranks only: a warning of class
#' `repalign_trivial` says so. Values grow with the number of neurons, so they compare only
#' among pairs of similar size. The published code gives the square; here the root is
#' taken, as in the paper.
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
    abort("`lambda` is relative to the total variance: from 0 to 1e6.",
          class = "repalign_error_value", arg = "lambda")
  }
  args
}

compare_gulp <- function(pair, args) {
  if (args$lambda == 0) {
    warn_whole_space(pair, basis_rank(pair$x), basis_rank(pair$y), "gulp depends on ranks only")
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
