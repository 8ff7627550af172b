# These measures compare the spaces that the columns span; those of canonical correlation are in
# measure-cca.R.

#' @include form.R measure.R
NULL

#' Linear regression score
#'
#' The share of the variance of `x` that a linear regression on `y` explains.
#'
#' @param x,y see [cka()].
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number in \[0, 1\]: R squared of predicting `x` from `y`, over all columns. It is not
#'   symmetric.
#' @details
#' Rotation, scaling and translation of either side leave the score as it is, and so does any
#' invertible linear change of `y`, the predictor. Directions of `x` count in proportion to their
#' variance, those of `y` equally.
#'
#' When not to trust it: the regression is fitted and evaluated on the same stimuli ([encode()]
#' takes others). Unrelated data score about rank y / (n - 1), and if `y` has rank n - 1 any data
#' score 1, with a warning of class `repalign_trivial`.
#' @references Kornblith et al. (2019), ICML.
#' @examples
#' set.seed(1)
#' y <- matrix(rnorm(600), 100)
#' x <- y[, 1:2] + matrix(rnorm(200), 100)
#' linear_regression(x, y)
#' linear_regression(y, x)
#' @export
linear_regression <- function(x, y, na = c("error", "stimuli", "neurons"), ...) {
  one_score("linear_regression", x, y, list(), na)
}

projector <- function(q) matrix_operand(tcrossprod(q))

# q'q, which has the eigenvalues of the projector q q', but for zeros.
projector_cube <- function(form, repr, args, side) core_cube(diag(ncol(form$q)), repr$n)

share_score <- function(statistic, x, y, args) pmin(pmax(statistic, 0), 1)

declare_measure(
  id = "linear_regression", label = "Linear regression", family = "alignment", resi = "LinReg",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = FALSE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Kornblith et al. 2019", form = c(x = "scaling", y = "basis"),
  # x is predicted from y: the regression needs the column means and the sum of squares of x, and an
  # orthonormal basis of the columns of y
  prepare = function(repr, args, side) {
    if (side == "y") return(form_basis(repr))
    center <- form_centering(repr)
    # the sum of squares after centring, in its scaled units
    squares <- remember_summary(repr, "centered squares", list(), {
      list(squares = .Call(C_centered_squares, repr$data, center$means, center$scale))
    })$squares
    extend_form(center, squares = squares)
  },
  statistic = function(pair, x, y, args) {
    .Call(C_linear_cross, y$q, numeric(ncol(y$q)), 1, pair$x$data, x$means, x$scale, NULL) /
      x$squares
  },
  score = share_score,
  inspect = function(score, pair, x, y, args) {
    warn_if(basis_rank(pair$y) >= pair$y$n - 1, "trivial", "`{pair$y$arg}` has rank ",
            "{pair$y$n - 1} over {pair$y$n} stimuli: it predicts anything without error, and the ",
            "value is 1 whatever `{pair$x$arg}` holds. Use more stimuli than neurons, or fewer ",
            "principal components of `{pair$y$arg}`.", data = pair$y$arg)
  },
  # the statistic is the inner product of two matrices: of x x' divided by the sum of squares of x,
  # and of the projector onto the columns of y
  null = function(args) {
    scaled <- function(form, repr) scaled_data(repr, TRUE) / sqrt(form$squares)
    new_null("inner", operand = function(form, repr, args, side) {
      if (side == "y") projector(form$q) else matrix_operand(tcrossprod(scaled(form, repr)))
    }, factor = function(form, repr, args, side) if (side == "y") form$q else scaled(form, repr),
    centered = TRUE, cube = function(form, repr, args, side) {
      if (side == "y") return(projector_cube(form, repr, args, side))
      if (ncol(repr$data) < repr$n) core_cube(crossprod(scaled(form, repr)), repr$n)
    })
  }
)

#' Eigenspace overlap score
#'
#' How much the spaces spanned by the columns of two representations have in common. The
#' columns are not centred.
#'
#' @param x,y see [cka()].
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number in \[0, 1\]; 1 when the columns of both sides are equally many, independent,
#'   and span the same space.
#' @details
#' The score is the sum of the squared cosines of the principal angles of both spaces, over the
#' larger number of columns.
#'
#' Any invertible linear change of the columns of either side leaves the score as it is; translation
#' does not. How much variance a direction has does not count.
#'
#' When not to trust it: of unrelated data with n stimuli the score is about the smaller number of
#' columns over n. If the columns of one side span all possible directions (rank n), the score
#' depends only on the numbers of stimuli and columns, with a warning of class `repalign_trivial`.
#' @references May et al. (2019), NeurIPS 32.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 100)
#' eigenspace_overlap(x, x %*% matrix(rnorm(36), 6))
#' eigenspace_overlap(x, matrix(rnorm(600), 100))
#' @export
eigenspace_overlap <- function(x, y, na = c("error", "stimuli", "neurons"), ...) {
  one_score("eigenspace_overlap", x, y, list(), na)
}

declare_measure(
  id = "eigenspace_overlap", label = "Eigenspace overlap score", family = "subspace", resi = "EOS",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation", "invertible linear"),
  reference = "May et al. 2019", form = "basis",
  # the overlap compares the spaces of the columns without centring, and divides by the larger
  # number of columns
  prepare = function(repr, args, side) {
    extend_form(form_basis(repr, centered = FALSE), width = ncol(repr$data))
  },
  statistic = function(pair, x, y, args) {
    cosines <- pair_cosines(pair, centered = FALSE)
    .Call(C_dot, cosines, cosines)
  },
  score = function(statistic, x, y, args) {
    share_score(statistic / max(x$width, y$width), x, y, args)
  },
  inspect = function(score, pair, x, y, args) {
    warn_whole_space(pair, ncol(x$q), ncol(y$q),
                     "the overlap depends only on the numbers of stimuli and columns",
                     most = pair$x$n)
  },
  null = function(args) {
    new_null("inner", operand = function(form, repr, args, side) projector(form$q),
             factor = function(form, repr, args, side) form$q, centered = FALSE)
  },
  needs_data = FALSE
)

#' GULP distance
#'
#' How differently ridge regressions on two representations can predict: a bound on the root mean
#' square difference between both predictions, for any target of variance 1.
#'
#' @param x,y see [cka()].
#' @param na see [similarity()].
#' @param lambda ridge penalty, relative to a total variance of 1.
#' @param ... not used.
#' @return One number, at least 0; 0 when the two sides span the same space (with `lambda = 0`), or
#'   have equal kernels up to scale. It is a metric.
#' @details
#' At `lambda = 0` the score is at most `sqrt(rank(x) + rank(y))`. The published code returns the
#' square.
#'
#' Rotation, scaling and translation of either side leave the score as it is; at `lambda = 0` so
#' does any invertible linear change of neurons, and variance does not count, as in [cca()].
#' Otherwise directions whose share of the variance is below `lambda` count less.
#'
#' When not to trust it: at `lambda = 0`, when there are not many more stimuli than neurons: the
#' score of unrelated data grows with the number of neurons, and with rank n - 1 on one side it
#' depends on the ranks alone (a warning of class `repalign_trivial`).
#' @references \enc{Boix-Adserà}{Boix-Adsera} et al. (2022), NeurIPS 35.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 100)
#' gulp(x, matrix(rnorm(600), 100))
#' gulp(x, matrix(rnorm(600), 100), lambda = 0.1)
#' @seealso [linear_regression()]
#' @export
gulp <- function(x, y, lambda = 0, na = c("error", "stimuli", "neurons"), ...) {
  one_score("gulp", x, y, list(lambda = lambda), na)
}

declare_form("hat", relabel = unmoved, size = function(n, d, args) as.double(min(n, d))^2)

# The same squared distance as a sum of squares, in which nothing cancels: the basis of y is split
# into the part inside the space of x and the rest, which is small when the spaces are close.
close_hats <- function(pair, hat_x, hat_y, cosines) {
  rest <- form_basis(pair$y)$q - form_basis(pair$x)$q %*% cosines
  if (is.null(hat_x)) hat_x <- diag(nrow(cosines))
  if (is.null(hat_y)) hat_y <- diag(ncol(cosines))
  weighted <- hat_y %*% crossprod(rest)
  inside <- hat_x - cosines %*% hat_y %*% t(cosines)
  across <- (weighted %*% hat_y) * crossprod(cosines)
  sum(inside^2) + 2 * max(sum(across), 0) + max(sum(weighted * t(weighted)), 0)
}

declare_measure(
  id = "gulp", label = "GULP distance", family = "subspace", resi = "GULP", direction = "distance",
  range = c(0, Inf), best = 0, symmetric = TRUE, metric = TRUE, pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation", "invertible linear"),
  reference = "Boix-Adsera et al. 2022",
  check = function(args) {
    args$lambda <- check_number(args$lambda, "lambda")
    refuse_if(args$lambda < 0 || args$lambda > 1e6, "value", "`lambda` must be from 0 to 1e6: it ",
              "is relative to a total variance of 1.")
    args
  },
  form = "hat", keeps = function(args) c("basis", if (args$lambda > 0) "components"),
  # The hat matrix of a ridge regression is q hat q' with an orthonormal basis q of the columns:
  # this form holds the small matrix `hat` and the sum of its squares. lambda is relative to the
  # total variance; at 0 every direction counts fully, and no hat stands for the identity. The form
  # of one comparison holds the triangle of the basis instead, where that says enough.
  prepare = function(repr, args, side) remember_form(repr, "hat", list(args$lambda), {
    if (args$lambda == 0) {
      # The triangle of the basis alone, with the data q triangle: it says all of q that one
      # comparison needs, in half of the time. NULL where columns are dependent, or not far enough
      # from it for that.
      triangle <- if (isTRUE(repr$cache$compared_once) && ncol(repr$data) < repr$n) {
        unit <- form_centering(repr)
        .Call(C_gram_triangle, repr$data, unit$means, unit$scale)
      }
      list(squares = if (is.null(triangle)) basis_rank(repr) else ncol(repr$data),
           triangle = triangle)
    } else {
      parts <- form_components(repr)
      shares <- parts$s^2 / sum(parts$s^2)
      kept <- shares / (shares + args$lambda)
      rotation <- if (is.null(parts$rotation)) diag(length(kept)) else parts$rotation
      list(hat = tcrossprod(sweep(rotation, 2, sqrt(kept), "*")), squares = sum(kept^2))
    }
  }),
  # the squared Frobenius distance of the two hat matrices
  statistic = function(pair, x, y, args) {
    total <- x$squares + y$squares
    # the inner product of the two hat matrices
    product <- if (!is.null(x$triangle) && !is.null(y$triangle)) {
      unit_x <- form_centering(pair$x)
      unit_y <- form_centering(pair$y)
      .Call(C_triangle_overlap, pair$x$data, unit_x$means, unit_x$scale, x$triangle,
            pair$y$data, unit_y$means, unit_y$scale, y$triangle)
    } else {
      cosines <- pair_cosines(pair)
      .Call(C_dot, if (args$lambda == 0) cosines else x$hat %*% cosines %*% y$hat, cosines)
    }
    square <- total - 2 * product
    # a small difference of large terms has lost digits: close_hats() computes it without cancelling
    if (square < 1e-4 * total) close_hats(pair, x$hat, y$hat, pair_cosines(pair)) else square
  },
  score = function(statistic, x, y, args) sqrt(statistic),
  inspect = function(score, pair, x, y, args) {
    if (args$lambda > 0) return(invisible())
    # without a penalty the sum of the squares of a hat matrix is its rank
    warn_whole_space(pair, x$squares, y$squares, "gulp depends only on the ranks")
  },
  null = function(args) {
    new_null("inner",
             operand = function(form, repr, args, side) {
               q <- form_basis(repr)$q
               matrix_operand(if (args$lambda == 0) tcrossprod(q) else q %*% form$hat %*% t(q))
             },
             # the hat matrix is that of a ridge regression, without negative eigenvalues
             factor = function(form, repr, args, side) {
               q <- form_basis(repr)$q
               if (args$lambda == 0) return(q)
               parts <- eigen(form$hat, symmetric = TRUE)
               q %*% sweep(parts$vectors, 2, sqrt(pmax(parts$values, 0)), "*")
             },
             centered = TRUE,
             cube = function(form, repr, args, side) {
               core_cube(if (args$lambda == 0) diag(ncol(form_basis(repr)$q)) else form$hat, repr$n)
             },
             statistic = function(values, x, y, args, design) {
               pmax(x$squares + y$squares - 2 * values, 0)
             })
  },
  needs_data = FALSE
)
