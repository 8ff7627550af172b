# What the exported functions of the measures call.

#' What every exported measure function calls
#'
#' Opens a call of x and y, and returns their score.
#'
#' @param id of the measure
#' @param x,y,na as the user gave them
#' @param args a list of the other arguments of the function, by name
#' @param given the controls of the user, or NULL
#' @return a number, NA with a warning where the score is undefined.
#' @noRd
one_score <- function(id, x, y, args, na = "error", given = NULL) {
  refuse_partial_words(sys.call(-1), sys.function(-1), sys.frame(sys.parents()[sys.nframe() - 1]),
                       parent.frame())
  if (missing(x) || missing(y)) missing_side(missing(x))
  if (!is.null(given)) {
    na <- check_choice(na, missing_rules, "na")
    check_encodings(args)
    for (side in c("x", "y")) {
      one <- get(side)
      if (is.null(one) || is_collection(one)) representation(one, side)
    }
    d <- registry[[id]]
    measure <- with_controls(list(id = id, label = id, args = d$check(args), declaration = d),
                             given)
    call <- open_call(x, y, list(measure), na, controls = TRUE)
    note_unused_labels(call$set[[1]]$args)
    return(as.vector(scores_of_call(call)))
  }
  measure <- asked_measure(id, args)
  score <- in_open_pair(x, y, measure, paste0(id, "()"), na, score_of_pair)
  if (id == "cka" && measure$args$default_estimator) tell_uncorrected(x, y, measure, score, na)
  score
}

# What was said in this session, and is not said again.
said <- new.env()

# Many take the first CKA that they see for a number about their areas: who compares two matrices
# and names no estimator is told once a session what the corrected one is.
tell_uncorrected <- function(x, y, measure, score, na) {
  plain <- function(data) is.matrix(data) || is.data.frame(data)
  due <- is.null(said$uncorrected) && measure$args$kernel == "linear" && !is.na(score) &&
    plain(x) && plain(y) && nrow(x) < 2000 && !isFALSE(getOption("repalign.hints"))
  if (!due || identical(x, y)) return(invisible())
  measure$args <- with_estimator(measure$args, "stimulus_neuron")
  measure["range"] <- NULL # what was settled for the other estimator
  # the jackknife of large data takes many times as long as their score
  if (as.double(nrow(x)) * ncol(x) * ncol(y) > 1e8) measure$declaration["inspect"] <- list(NULL)
  noted <- character()
  value <- tryCatch(suppressMessages(suppressWarnings(withCallingHandlers(
    in_open_pair(x, y, measure, "cka()", na, score_of_pair),
    condition = function(found) noted <<- c(noted, class(found))
  ))), error = function(e) NULL)
  if (is.null(value) || "repalign_shared_names" %in% noted) return(invisible())
  said$uncorrected <- TRUE
  text <- number_words(score, value)
  inform("uncorrected", "CKA without corrections: {text[1]}, which depends on how many neurons ",
         "and stimuli there are; corrected: {text[2]}",
         if ("repalign_unstable" %in% noted) ", but these are too few to tell",
         " (estimator = \"stimulus_neuron\"). Said once a session; options(repalign.hints = ",
         "FALSE) leaves it out.")
}
