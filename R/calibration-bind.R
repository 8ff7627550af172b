# Calibrations that are bound together must agree in their settings, and keep their null scores.

bound_calibrations <- function(kept, all_of) {
  for (part in kept) settings_of(structure(list(), settings = part$settings))
  settings <- lapply(kept, function(part) part$settings)
  check_same_settings(settings)
  list(null_scores = bound_null_scores(all_of("null_scores")), settings = settings[[1]],
       grid = bound_grid(all_of("grid")))
}

# A column of the bound table must have the same meaning in all of its rows.
check_same_settings <- function(settings) {
  meaning <- c(alpha = "`threshold` and `calibrated`", variant = "`calibrated`",
               aggregate = "`score`", p_adjust = "`p_adjusted`")
  if (length(unique(lapply(settings, function(s) s$own))) > 1) {
    abort("Calibrations with different functions in `aggregate` cannot be put into one table, ",
          "because `score` would mean different things: bind as.data.frame() of each.",
          class = "repalign_error_value", arg = "aggregate")
  }
  for (name in names(meaning)) {
    values <- unique(lapply(settings, function(s) if (is.null(s[[name]])) "none" else s[[name]]))
    if (length(values) < 2) next
    abort("Calibrations with different `", name, "` (", values[[1]], " and ", values[[2]],
          ") cannot be put into one table, because ", meaning[[name]], " would mean different ",
          "things. Use the same `", name, "`, or bind as.data.frame() of each.",
          class = "repalign_error_value", arg = name)
  }
}

bound_grid <- function(grids) {
  symmetric <- unlist(lapply(grids, function(grid) grid$symmetric))
  list(within = all(vapply(grids, function(grid) isTRUE(grid$within), NA)),
       symmetric = vapply(split_by_name(symmetric), all, NA),
       aggregate = all(vapply(grids, function(grid) isTRUE(grid$aggregate), NA)),
       direction = common_by_name(unlist(lapply(grids, function(grid) grid$direction))),
       best = common_by_name(unlist(lapply(grids, function(grid) grid$best))),
       limit = common_by_name(unlist(lapply(grids, function(grid) grid$limit))))
}
