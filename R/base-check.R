# Errors, warnings and messages, and checks of arguments that name the argument, the place and the
# remedy.

# ---- check

# These functions check arguments; their errors name the argument, the place and the remedy.

# What `na` may be wherever data are given.
missing_rules <- c("error", "stimuli", "neurons")

check_choice <- function(value, choices, arg, several = FALSE) {
  if (identical(value, choices)) return(if (several) value else choices[1])
  one <- is.character(value) && length(value) == 1 && is.null(attributes(value))
  if (one && !is.na(match(value, choices))) return(value)
  usable <- is.character(value) && length(value) >= 1 && !anyNA(value) &&
    (several || length(value) == 1)
  refuse_if(!usable, "choice", "`{arg}` must be {if (several) 'some' else 'one'} of ",
            "{enumerate(choices, 20)}.")
  unknown <- setdiff(value, choices)
  refuse_if(length(unknown) && !length(choices), "choice", "`{arg}` cannot be ",
            "{quoted(unknown[1])}: there is nothing to choose from.")
  refuse_if(length(unknown), "choice", "`{arg}` cannot be ",
            "{quoted(unknown[1])}{suggest(unknown[1], choices)} Choices: {enumerate(choices, 20)}.")
  refuse_if(anyDuplicated(value), "choice", "`{arg}` names ",
            "{quoted(value[duplicated(value)][1])} twice.")
  # without names, dimensions and classes
  as.vector(unclass(value))
}

# The last branch of every switch() on a word: a word that no branch is for is a mistake of ours,
# and must not become a value.
no_branch <- function(word) {
  stop("There is no branch for ", quoted(paste(word, collapse = ", ")), " here.")
}

check_flag <- function(value, arg) {
  refuse_if(!is.logical(value) || length(value) != 1 || is.na(value), "value",
            "`{arg}` must be TRUE or FALSE.")
  value
}

check_number <- function(value, arg, above = -Inf, below = Inf) {
  usable <- is.numeric(value) && length(value) == 1 && is.finite(value) &&
    value > above && value < below
  if (!usable) {
    limits <- c(if (above > -Inf) paste(" above", above), if (below < Inf) paste(" below", below))
    refuse("value", "`{arg}` must be one finite number{paste(limits, collapse = ' and')}.")
  }
  as.double(value)
}

check_not_negative <- function(value, arg) {
  value <- check_number(value, arg)
  if (value >= 0) return(value)
  refuse("value", "`{arg}` must not be negative.")
}

check_share <- function(value, arg) {
  refuse_if(!is.numeric(value) || length(value) != 1 || is.na(value) || value < 0 ||
              value > 1, "value", "`{arg}` must be one number from 0 to 1.")
  as.double(value)
}

check_count <- function(value, arg, least = 1) {
  usable <- is.numeric(value) && length(value) == 1 && is.finite(value) && value >= least &&
    value == round(value) && value <= .Machine$integer.max
  if (!usable) {
    large <- is.numeric(value) && length(value) == 1 && isTRUE(value > .Machine$integer.max)
    refuse("value", "`{arg}` must be one whole number, at least {least}",
           if (large) paste(" and at most", .Machine$integer.max), ".")
  }
  as.integer(value)
}

# Users may have taken columns out of a result, so methods check for those that they need.
need_columns <- function(rows, needed, what, arg = "object") {
  missing <- setdiff(needed, names(rows))
  refuse_if(length(missing), "type", "This result cannot be {what} without the ",
            "column{if (length(missing) > 1) 's'} {enumerate(missing)}.", arg = arg)
  invisible(rows)
}

# Exported functions call this first. It is an error if an argument without a default is missing, or
# if one holds text that cannot be read. quoted: arguments that are not to be evaluated here.
need_arguments <- function(quoted = NULL) {
  caller <- parent.frame()
  refuse_partial_words(sys.call(-1), sys.function(-1), sys.frame(sys.parents()[sys.nframe() - 1]),
                       caller)
  formals <- formals(sys.function(-1))
  for (arg in names(formals)) {
    if (arg == "..." || arg %in% quoted) next
    if (!eval(call("missing", as.name(arg)), caller)) {
      check_encoding(get(arg, caller), arg)
      next
    }
    if (!identical(formals[[arg]], quote(expr = ))) next
    called <- deparse(sys.call(-1)[[1]])[1]
    # a function that was called without a name has none to show
    by <- if (grepl("^[A-Za-z:_.0-9]+$", called)) paste0(called, "()") else "this function"
    refuse("missing", "`{arg}` is missing: {by} needs it; see its help page.")
  }
}

# R takes the beginning of a name for the name, also where the word once had another meaning: no
# argument goes by a part of its name. What has no place goes to `...`, which most functions have to
# refuse it in words of ours. call: as the user wrote it; frame: from where, because `...` there may
# have names, too; own: the frame of the function that was called.
refuse_partial_words <- function(call, called, frame, own = parent.frame()) {
  given <- names(call)
  for (k in seq_along(call)[-1]) if (is.symbol(call[[k]]) && call[[k]] == "...") {
    given <- c(given, tryCatch(eval(quote(...names()), frame), error = function(e) NULL))
  }
  known <- names(formals(called))
  takes_more <- "..." %in% known
  # what comes after `...` is never completed
  before <- known[cumsum(known == "...") == 0]
  for (word in given[!given %in% c(known, "", NA)]) {
    meant <- before[startsWith(before, word)]
    if (!length(meant)) next
    refuse("parameter", "There is no argument `{word}` here; did you mean `{meant[1]}`?")
  }
  if (!takes_more || !eval(quote(...length()), own) || "..." %in% all.names(body(called))) {
    return(invisible())
  }
  refuse_other_argument(c(eval(quote(...names()), own), "")[1], called)
}

refuse_other_argument <- function(name, called) {
  known <- if (identical(environment(called), topenv())) setdiff(names(formals(called)), "...")
  refuse("parameter", "There is no argument ",
         if (name == "") "without a name here." else
           paste0("`", name, "` here", if (name == "given") paste0(". ", cosine_words()) else
             suggest(name, known)), arg = name)
}

# Text in another encoding than it is taken to be in, as after reading a file without saying which.
check_encoding <- function(value, arg) {
  texts <- .Call(C_foreign_texts, value)
  if (!length(texts) || all(validEnc(texts))) return(invisible())
  bad <- texts[!validEnc(texts)][1]
  refuse("encoding", "`{arg}` holds text that is not valid in its encoding, {quoted(bad)}: say ",
         "the encoding where it is read, or convert it, as by iconv(text, \"latin1\", \"UTF-8\").")
}

# Parameters of measures may have no value yet.
check_encodings <- function(given) {
  for (arg in names(given)) {
    if (!identical(given[[arg]], quote(expr = ))) check_encoding(given[[arg]], arg)
  }
}

# Methods take `...` because their generics do; what users give there is a mistake.
no_other_arguments <- function(...) {
  if (...length()) refuse_other_argument(c(names(list(...)), "")[1], sys.function(-1))
}

# What the function that the user called can do about missing values, as far as that leaves any.
# bad: a matrix, which values are missing.
missing_remedy <- function(bad) {
  left <- c(stimuli = any(rowSums(bad) == 0), neurons = any(colSums(bad) == 0))
  choices <- intersect(names(which(left)), missing_choices())
  if (!length(choices)) return("")
  paste0("; na = ", paste(quoted(choices), collapse = " or "), " leaves out what is missing")
}

missing_choices <- function() as.character(formals_of_call()$na)

# Does the function that the user called have this argument? It is the first one of this package.
# What a worker computes was called elsewhere: then it may be.
offers_argument <- function(name) {
  of_call <- formals_of_call()
  name %in% names(of_call) || !any(vapply(getNamespaceExports("repalign"), function(export) {
    value <- get(export, topenv())
    is.function(value) && identical(formals(value), of_call)
  }, NA))
}

formals_of_call <- function() {
  for (function_called in lapply(seq_len(sys.nframe()), sys.function)) {
    if (identical(environment(function_called), topenv())) return(formals(function_called))
  }
  NULL
}

# allow_na: NA may stand for a missing value; allow_nan: and so may NaN.
check_finite <- function(x, arg, allow_na = FALSE, allow_nan = allow_na) {
  if (.Call(C_all_finite, x)) return(invisible(x))
  bad <- if (allow_nan) is.infinite(x) else if (allow_na) is.nan(x) | is.infinite(x) else
    !is.finite(x)
  if (!any(bad)) return(invisible(x))
  at <- which(bad, arr.ind = TRUE)
  # no value of `na` lets infinite values through
  infinite <- all(is.infinite(x[bad]))
  places <- paste0("row ", named_places(at[, 1], rownames(x)), ", column ",
                   named_places(at[, 2], colnames(x)))
  refuse("nonfinite", "`{arg}` has {nrow(at)}",
         if (infinite) " infinite" else " missing or non-finite", " ",
         "value{if (nrow(at) > 1) 's'}{if (!infinite) ' (NA, NaN or Inf)'}: ",
         "{enumerate(places, 4, quote = FALSE)}. Remove those rows or columns, or fill the values ",
         "in{if (!infinite) missing_remedy(bad)}.")
}

require_package <- function(package, why) {
  refuse_if(!requireNamespace(package, quietly = TRUE), "package", "{why} needs the package ",
            "{quoted(package)}: install.packages(\"{package}\").", arg = NULL)
}

# ---- conditions

# All errors, warnings and messages are given by the functions of this file, and some of their words
# are made here.

# refuse("rows", "`k` is {k}, but ...") is an error of class repalign_error_rows. What stands in
# braces in its texts is evaluated where it was called; what code gives, with braces of users in it,
# is not. arg: what is at fault, by default what the text names first.
refuse <- function(class, ..., arg = first_named(text), frame = parent.frame()) {
  text <- filled_text(substitute(list(...)), list(...), frame)
  stop(new_condition("error", whole_class(class, "repalign_error_"), text, arg = arg))
}

refuse_if <- function(bad, class, ..., frame = parent.frame()) {
  if (bad) refuse(class, ..., frame = frame)
}

warn <- function(class, ..., data = NULL, frame = parent.frame()) {
  text <- filled_text(substitute(list(...)), list(...), frame)
  warning(new_condition("warning", whole_class(class, "repalign_"), text, data = data))
}

warn_if <- function(due, class, ..., frame = parent.frame()) {
  if (due) warn(class, ..., frame = frame)
}

inform <- function(class, ..., frame = parent.frame()) {
  text <- filled_text(substitute(list(...)), list(...), frame)
  message(new_condition("message", whole_class(class, "repalign_"), paste0(text, "\n")))
}

inform_if <- function(due, class, ..., frame = parent.frame()) {
  if (due) inform(class, ..., frame = frame)
}

new_condition <- function(kind, class, text, ...) {
  structure(class = c(class, paste0("repalign_", kind), kind, "condition"),
            list(message = text, call = NULL, ...))
}

whole_class <- function(class, prefix) {
  short <- !startsWith(class, "repalign_")
  replace(class, short, paste0(prefix, class[short], recycle0 = TRUE))
}

# texts: the call whose arguments are `values`.
filled_text <- function(texts, values, frame) {
  fixed <- vapply(as.list(texts)[-1], is.character, NA)
  values[fixed] <- lapply(values[fixed], function(text) {
    at <- gregexpr("[{][^{}]+[}]", text)
    regmatches(text, at) <- lapply(regmatches(text, at), vapply, function(code) {
      paste(eval(str2lang(substr(code, 2, nchar(code) - 1)), frame), collapse = "")
    }, "")
    text
  })
  readable(do.call(paste0, unname(values)))
}

first_named <- function(text) {
  name <- regmatches(text, regexpr("`[^`]+`", text))
  if (length(name)) substr(name, 2, nchar(name) - 1)
}

# The errors of `code` about what is called `was` there are about the argument `now` of the function
# that the user called.
in_words_of_call <- function(code, was, now) {
  tryCatch(code, repalign_error = function(e) {
    e$message <- gsub(paste0("`", was, "`"), paste0("`", now, "`"), e$message, fixed = TRUE)
    if (identical(e$arg, was)) e$arg <- now
    stop(e)
  })
}

# For errors of which something else is made, by `failed`; `...`: further handlers of tryCatch(). A
# limit that the user has set to the time (setTimeLimit()) is no fault of what it stopped, and stays
# what it is.
catch_error <- function(code, failed, ...) {
  tryCatch(code, error = function(e) {
    # R tells these errors from others by their texts alone
    limits <- gettext("reached elapsed time limit", "reached CPU time limit",
                      "reached session elapsed time limit", "reached session CPU time limit",
                      domain = "R")
    if (conditionMessage(e) %in% limits) stop(e) else failed(e)
  }, ...)
}

# Numbers of rows or columns with their names, if they have any: 3 ("face").
named_places <- function(at, names) {
  if (is.null(names)) at else paste0(at, " (", quoted(names[at]), ")")
}

# Bytes that are no letters of any text are written as "<e9>".
readable <- function(text) {
  if (all(validEnc(text))) text else iconv(text, "UTF-8", "UTF-8", sub = "byte")
}

# Plain quotation marks, whatever the language of R.
quoted <- function(text) dQuote(text, FALSE)

# Lists values in words: "a", "b" and 3 more.
enumerate <- function(values, most = 5, quote = TRUE) {
  values <- as.character(values)
  shown <- utils::head(if (quote) quoted(values) else values, most)
  rest <- length(values) - length(shown)
  if (rest > 0) return(paste0(paste(shown, collapse = ", "), " and ", rest, " more"))
  if (length(shown) < 2) return(paste(shown, collapse = ""))
  paste(paste(shown[-length(shown)], collapse = ", "), "and", shown[length(shown)])
}

# "1 stimulus", "2 stimuli". n: a number, or the text that shows it.
count_of <- function(n, what) paste(n, if (n == 1) what else plural_of(what))

plural_of <- function(what) {
  if (grepl("stimulus$", what)) return(sub("us$", "i", what))
  paste0(what, if (grepl("ch$", what)) "es" else "s")
}

describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  article <- function(word) paste(if (grepl("^[aeiou]", word)) "an" else "a", word)
  if (is.object(x)) return(paste0("an object of class ", quoted(class(x)[1])))
  if (is.matrix(x)) return(paste(article(typeof(x)), "matrix"))
  if (is.array(x)) return(paste("an array with", count_of(length(dim(x)), "dimension")))
  if (is.list(x)) return("a list")
  paste0(article(typeof(x)), if (is.atomic(x)) " vector")
}

# The value of the code without its messages and warnings.
quietly_done <- function(code) {
  withCallingHandlers(
    code, repalign_message = function(m) invokeRestart("muffleMessage"),
    repalign_warning = function(w) invokeRestart("muffleWarning")
  )
}
