# Linear shifts of a time series: the middle of x is compared with every stretch of y of the same
# length, so that no shift joins the end of a series to its beginning.

# Half of the rows are compared, and y moves by up to a quarter of them in both directions: longer
# stretches would leave too few shifts, shorter ones too few rows (bench/series.R).
furthest_shift <- function(n) floor(n / 4)

middle_rows <- function(n) seq_len(n - 2 * furthest_shift(n)) + furthest_shift(n)

# As many of the shifts as are wanted, in equal steps, as many forwards as backwards: what makes the
# test valid is that the score is a stationary series over these steps, with the observed order in
# its middle.
linear_shifts <- function(n, wanted) {
  half <- min(max(1, ceiling(wanted / 2)), furthest_shift(n))
  steps <- floor(furthest_shift(n) / half) * seq_len(half)
  c(-rev(steps), steps)
}

linear_plan <- function(n, wanted) {
  shifts <- linear_shifts(n, wanted)
  rows <- middle_rows(n)
  inform("The scores are those of the middle ", length(rows), " of ", n, " rows (", rows[1], " to ",
         rows[length(rows)], "), compared with ", length(shifts), " shifts of `y` by up to ",
         max(shifts), " rows: the smallest possible p-value is ",
         format(1 / (length(shifts) + 1), digits = 3), ".", class = "repalign_linear_shifts")
  design <- new_design("linear", length(rows), length(shifts), most = 2 * furthest_shift(n))
  fixed_plan(c(design, list(shifts = shifts)))
}

# The sides with the middle rows only. Each representation keeps the `whole` that its stretches are
# cut from.
middle_sides <- function(sides) {
  n <- sides$x$reprs[[1]]$n
  if (n < 4) {
    abort("series = \"linear\" compares half of the rows and needs at least 4, but `",
          sides$x$reprs[[1]]$arg, "` has ", n, ".", class = "repalign_error_size", arg = "series")
  }
  cut <- function(side) {
    lapply(side$reprs, function(repr) {
      c(stretch_of(repr, repr, middle_rows(n)), list(whole = repr[c("data", "responses")]))
    })
  }
  sides$x$reprs <- cut(sides$x)
  sides$y$reprs <- if (sides$self || sides$same) sides$x$reprs else cut(sides$y)
  sides
}

# The representation of some rows of `whole`, its data and its responses() object or NULL.
stretch_of <- function(repr, whole, rows) {
  kept <- seq_len(stimulus_count(whole$data)) %in% rows
  repr$data <- switch(repr$kind, data = cut_matrix(whole$data, kept),
                      dist = cut_dist(whole$data, kept), graph = refuse_stretches(repr))
  if (!is.null(whole$responses)) repr$responses <- cut_responses(whole$responses, kept)
  repr$n <- length(rows)
  repr$cache <- new_cache()
  repr
}

refuse_stretches <- function(repr) {
  abort("`", repr$arg, "` is a neighbour graph, from which series = \"linear\" cannot cut ",
        "stretches: neighbours of a stretch may lie outside. Give the responses or distances.",
        class = "repalign_error_graph", arg = repr$arg)
}

# The stretch of the same length as the middle that is `shift` rows later. Warnings and messages
# were given with the middle.
shifted_stretch <- function(repr, shift) {
  stretch <- stretch_of(repr, repr$whole, middle_rows(stimulus_count(repr$whole$data)) + shift)
  if (repr$kind == "data") stretch$data <- unname_rows(stretch$data)
  if (repr$kind == "dist") attr(stretch$data, "Labels") <- NULL
  for (name in c("said", "neighbours", "seed")) stretch$cache[[name]] <- repr$cache[[name]]
  stretch
}
