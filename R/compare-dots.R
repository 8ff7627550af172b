# Scores that are made of inner products: all cells of a grid by one product of matrices.

#' @include form.R
NULL

#' How the scores of a grid are made at once
#'
#' A measure whose statistic is an inner product of something that each side has declares it as
#' `dot`. The products of a grid are then made at once, by the BLAS or along the entries of sparse
#' kernels. A fast grid is never a second definition: what is unusual about a cell (an error, a
#' form that is undefined, neighbours whose ties were drawn, a product that is not finite) is left
#' to one_cell(), which finds the same and says it in the same words.
#'
#' For the correlation of a value of each stimulus, where unit(form) gives these with mean 0 and
#' norm 1: `new_dot(function(x, y, args) list(table = crossed(x, y, unit)))`.
#'
#' @param products function(x, y, args), where x and y are lists of forms, and y is NULL where a
#'   list is compared with itself: list(table, x, y) of the matrix of products, and the sizes of
#'   both sides, by whose roots it is divided; NULL where it is not
#' @param finish function(values, args): the scores of what that gives, NA where a cell is unusual
#' @param form function(d, repr, args, side): what products() needs of a representation, by default
#'   what the measure prepares; NULL where its cells are unusual
#' @param keeps is what the measure prepares kept on the way?
#' @param forms NULL, or a function(reprs, args) that makes many such forms with less ado than
#'   form() one by one: a list, with NULL for those that it leaves to form()
#' @return a list of the arguments.
#' @noRd
new_dot <- function(products, finish = function(values, args) values, form = prepared_for_dots,
                    keeps = TRUE, forms = NULL) {
  list(products = products, finish = finish, form = form, keeps = keeps, forms = forms)
}

prepared_for_dots <- function(d, repr, args, side) {
  form <- d$prepare(repr, args, side)
  if (!is_undefined(form)) form
}

# How many numbers of all sides are written out for the BLAS at a time.
room_for_dots <- function() {
  limit <- getOption("repalign.max_memory")
  if (is.null(limit)) 2^21 else max(2^10, min(2^21, memory_limit() / 64))
}

# The scores of all pairs by one measure, and NA for the cells that are left to one_cell(), or NULL
# if these are all. m: the number of the measure. Warnings about representations are collected in
# `run` as those of the first pair with each of them.
dot_scores <- function(measure, m, pairs, sides, run) {
  if (is.null(measure$dot) || measure$averaged) return(NULL)
  # a tile of files may have one pair of a grid
  if (nrow(pairs) < 2 && !is_filed(sides)) return(NULL)
  together <- sides$self || sides$same
  i <- unique(if (together) c(pairs$i, pairs$j) else pairs$i)
  x <- forms_for_dots(measure, sides$x$reprs, i, "x", together)
  y <- if (together) x else
    forms_for_dots(measure, sides$y$reprs, unique(pairs$j), "y", together)
  note_forms(measure, m, x$said, if (together) pairs else pairs["i"], run)
  if (!together) note_forms(measure, m, y$said, pairs["j"], run)
  if (!length(x$at) || !length(y$at)) return(NULL)
  first <- pair_of(sides$x$reprs[[x$at[1]]], sides$y$reprs[[y$at[1]]])
  check <- measure$declaration$check_pair
  told <- !is.null(check) && tryCatch({
    check(first, measure$args)
    FALSE
  }, condition = function(said) TRUE)
  if (told) return(NULL)
  found <- measure$dot$products(x$forms, if (!together) y$forms, measure$args)
  at <- cbind(match(pairs$i, x$at), match(pairs$j, y$at))
  scores <- measure$dot$finish(divided_products(found)[at], measure$args)
  scores[!is.finite(scores)] <- NA
  within_range(scores, measure$range)
}

# list(forms, at, said): the forms of the representations number `at`, without those whose cells are
# unusual, and the warnings that each gave. An error is found again by the cells. together: do the
# same representations stand on both sides? Tied neighbours that were drawn come in another order
# there.
forms_for_dots <- function(measure, reprs, at, side, together) {
  forms <- said <- vector("list", length(at))
  refused <- lapply(reprs[at], `[[`, "refused")
  usable <- lengths(refused) == 0
  usable[!usable] <- vapply(refused[!usable], function(errors) is.null(errors[[measure$label]]), NA)
  if (!is.null(measure$dot$forms) && any(usable)) {
    forms[usable] <- measure$dot$forms(reprs[at[usable]], measure$args)
  }
  left <- which(usable & lengths(forms) == 0)
  done <- 0L
  make <- function() while (done < length(left)) {
    done <<- done + 1L
    k <- left[done]
    repr <- reprs[[at[k]]]
    form <- measure$dot$form(measure$declaration, repr, measure$args, side)
    drawn <- together && !is.null(measure$neighbours) && drew_ties(repr)
    if (!drawn) forms[k] <<- list(form)
  }
  keep <- function(w) {
    k <- left[done]
    said[[k]] <<- c(said[[k]], list(w))
    invokeRestart("muffleWarning")
  }
  # handlers for each representation would take as long as a small form: after an error the loop
  # goes on with the next one
  while (done < length(left)) {
    catch_error(withCallingHandlers(make(), repalign_warning = keep), failed = function(e) NULL)
  }
  made <- lengths(forms) > 0
  list(forms = forms[made], at = at[made], said = list(at = at, warnings = said))
}

# Collects the warnings about representations. in_pairs: the pairs, in whose order warnings come, as
# columns with the numbers of the representations.
note_forms <- function(measure, m, said, in_pairs, run) {
  for (k in which(lengths(said$warnings) > 0)) {
    p <- min(vapply(in_pairs, match, 0L, x = said$at[k]), na.rm = TRUE)
    run$warnings <- c(run$warnings, lapply(said$warnings[[k]], function(w) {
      list(label = measure$label, at = c(p, m), warning = w)
    }))
  }
}

divided_products <- function(found) {
  if (is.null(found$x)) return(found$table)
  root <- function(size) sqrt(replace(size, !(size > 0), NA))
  # the product of the roots, so that a score is that of the same two the other way round
  found$table / tcrossprod(root(found$x), root(found$y))
}

# list(table, x, y) of products whose sizes are the products of each with itself, which a list that
# is compared with itself has on the diagonal, too, as single scores have.
with_sizes <- function(table, y, sizes) {
  if (is.null(y)) diag(table) <- sizes$x
  list(table = table, x = sizes$x, y = sizes$y)
}

sizes_of <- function(x, y, size) {
  list(x = vapply(x, size, 0), y = vapply(if (is.null(y)) x else y, size, 0))
}

# crossprod() of vectors that all forms have, a column each.
crossed <- function(x, y, vector) {
  columns <- function(forms) matrix(unlist(lapply(forms, vector)), ncol = length(forms))
  if (is.null(y)) crossprod(columns(x)) else crossprod(columns(x), columns(y))
}

# ---- values for pairs of stimuli

# list(table, x, y) of lists of list(values, square, center, means): what is multiplied is explained
# at packed_vector in src/grid_dots.c.
packed_table <- function(x, y) {
  n <- as.integer(stimuli_of_pairs(length(x[[1]]$values)))
  found <- .Call(C_packed_grid, x, y, n, room_for_dots(), thread_count())
  if (is.null(y)) with_sizes(found$table, y, list(x = found$x, y = found$x)) else found
}

# Of forms with entries that are centred by their means.
centered_table <- function(x, y) {
  operand <- function(form) {
    list(values = form$entries, square = FALSE, center = -form$grand, means = form$means)
  }
  off <- 2 * packed_table(lapply(x, operand), if (!is.null(y)) lapply(y, operand))$table
  if (is.null(x[[1]]$diagonal)) return(off)
  off + crossed(x, y, function(form) form$diagonal - 2 * form$means + form$grand)
}

form_size_of <- function(form) form$size

# ---- sparse kernels

# What sparse_grid() in C reads; neighbours: see there.
sparse_table <- function(x, y, operand = identity, neighbours = 0) {
  forms <- function(forms) if (!is.null(forms)) lapply(forms, operand)
  .Call(C_sparse_grid, forms(x), forms(y), as.double(neighbours))
}

# Graphs as sparse forms, whose edges count alike but for averaged ties.
graph_operand <- function(forms) {
  size <- dim(forms[[1]]$idx)
  ones <- matrix(1, size[1], size[2])
  function(form) {
    lists <- form$averaged
    if (is.null(lists)) return(list(n = size[1], idx = form$idx, weight = ones, diagonal = 0))
    c(lists[c("start", "idx", "weight")], list(n = size[1], diagonal = 0))
  }
}

norm_of_form <- function(form) form$norm$value

# ---- Gram matrices

# What gram_grid() in C reads: the Gram matrix that was prepared, or the data.
gram_source <- function(d, repr, args, side) {
  # what tiles of files made before must not matter
  known <- if (is.null(repr$source)) recall_form(repr, "linear", list("sample"))$gram
  if (!is.null(known)) return(list(gram = known, repr = repr))
  if (is_absent(repr$data) || has_holes(repr)) return(NULL)
  center <- form_centering(repr)
  list(data = repr$data, means = center$means, scale = center$scale, repr = repr)
}

# The products of Gram matrices of centred data, and their sizes; with the estimator "stimulus" of
# U-centred ones. They are the sums of squares of all cross products of neurons, which cost less
# where neurons are few and stimuli many.
linear_products <- function(x, y, args) {
  found <- if (prefer_grams(x, y)) {
    .Call(C_gram_grid, x, y, as.double(room_for_dots()))
  } else neurons_multiplied(x, y)
  if (is.null(y)) found[c("own_y", "diagonal_y")] <- found[c("own_x", "diagonal_x")]
  if (args$estimator == "naive") {
    return(with_sizes(found$products, y, list(x = found$own_x, y = found$own_y)))
  }
  n <- as.double(nrow(found$diagonal_x))
  corrected <- function(dot, rows, totals) song_estimate(dot, rows, totals, n, diagonal = TRUE)
  own <- function(own, diagonal) {
    value <- corrected(own, colSums(diagonal^2), colSums(diagonal)^2)
    replace(value, !(value > rounding_share * own / n^2), NA)
  }
  table <- corrected(found$products, crossprod(found$diagonal_x, found$diagonal_y),
                     tcrossprod(colSums(found$diagonal_x), colSums(found$diagonal_y)))
  with_sizes(table, y, list(x = own(found$own_x, found$diagonal_x),
                            y = own(found$own_y, found$diagonal_y)))
}

# By counts of multiplications. Those of Gram matrices go over half of the n^2 entries, and making
# them takes about twice as long as their multiplications say, because few rows are made at a time.
prefer_grams <- function(x, y) {
  all <- c(x, y)
  if (any(vapply(all, function(source) !is.null(source$gram), NA))) return(TRUE)
  n <- as.double(nrow(all[[1]]$data))
  widths <- function(sources) vapply(sources, function(source) as.double(ncol(source$data)), 0)
  d <- widths(x)
  cells <- if (is.null(y)) length(d) * (length(d) + 1) / 2 else length(d) * length(y)
  pairs <- if (is.null(y)) (sum(d)^2 + sum(d^2)) / 2 else sum(d) * sum(widths(y))
  n^2 * (sum(widths(all)) + cells / 2) <= n * (pairs + sum(widths(all)^2) / 2)
}

# No form has a Gram matrix here, which would be kept.
neurons_multiplied <- function(x, y) {
  forms <- function(sources) lapply(sources, function(source) form_of_neurons(source$repr))
  total <- function(a, b, fa, fb) cross_total(list(x = a$repr, y = b$repr), fa, fb)
  fx <- forms(x)
  fy <- if (is.null(y)) fx else forms(y)
  own <- function(forms) vapply(forms, function(form) form$total, 0)
  products <- matrix(0, length(fx), length(fy))
  for (i in seq_along(fx)) {
    for (j in seq_along(fy)) {
      products[i, j] <- if (!is.null(y)) total(x[[i]], y[[j]], fx[[i]], fy[[j]])
        else if (i == j) fx[[i]]$total else if (i > j) products[j, i]
        else total(x[[i]], x[[j]], fx[[i]], fx[[j]])
    }
  }
  diagonals <- function(forms) vapply(forms, function(form) form$k, numeric(length(forms[[1]]$k)))
  list(products = products, own_x = own(fx), own_y = own(fy), diagonal_x = diagonals(fx),
       diagonal_y = diagonals(fy))
}
