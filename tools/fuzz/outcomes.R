# Evaluates a call and records all that it said: list(value, error, warnings, messages, seconds).

evaluate <- function(call, seed, envir = globalenv()) {
  said <- new.env()
  set.seed(seed)
  started <- proc.time()[[3]]
  outcome <- tryCatch(
    withCallingHandlers(
      list(value = eval(call, envir)),
      warning = function(w) {
        said$warnings <- c(said$warnings, list(w))
        invokeRestart("muffleWarning")
      },
      message = function(m) {
        said$messages <- c(said$messages, list(m))
        invokeRestart("muffleMessage")
      }
    ),
    error = function(e) list(error = e)
  )
  c(outcome, list(warnings = said$warnings, messages = said$messages,
                  seconds = proc.time()[[3]] - started))
}

warned_of <- function(outcome, class) {
  any(vapply(outcome$warnings, inherits, NA, class))
}

# An error of R's own inside of the package keeps its class beside ours.
is_refusal <- function(error) {
  inherits(error, "repalign_error") && !inherits(error, "simpleError")
}

# The class that says what the error is about.
error_kind <- function(error) {
  kinds <- setdiff(class(error), c("repalign_error_score", "repalign_error", "error", "condition"))
  if (length(kinds)) kinds[1] else "repalign_error"
}

# Texts of what no call may say.
foreign_conditions <- function(outcome) {
  texts <- function(conditions, class) {
    foreign <- Filter(function(c) !inherits(c, class), conditions)
    vapply(foreign, function(c) paste0(class(c)[1], ": ", conditionMessage(c)), "")
  }
  error <- outcome$error
  c(texts(outcome$warnings, "repalign_warning"), texts(outcome$messages, "repalign_message"),
    if (!is.null(error) && !is_refusal(error)) {
      paste0("error ", paste(class(error), collapse = "/"), ": ", conditionMessage(error))
    })
}
