# stream_cka() compares representations that do not fit into memory, from chunks of their rows.

#' @include feed.R feed-sums.R feed-batches.R
NULL

#' Centered kernel alignment of representations that do not fit into memory
#'
#' The linear [cka()] of two representations whose rows come in chunks: from files, connections or
#' a function. Where the products of all pairs of neurons fit into memory, one pass gives the very
#' value of `cka()`; otherwise it is pooled over minibatches. Both with a standard error.
#'
#' @param chunks one of the following. The rows of `x` and `y` must be the same stimuli, as
#'   everywhere.
#'   * `list(x = , y = )` of two sources, each the path of a file that [read_representation()] reads
#'     (`c("layers.safetensors", "layer1")` names one of several arrays), a connection with a line
#'     of numbers for each stimulus (separated by commas, tabs or blanks), or a matrix;
#'     `c("x.npy", "y.npy")` does for two files;
#'   * a function without arguments that returns the next rows of both sides as
#'     `list(x = , y = )`, and `NULL` after the last ones;
#'   * a list of such pairs of matrices.
#' @param estimator one or more of `"naive"`, `"stimulus"` and `"stimulus_neuron"`, see [cka()].
#' @param batch number of rows (stimuli) of a minibatch. `NULL`: no minibatches, unless the products
#'   of all pairs of neurons do not fit into memory. Then a message says so, and minibatches have
#'   1000 rows, or fewer where there would be less than 30 of them.
#' @param shared_neurons,units_x,units_y which pairs of neurons `"stimulus_neuron"` leaves out, see
#'   [cka()].
#' @param shuffle for minibatches: take the rows in random order? `NULL`: yes, where files
#'   (`.npy`, `.npz`, `.safetensors`) or matrices allow it; `set.seed()` repeats the order.
#' @return A data frame with a row for each estimator: `estimator`; `cka`; `se`, its standard error;
#'   `h_xy`, `h_xx` and `h_yy`, the values H of which it is the ratio (see [hsic()]); `n`, the
#'   number of rows that were used; and `batches`, the number of minibatches, or in one pass of
#'   blocks of rows, that were left out in turn for `se`. An interval is
#'   `cka + c(-1, 1) * qt(0.975, batches - 1) * se`.
#' @details
#' *One pass* needs memory for the products of all columns, about `200 * D^2` bytes for `D` columns
#' of both sides together (200 MB for 512 + 512), and a chunk. It gathers sums of products about the
#' means of the first chunk, from which all H values follow; results differ from those of `cka()` by
#' rounding (less than 1e-10 of the value). The standard error comes from leaving out blocks of
#' successive chunks, at most 40 (a jackknife with weights for unequal sizes). Chunks of a function
#' should thus be of about equal size, and more than a few; some hundred rows or more are fast.
#'
#' *Minibatches* are disjoint; rows that do not fill a last one are left out. The values H are
#' averaged over minibatches before the ratio is taken, because a mean of ratios is biased, and each
#' minibatch is left out in turn for the standard error. Minibatches of successive rows are worth no
#' more than the order of the rows: where neighbouring rows are alike (images sorted by class), they
#' say little of how stimuli of different kinds are arranged. A warning of class
#' `repalign_dependence` points that out, as it does where minibatches differ more than chance
#' explains; give the rows in random order then, or `shuffle`. The
#' `"naive"` estimate depends on the size of the minibatches; the corrected ones do not, but for
#' chance.
#'
#' *Files*: `.npy`, `.npz`, `.safetensors`, `.h5` and tables are read chunk by chunk; `.rds` and
#' MATLAB files before version 7.3 can only be read whole.
#'
#' What was seen (`bench/stream.R`): two `.npy` files of 10^6 x 512 32-bit floats (2 GB each) took
#' 1.6 times as long as reading both and one product of them, with a peak of memory of 0.8 GB; for
#' their first 100,000 rows the three estimates differed from `cka()` by less than 1e-14. In 400
#' simulated data sets of 3000 new stimuli for 20 + 20 neurons that stay, nominal 95% intervals held
#' the true value in 94% (`"stimulus"`) and 97% (`"stimulus_neuron"`) by one pass with 20 blocks, in
#' 94% and 96% by 100 minibatches of 30, and in 93% and 96% by 30 minibatches of 100. The standard
#' deviation of the values was 0.006, 0.007 and 0.007 for `"stimulus"`, and 0.013, 0.018 and 0.015
#' for `"stimulus_neuron"`: small minibatches cost some precision.
#'
#' When not to trust it: the standard error counts blocks or minibatches of stimuli as independent
#' and holds the neurons fixed; for both, see [cka_interval()]. With stimuli that depend on each
#' other across the ends of chunks, or with less than about 10 blocks, it is too small or uncertain.
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104 (estimators).
#'   Busing, Meijer and van der Leeden (1999), Stat. Comput. 9 (jackknife of unequal blocks).
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 600, q = 30, d = 20)
#' # a function that gives the next 100 rows
#' done <- 0
#' next_chunk <- function() {
#'   if (done == 600) return(NULL)
#'   rows <- done + 1:100
#'   done <<- done + 100
#'   list(x = pop$x[rows, ], y = pop$y[rows, ])
#' }
#' stream_cka(next_chunk)
#' cka(pop$x, pop$y)
#' # two files
#' files <- tempfile(c("x", "y"), fileext = ".csv")
#' write.csv(pop$x, files[1], row.names = FALSE)
#' write.csv(pop$y, files[2], row.names = FALSE)
#' stream_cka(files, "stimulus_neuron")
#' # minibatches
#' stream_cka(list(x = pop$x, y = pop$y), "stimulus_neuron", batch = 20)
#' @seealso [cka()], [cka_interval()], [read_representation()]
#' @export
stream_cka <- function(chunks, estimator = c("naive", "stimulus", "stimulus_neuron"), batch = NULL,
                       shared_neurons = FALSE, units_x = NULL, units_y = NULL, shuffle = NULL) {
  need_arguments()
  estimator <- check_choice(estimator, estimators, "estimator", several = TRUE)
  check_flag(shared_neurons, "shared_neurons")
  check_unit_choice(shared_neurons, units_x, units_y)
  given <- list(shared_neurons = shared_neurons, units_x = units_x, units_y = units_y)
  note_unused_units(estimator, given)
  if (!is.null(batch)) batch <- check_count(batch, "batch", 4)
  if (!is.null(shuffle)) check_flag(shuffle, "shuffle")
  feed <- as_feed(chunks)
  on.exit(feed$end())
  look_ahead(feed, first_rows)
  labels <- if (corrects_neurons(estimator)) stream_labels(feed, given)
  compared <- compared_columns(feed$widths, labels, corrects_neurons(estimator))
  check_left_out(compared, estimator)
  if (is.null(batch)) batch <- batch_needed(feed)
  found <- if (is.null(batch)) streamed_sums(feed, compared, estimator, shuffle) else
    streamed_batches(feed, labels, estimator, batch, shuffle)
  rows <- lapply(estimator, stream_row, found)
  warn_undefined_deletions(rows)
  warn_no_variation(rows)
  do.call(rbind, lapply(rows, function(row) row$values))
}

# Rows of the first chunk of a feed whose length is unknown; later chunks are longer.
first_rows <- 16

# A chunk of both sides has about so many numbers, unless the rows are very long.
chunk_numbers <- 2^23

# The labels of the columns, list(x, y), or NULL.
stream_labels <- function(feed, given) {
  widths <- feed$widths
  if (given$shared_neurons) {
    if (widths[["x"]] != widths[["y"]]) {
      abort("`shared_neurons = TRUE` needs the same neurons in the same columns, but `x` has ",
            widths[["x"]], " columns and `y` has ", widths[["y"]],
            "; name the neurons in `units_x` and `units_y` instead.",
            class = "repalign_error_labels", arg = "shared_neurons")
    }
    return(list(x = seq_len(widths[["x"]]), y = seq_len(widths[["y"]])))
  }
  if (is.null(given$units_x)) return(NULL)
  list(x = check_labels(given$units_x, widths[["x"]], "units_x", "x"),
       y = check_labels(given$units_y, widths[["y"]], "units_y", "y"))
}

check_left_out <- function(compared, estimator) {
  if (!corrects_neurons(estimator)) return(invisible())
  for (which in names(compared)) {
    one <- compared[[which]]
    if (one$left_out$count < length(one$a) * as.double(length(one$b))) next
    abort("No neuron pair is allowed ", switch(which, xy = "between `x` and `y`", xx = "within `x`",
                                               yy = "within `y`"),
          ": all columns have the same label, or there is only one. Use finer labels or other ",
          "columns.", class = "repalign_error_pairs", arg = "chunks")
  }
}

# NULL where one pass fits into memory, else the number of rows of minibatches.
batch_needed <- function(feed) {
  columns <- as.double(sum(feed$widths))
  bytes <- 8 * columns^2 * (most_blocks / 2 + 5)
  if (bytes < 2^28 && is.null(getOption("repalign.max_memory"))) return(NULL)
  if (bytes <= memory_limit()) return(NULL)
  batch <- if (is.null(feed$n)) 1000 else max(4, min(1000, feed$n %/% 30))
  inform("The products of all ", columns, " columns would take about ", format_bytes(bytes),
         ", more than the ", format_bytes(memory_limit()), " allowed: values are pooled over ",
         "minibatches of ", batch, " rows.", class = "repalign_minibatches")
  batch
}

# ---- one pass

# What stream_row() needs: H values and their magnitudes, for all rows and then without each block,
# as vectors; the numbers of rows of the blocks, and the exponents of two of both sides.
streamed_sums <- function(feed, compared, estimator, shuffle) {
  if (isTRUE(shuffle)) {
    warn("`shuffle` is used only for minibatches: without them the order of the rows does not ",
         "matter.", class = "repalign_unused", data = "shuffle")
  }
  plan <- sums_plan(feed, compared)
  blocks <- gather_sums(plan, rows_giver(feed))
  total <- Reduce(add_sums, blocks)
  check_streamed(total, plan, estimator)
  left <- if (length(blocks) > 1) blocks
  h <- lapply(c(list(total), left), function(block) {
    sums <- if (identical(block, total)) total else add_sums(total, block, -1)
    h_of_sums(sums, plan, estimator)
  })
  list(h = h, sizes = vapply(blocks, rows_in, 0), n = rows_in(total),
       scale = log2(vapply(plan$unit, function(unit) unit$scale, 0)))
}

sums_plan <- function(feed, compared) {
  list(unit = lapply(feed$held, unit_of_side), compared = compared,
       single = single_pairs(compared),
       has_blocks = any(vapply(compared, function(one) length(one$left_out$blocks) > 0, NA)))
}

# A function that gives the next chunk: the user's own, pieces of equal size of a known number of
# rows, or else pieces that grow to the size `full` of a block.
rows_giver <- function(feed) {
  if (feed$own) return(function(full) next_chunk(feed))
  most <- max(256, chunk_numbers %/% sum(feed$widths))
  if (is.null(feed$n)) {
    return(function(full) next_rows(feed, min(max(full, first_rows), most)))
  }
  half <- most_blocks / 2
  pieces <- min(feed$n, half * ceiling(feed$n / (half * most)))
  ends <- floor(feed$n * seq(0, pieces) / pieces)
  at <- 0
  function(full) {
    at <<- at + 1
    if (at <= pieces) next_rows(feed, ends[at + 1] - ends[at])
  }
}

check_streamed <- function(total, plan, estimator) {
  n <- rows_in(total)
  if (!all(is.finite(total$weights))) {
    abort("`chunks` has values too large to multiply, beside those of the first chunk; rescale ",
          "the data.", class = "repalign_error_value", arg = "chunks")
  }
  check_rows(n, if (any(corrects_stimuli(estimator))) 4 else 2, "chunks", "the estimator")
  squares <- numeric(nrow(total$by_weight))
  squares[] <- total$cross[cumsum(seq_along(squares))]
  squares <- squares - total$by_weight[, 3]^2 / n
  for (side in c("x", "y")) {
    at <- plan$compared[[paste0(side, side)]]$a
    if (any(squares[at] > 0)) next
    abort("`", side, "` has no variance: every column is constant over the ", n, " stimuli.",
          class = "repalign_error_variance", arg = "chunks")
  }
}

# ---- rows of the result

# list(values, value, undefined), as interval_row() gives it.
stream_row <- function(estimator, found) {
  h <- lapply(c(xy = "xy", xx = "xx", yy = "yy"), function(which) {
    part <- function(name) vapply(found$h, function(one) one[[which]][[estimator]][[name]], 0)
    list(value = part("value"), magnitude = part("magnitude"))
  })
  theta <- suppressWarnings(h$xy$value / sqrt(h$xx$value) / sqrt(h$yy$value))
  theta[!(is_positive(h$xx) & is_positive(h$yy))] <- NA
  few <- any(found$n - found$sizes < 4)
  if (few) theta[-1] <- NA
  se <- sqrt(block_variance(theta[1], theta[-1], found$sizes))
  constant <- isTRUE(se <= tie_share * max(abs(theta[1]), 1))
  value <- function(which, side) unscale_h(h[[which]]$value[1], found$scale[side])
  list(value = theta[1], undefined = if (few) 0 else sum(is.na(theta[-1])), constant = constant,
       values = data.frame(
    estimator = estimator, cka = theta[1], se = if (constant) NA_real_ else se,
    h_xy = value("xy", c(1, 2)), h_xx = value("xx", c(1, 1)), h_yy = value("yy", c(2, 2)),
    n = found$n, batches = length(found$sizes)
  ))
}

warn_no_variation <- function(rows) {
  constant <- Filter(function(row) row$constant, rows)
  if (!length(constant)) return(invisible())
  warn("No standard error (NA) of the ",
       enumerate(vapply(constant, function(row) row$values$estimator, "")), " CKA: it does not ",
       "vary with the stimuli, as that of identical data.", class = "repalign_undefined")
}

# The jackknife over blocks of unequal size: value is of all rows, without of all but each block.
# With equal sizes it is (g - 1) / g times the sum of squared deviations of the g deletions.
block_variance <- function(value, without, sizes) {
  if (length(without) < 2) return(NA_real_)
  ratio <- sum(sizes) / sizes
  pseudo <- ratio * value - (ratio - 1) * without
  centre <- length(sizes) * value - sum((1 - 1 / ratio) * without)
  mean((pseudo - centre)^2 / (ratio - 1))
}
