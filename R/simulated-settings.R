# The settings of simulated models and networks: one number each, or one number for all.

# Checks numbers and brings them to one length. given: a named list of the arguments; checks: a
# function(value, arg) for each of them; each: what a setting belongs to, as in "one value per
# model". Returns list(names, values): the names that an argument has, or NULL, and the numbers.
each_setting <- function(given, checks, each) {
  for (arg in names(given)) {
    if (!is.numeric(given[[arg]]) || !length(given[[arg]])) {
      abort("`", arg, "` must hold numbers, one per ", each, " or one for all ", each, "s.",
            class = "repalign_error_type", arg = arg)
    }
  }
  # single values are checked before their number: a wrong value is not one for another model
  for (arg in names(given)) given[[arg]] <- vapply(given[[arg]], checks[[arg]], 0, arg = arg)
  count <- max(lengths(given))
  wrong <- names(given)[!lengths(given) %in% c(1, count)]
  if (length(wrong)) {
    abort(enumerate(paste0("`", names(given), "`"), quote = FALSE), " have ",
          enumerate(lengths(given), quote = FALSE), " values: give each of them one value per ",
          each, ", or one value for all ", each, "s.", class = "repalign_error_size",
          arg = wrong[1])
  }
  full <- given[lengths(given) == count]
  source <- names(Filter(Negate(is.null), lapply(full, names)))[1]
  names <- if (!is.na(source)) names(given[[source]])
  check_setting_names(names, source, each)
  list(names = names, values = lapply(stats::setNames(nm = names(given)), function(arg) {
    rep_len(unname(in_setting_order(given[[arg]], names, arg, source, each)), count)
  }))
}

check_setting_names <- function(names, arg, each) {
  if (anyNA(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    abort("`", arg, "` must have a different name for every ", each, ", or no names at all.",
          class = "repalign_error_value", arg = arg)
  }
}

in_setting_order <- function(values, names, arg, source, each) {
  if (is.null(names(values))) return(values)
  if (is.na(source)) {
    abort("`", arg, "` has a name, but it is one value for all ", each, "s: name the values of ",
          "which there is one per ", each, ".", class = "repalign_error_value", arg = arg)
  }
  if (!setequal(names(values), names)) {
    abort("`", arg, "` names other ", each, "s (", enumerate(names(values)), ") than `", source,
          "` (", enumerate(names), ").", class = "repalign_error_value", arg = arg)
  }
  values[names]
}
