# Plans of recordings are printed, summarised and taken apart here.

#' @export
`[.repalign_plan` <- function(x, ...) {
  part <- NextMethod()
  if (!is.data.frame(part)) return(part)
  with_kept(part, sapply(c("model", "settings", "smallest"), function(name) attr(x, name),
                         simplify = FALSE))
}

# Plans from different pilots have nothing to be drawn or summarised together by.
#' @export
rbind.repalign_plan <- function(..., deparse.level = 1) {
  parts <- list(...)
  facts <- lapply(parts, function(part) attributes(part)[c("model", "settings")])
  plain <- lapply(parts, function(part) {
    if (inherits(part, "repalign_plan")) as.data.frame(part) else part
  })
  rows <- do.call(rbind, plain)
  if (length(unique(facts)) > 1) {
    inform("These plans have different pilots or settings: rbind() gives a plain data frame of ",
           "them, without the pilot.", class = "repalign_plain_rows")
    return(rows)
  }
  # the smallest designs are those of one set of numbers
  structure(rows, model = facts[[1]]$model, settings = facts[[1]]$settings,
            class = c("repalign_plan", "data.frame"))
}

#' @export
as.data.frame.repalign_plan <- function(x, ...) {
  for (name in c("model", "settings", "smallest")) attr(x, name) <- NULL
  class(x) <- "data.frame"
  x
}

# What a plan keeps beside its rows, which operations that make a new data frame may lose.
plan_facts <- function(plan) {
  facts <- attributes(plan)[c("model", "settings")]
  if (is.null(facts$model) || is.null(facts$settings)) {
    abort("This plan has lost what is known of its pilot: start again from what plan_recording() ",
          "returned, or use as.data.frame() of it.", class = "repalign_error_type", arg = "x")
  }
  facts
}

#' @rdname tidy.repalign
#' @export
print.repalign_plan <- function(x, digits = 3, n = NULL, ...) {
  check_printing(digits, n, ...)
  facts <- plan_facts(x)
  cat("Plan of a recording: ", count_of(nrow(x), "design"), "\n", sep = "")
  writeLines(strwrap(pilot_words(facts$model, digits), exdent = 2))
  writeLines(strwrap(power_words(facts$model, facts$settings, digits), exdent = 2))
  rows <- as.data.frame(x)
  unknown <- vapply(rows, function(column) length(column) > 0 && all(is.na(column)), NA)
  rows <- rows[!unknown]
  print_plan_rows(rows, digits, n)
  print_smallest(attr(x, "smallest"), facts$settings, digits)
  invisible(x)
}

pilot_words <- function(model, digits) {
  size <- model$size
  two <- is.na(model$critical)
  neurons <- paste(size[["x"]], if (!model$tied && !two) paste("and", size[["y"]]))
  paste0("pilot: ", size[["n"]], " stimuli x ", trimws(neurons), " neurons",
         if (!is.na(model$trials)) paste(" x", model$trials, "trials"),
         if (two) ", difference " else ", corrected CKA ", format(model$score, digits = digits),
         ", standard error ", format(model$se, digits = digits))
}

power_words <- function(model, settings, digits) {
  effect <- format(model$effect, digits = digits)
  level <- paste0("at level ", format(settings$alpha))
  if (is.na(model$critical)) {
    return(paste("power: to find a difference of", effect, "between the two models", level))
  }
  paste("power: of calibrate()", level, "if the CKA is", effect)
}

# `extrapolated` is printed before the shares, which may not fit the line.
print_plan_rows <- function(rows, digits, n) {
  if (is.null(n)) n <- if (nrow(rows) > 20) 10 else 20
  named <- intersect(c("stimuli", "neurons_x", "neurons_y", "trials"), names(rows))
  all <- unique(c(named, intersect(c("se", "width", "power", "extrapolated"), names(rows)),
                  names(rows)))
  head <- utils::head(rows, min(n, nrow(rows)))
  shares <- grep("^share_", names(head))
  head[shares] <- lapply(head[shares], round, 2)
  priority <- list(named = named, all = all)
  shown <- if (nrow(head)) fitting_columns(head, priority, digits) else all
  print.data.frame(head[shown], digits = digits, max = max(1, prod(dim(head))))
  print_remarks(nrow(rows) - nrow(head), setdiff(names(rows), shown), FALSE)
}

print_smallest <- function(smallest, settings, digits) {
  if (is.null(smallest)) return(invisible())
  goals <- c(if (!is.null(settings$target_se)) {
    paste("standard error of", format(settings$target_se))
  }, if (!is.null(settings$difference)) {
    paste("power of", format(settings$target_power), "for a difference of",
          format(settings$difference))
  })
  cat("Smallest designs with a ", paste(goals, collapse = " and a "), " (summary() has ",
      if (nrow(smallest) > 6) "all" else "them", "):\n", sep = "")
  rows <- utils::head(smallest, 6)
  unknown <- vapply(rows, function(column) all(is.na(column)), NA) & names(rows) != "se"
  rows <- rows[!unknown]
  last <- c("limit_se", "limit_power")
  all <- c(setdiff(names(rows), last), intersect(last, names(rows)))
  shown <- fitting_columns(rows, list(named = setdiff(all, last), all = all), digits)
  print.data.frame(rows[shown], digits = digits)
}

#' @rdname tidy.repalign
#' @export
summary.repalign_plan <- function(object, ...) {
  no_other_arguments(...)
  smallest <- attr(object, "smallest")
  if (is.null(smallest)) {
    abort("This plan has no smallest designs: give `target_se`, or for two models `difference`, ",
          "to plan_recording().", class = "repalign_error_missing", arg = "object")
  }
  model <- plan_facts(object)$model
  warn_reach(model, smallest_flags(model, smallest), "smallest designs")
  smallest
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_plan <- function(x, ...) {
  model <- plan_facts(x)$model
  plain <- need_columns(as.data.frame(x), "se", "tidied")
  names(plain)[names(plain) == "se"] <- "std.error"
  two <- is.na(model$critical)
  data.frame(term = rep(if (two) "difference" else "cka(stimulus_neuron)", nrow(plain)),
             estimate = rep(model$effect, nrow(plain)), plain)
}

#' @rdname tidy.repalign
#' @export
glance.repalign_plan <- function(x, ...) {
  model <- plan_facts(x)$model
  two <- is.na(model$critical)
  data.frame(designs = nrow(x), stimuli = model$size[["n"]], neurons_x = model$size[["x"]],
             neurons_y = if (two) NA_real_ else model$size[["y"]], trials = model$trials,
             score = model$score, se = model$se)
}
