# Calls of rdm(), noise_covariance(), noise_precision() and transform_rdm(): observations with
# labels or arrays, complete or not, with noise of all kinds.

draw_recording <- function() {
  data <- draw_observations()
  drawn <- switch(sample.int(3, 1), draw_dissimilarities(data), draw_noise_call(data),
                  draw_transform(data))
  if (is.null(drawn)) return(NULL)
  drawn$recording <- TRUE
  drawn
}

# list(x, condition, run, sizes): a matrix with labels, or an array with neither.
draw_observations <- function() {
  size <- c(count_up_to(12, 2), count_up_to(10), count_up_to(6, 2))
  counts <- chance(0.3)
  values <- array(if (counts) stats::rpois(prod(size), 2) + 0 else stats::rnorm(prod(size)), size)
  if (chance(0.2)) values <- values * 10^stats::runif(1, -100, 100)
  if (chance(0.2)) values <- values + 10^stats::runif(1, 0, 8)
  if (chance(0.1)) values[sample.int(size[1], 1), , ] <- 1
  if (chance(0.3)) {
    for (k in seq_len(sample.int(4, 1))) {
      values[sample.int(size[1], 1), , sample.int(size[3], 1)] <- NA
    }
  }
  if (chance(0.3)) dimnames(values) <- list(letters[seq_len(size[1])], NULL, NULL)
  if (chance(0.4)) return(list(x = values, counts = counts, channels = size[2], how_many = size[3]))
  at <- expand.grid(condition = seq_len(size[1]), run = seq_len(size[3]))
  at <- at[rep(seq_len(nrow(at)), sample.int(3, nrow(at), replace = TRUE)), ]
  x <- t(mapply(function(i, m) values[i, , m], at$condition, at$run))
  x <- matrix(x, nrow(at)) + stats::rnorm(length(x)) * !counts
  kept <- !is.na(x[, 1])
  if (!any(kept)) return(draw_observations())
  label <- one_of(list(identity, function(k) letters[k], factor))
  list(x = x[kept, , drop = FALSE], condition = label(at$condition[kept]), run = at$run[kept],
       counts = counts, channels = size[2], how_many = length(unique(at$run[kept])))
}

recording_labels <- function(data) given(condition = data$condition, run = data$run)

draw_dissimilarities <- function(data) {
  distance <- one_of(repalign:::distance_ids(function(one) data$counts || !one$counts), NULL)
  declared <- repalign:::distance_called(distance)
  args <- c(list(x = data$x), recording_labels(data), given(
    distance = if (distance != "crossnobis" || chance(0.5)) distance,
    noise = draw_noise(data, declared$noise),
    weights = if (chance(0.3)) one_of(c("equal", "repeats")),
    center_patterns = if (declared$centers && chance(0.3)) TRUE
  ))
  list(fun = "rdm", call = call_of("rdm", args), args = args)
}

# taken: what the declaration of the distance says of noise.
draw_noise <- function(data, taken) {
  needed <- taken == "precision"
  if (taken == "none" || !needed && chance(0.5)) return(NULL)
  definite <- function() {
    m <- matrix(stats::rnorm(2 * (data$channels + 1) * data$channels), ncol = data$channels)
    crossprod(m)
  }
  if (needed || chance(0.6)) return(definite())
  lapply(seq_len(data$how_many), function(m) definite())
}

draw_noise_call <- function(data) {
  by_run <- chance(0.2) && !is.null(data$run)
  args <- c(list(x = data$x), recording_labels(data), given(
    method = one_of(list(NULL, "shrinkage_eye", "diag", "full")),
    by_run = if (by_run) TRUE, dof = if (chance(0.2)) stats::runif(1, 1, 40)
  ))
  fun <- one_of(c("noise_covariance", "noise_precision"))
  list(fun = fun, call = call_of(fun, args), args = args, by_run = by_run)
}

draw_transform <- function(data) {
  if (anyNA(data$x)) return(NULL)
  d <- tryCatch(do.call(rdm, c(list(data$x, distance = "sqeuclidean"),
                               given(condition = data$condition))),
                repalign_error = function(e) NULL)
  if (is.null(d)) return(NULL)
  if (chance(0.5)) d[] <- d - stats::median(d)
  if (chance(0.2)) d[sample.int(length(d), 1)] <- NA
  method <- one_of(eval(formals(transform_rdm)$method))
  args <- c(list(x = d, method = method), if (method == "geotopological") {
    list(low = stats::runif(1, 0, 0.4), up = stats::runif(1, 0.6, 1))
  })
  list(fun = "transform_rdm", call = call_of("transform_rdm", args), args = args)
}

check_recording <- function(drawn, value, outcome) {
  noise <- drawn$fun %in% c("noise_covariance", "noise_precision")
  if (noise) return(check_noise_matrix(drawn, value))
  rows <- as.data.frame(value)
  of_runs <- repalign:::distance_ids(function(declared) declared$runs)
  c(problem(any(is.nan(value)), "NaN in an RDM"), check_finite_columns(rows),
    problem(!identical(class(value), c("repalign_rdm", "dist")), "not an RDM"),
    problem(drawn$fun == "rdm" && any(value < 0, na.rm = TRUE) &&
              !any(attr(value, "distance") %in% of_runs), "a negative distance"),
    if (drawn$fun == "rdm") check_undefined_warning(anyNA(value), outcome),
    check_methods(value, list(print = print, plot = plot)))
}

check_noise_matrix <- function(drawn, value) {
  matrices <- if (drawn$by_run) value else list(value)
  unlist(lapply(matrices, function(s) {
    values <- matrix(as.vector(s), nrow(s))
    c(problem(!all(is.finite(values)), "noise that is not finite"),
      problem(max(abs(values - t(values))) > 1e-12 * max(abs(values)), "noise not symmetric"),
      problem(any(diag(values) <= 0), "a variance that is not positive"),
      check_methods(s, list(print = print)))
  }))
}
