# The deletions that score_interval() keeps beside its rows, and the covariances of scores that
# follow from them.

# The attribute `deletions` of a result of class "repalign_score_interval" is a list with an entry
# for each call of score_interval() that its rows come from (several after rbind()). An entry is
#
# rows           what names each of the P scores of the call (score_keys()), with their values and
#                standard errors: a row of a result finds its place by these, so that results may be
#                cut, reordered and bound; `fixed`: are the units of y all that there are?
# n, units       the numbers of stimuli, and of what is deleted of them (stimuli or clusters)
# names          of these units
# stimuli        a matrix units x P of deviations, whose products add up to the covariances over
#                stimuli; NA for scores by half-samples
# halves         the same of half-samples, resamples x P, or NULL without any
# methods        of the P scores
# clustered      were clusters deleted?
# factors        a list with an entry for each other sample, such as the neurons of one
#                representation: list(name, size, rows, deviations, interaction), where `rows` are
#                the scores that it is part of, `deviations` is size x rows, and `interaction` the
#                matrix (rows x rows) of the covariances that are subtracted because both main parts
#                contain them
# scales         a data frame with the scales of the intervals: point +- quantile * spread, mapped
#                by `back`

# What names the rows of a result.
score_keys <- function(rows) {
  columns <- intersect(c("model_x", "model_y", "x", "y", "measure", "over"), names(rows))
  do.call(paste, c(lapply(unname(as.list(rows)[columns]), as.character), sep = "\r"))
}

# The places of the rows of a result: a data frame with the columns call and row; NA for rows that
# are of no call.
deletion_places <- function(object) {
  rows <- need_columns(as.data.frame(object), c("x", "y", "measure", "score", "se", "over"),
                       "used")
  keys <- score_keys(rows)
  calls <- attr(object, "deletions")
  places <- data.frame(call = rep(NA_integer_, nrow(rows)), row = rep(NA_integer_, nrow(rows)))
  for (call in seq_along(calls)) {
    known <- calls[[call]]
    for (at in which(is.na(places$call))) {
      here <- which(known$rows$key == keys[at])
      same <- vapply(here, function(row) {
        identical(known$rows$score[row], rows$score[at]) &&
          identical(known$rows$se[row], rows$se[at])
      }, NA)
      if (any(same)) places[at, ] <- c(call, here[same][1])
    }
  }
  places
}

# The parts of the covariances of the rows of a result, all of one call: list(main, interactions,
# df, score). `main` is a list of covariance matrices, of the stimuli first; `interactions` are
# those of each of the others with the stimuli, and df the degrees of freedom of each main part.
interval_parts <- function(object, arg = "object") {
  places <- deletion_places(object)
  calls <- attr(object, "deletions")
  if (anyNA(places$call)) refuse_lost_deletions(arg)
  if (length(unique(places$call)) > 1) {
    abort("These rows come from several calls of score_interval(), which do not tell how their ",
          "scores vary together: give all representations in one call.",
          class = "repalign_error_rows", arg = arg)
  }
  parts_of_call(if (nrow(places)) calls[[places$call[1]]] else calls[[1]], places$row)
}

parts_of_call <- function(call, rows) {
  factors <- lapply(call$factors, factor_covariances, rows)
  factors <- Filter(function(factor) factor$used, factors)
  list(main = c(list(stimulus_covariances(call, rows)), lapply(factors, function(f) f$main)),
       interactions = lapply(factors, function(f) f$interaction),
       df = c(call$units - 1, vapply(factors, function(f) f$size - 1, 0)),
       clustered = call$clustered, score = call$rows$score[rows])
}

refuse_lost_deletions <- function(arg = "object") {
  abort("The deletions of some rows are no longer known: use rows of what score_interval() ",
        "returned, with their names and scores as they were.", class = "repalign_error_rows",
        arg = arg)
}

# NA between scores by deletions and scores by half-samples.
stimulus_covariances <- function(call, rows) {
  covariance <- crossprod(call$stimuli[, rows, drop = FALSE])
  if (is.null(call$halves)) return(covariance)
  of_halves <- crossprod(call$halves[, rows, drop = FALSE])
  known <- is.na(covariance) & !is.na(of_halves)
  covariance[known] <- of_halves[known]
  covariance
}

# Scores that the factor is no part of have zeros.
factor_covariances <- function(factor, rows) {
  at <- match(rows, factor$rows)
  full <- function(values) {
    values <- values[at, at, drop = FALSE]
    values[is.na(at), ] <- 0
    values[, is.na(at)] <- 0
    values
  }
  list(main = full(crossprod(factor$deviations)), interaction = full(factor$interaction),
       size = factor$size, used = any(!is.na(at)))
}

# The standard errors of contrasts (columns of `weights`, rows x contrasts) and their degrees of
# freedom. A variance is never below one of its main parts. Over stimuli alone intervals are normal;
# with other samples or clusters the degrees of freedom are those of Satterthwaite.
contrast_errors <- function(parts, weights) {
  quadratic <- function(covariance) {
    # scores without weight may have no variance
    vapply(seq_len(ncol(weights)), function(j) {
      used <- weights[, j] != 0
      w <- weights[used, j]
      sum(w * (covariance[used, used, drop = FALSE] %*% w))
    }, 0)
  }
  main <- matrix(vapply(parts$main, quadratic, numeric(ncol(weights))), ncol(weights))
  inner <- matrix(vapply(parts$interactions, quadratic, numeric(ncol(weights))), ncol(weights))
  if (isTRUE(parts$capped)) inner <- pmax(inner, 0)
  # rounding may take the variance of two copies below 0
  largest <- vapply(seq_len(nrow(main)), function(j) max(main[j, ]), 0)
  variance <- pmax(rowSums(main) - rowSums(inner), largest, 0)
  if (!is.null(parts$with_folds)) {
    variance[variance < least_share_beside_folds * quadratic(parts$with_folds)] <- NA
  }
  several <- length(parts$main) > 1
  df <- if (isTRUE(parts$capped)) rep(parts$df, ncol(weights)) else if (several) {
    # squares of variances in very large units are more than a double holds
    ifelse(variance > 0, 1 / rowSums(sweep((main / variance)^2, 2, parts$df, "/")), NA_real_)
  } else {
    rep(if (parts$clustered) parts$df else Inf, ncol(weights))
  }
  data.frame(se = sqrt(variance), df = df)
}

# The covariance matrix of the rows: eigenvalues below 0, which the subtraction of interactions may
# leave, are set to 0, and the diagonal is that of the standard errors.
total_covariance <- function(parts) {
  total <- Reduce(`+`, parts$main) - Reduce(`+`, parts$interactions, 0)
  wanted <- contrast_errors(parts, diag(nrow(total)))$se
  if (length(parts$interactions)) {
    # scores whose covariances are known are known together
    together <- apply(is.na(total), 1, function(lost) paste(which(!lost), collapse = " "))
    for (at in split(seq_along(together), together)) {
      if (!anyNA(total[at, at])) total[at, at] <- nearest_covariance(total[at, at, drop = FALSE])
    }
  }
  factor <- ifelse(diag(total) > 0, wanted / sqrt(pmax(diag(total), 0)), 1)
  total <- total * outer(factor, factor)
  diag(total) <- wanted^2
  total
}

nearest_covariance <- function(total) {
  parts <- eigen(total, symmetric = TRUE)
  if (all(parts$values >= 0)) return(total)
  parts$vectors %*% (pmax(parts$values, 0) * t(parts$vectors))
}

# Limits at a level, from the scale that a row has its interval on.
limits_of <- function(scales, df, level) {
  half <- stats::qt(0.5 + level / 2, df) * scales$spread
  limits <- cbind(map_back(scales$point - half, scales$back),
                  map_back(scales$point + half, scales$back))
  cbind(low = pmin(limits[, 1], limits[, 2]), high = pmax(limits[, 1], limits[, 2]))
}

# "z": Fisher's z of the score; "angle" and "chord": of the cosine that the distance is made of.
map_back <- function(point, back) {
  value <- point
  for (kind in setdiff(unique(back), "plain")) {
    at <- which(back == kind)
    c <- if (grepl("plain", kind)) point[at] else tanh(point[at])
    value[at] <- switch(sub(" plain", "", kind), z = c, angle = new_angle()$score(c),
                        chord = new_chord()$score(c))
  }
  value
}
