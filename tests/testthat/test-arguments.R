# Every argument of every exported function, with what does not belong there.

test_that("the calls that these tests change are valid", {
  calls <- argument_calls()
  for (name in names(calls)) {
    outcome <- outcome_of(name, calls[[name]])
    expect(!inherits(outcome, "error"), paste0(name, "(): ", if (inherits(outcome, "error"))
      conditionMessage(outcome)))
  }
})

# Each change is made to each argument of each call, which then ends in a result or in an error of
# the package.
expect_classed <- function(changes, calls = argument_calls()) {
  failed <- character()
  for (name in names(calls)) {
    for (at in seq_along(calls[[name]])) {
      for (value in changes(calls[[name]][[at]])) {
        arguments <- replace(calls[[name]], at, list(value))
        outcome <- outcome_of(name, arguments)
        if (inherits(outcome, "error") && !is_own_error(outcome)) {
          failed <- c(failed, paste0(name, "(", names(arguments)[at], "): ",
                                     conditionMessage(outcome)))
        }
      }
    }
  }
  expect_identical(failed, character())
}

test_that("an argument that no function has is refused by a classed error, wherever it is given", {
  calls <- argument_calls()
  calls <- calls[!duplicated(names(calls))]
  # two that only list measures, and three that take what they work on in `...`
  others <- c("measures", "resi_measures", "noise_precision", "rank_measures", "feature_spaces")
  for (name in setdiff(names(calls), others)) {
    outcome <- outcome_of(name, c(calls[[name]], no_such_word = 1))
    expect(inherits(outcome, "repalign_error_parameter"),
           paste0(name, "(): ", if (inherits(outcome, "error")) conditionMessage(outcome)))
  }
  x <- matrix(c(2, 7, 1, 8, 2, 8, 1, 8, 2, 8), 5)
  expect_refused(rdm(x, distanze = "euclidean"), c("`distanze`", "\"distance\""))
  expect_refused(procrustes_similarity(x, x, "error", 3), "argument without a name")
  # the names of `...` of a function of the user's
  through <- function(...) cka(x, x, ...)
  expect_refused(through(estimat0r = "naive"), c("`estimat0r`", "\"estimator\""))
})

latin <- "caf\xe9"

with_latin_names <- function(value) {
  if (inherits(value, "dist")) {
    attr(value, "Labels") <- paste0(latin, seq_len(attr(value, "Size")))
  } else if (length(dim(value)) > 1 && !is.data.frame(value)) {
    rownames(value) <- paste0(latin, seq_len(nrow(value)))
  } else if (length(value) && !is.function(value) && !is.object(value)) {
    names(value) <- paste0(latin, seq_along(value))
  }
  value
}

test_that("text that is not UTF-8 is refused by a classed error wherever it is", {
  expect_classed(function(value) {
    labels <- is.atomic(value) && is.null(dim(value)) && length(value) > 2
    parts <- is.list(value) && !is.object(value)
    columns <- is.data.frame(value) && any(vapply(value, is.character, NA))
    c(list(latin, with_latin_names(value)),
      if (labels) {
        texts <- replace(as.character(value), 2, latin)
        list(texts, factor(texts))
      },
      if (parts) list(replace(value, 1, lapply(value[1], with_latin_names))),
      if (columns) {
        lapply(which(vapply(value, is.character, NA)), function(column) {
          value[[column]][1] <- latin
          value
        })
      })
  })
  x <- matrix(c(2, 7, 1, 8, 2, 8, 1, 8, 2, 8), 5)
  error <- expect_refused(similarity(stats::setNames(list(x, x^2), c("a", latin))),
                          c("`x` holds text", "caf<e9>", "iconv"))
  expect_s3_class(error, "repalign_error_encoding")
  expect_refused(measure(latin), "`id`")
  expect_refused(rank_measures(data.frame(measure = latin, value = 1, metric = "auprc")), "iconv")
  # in an encoding that is said, it is text as any other
  said <- latin
  Encoding(said) <- "latin1"
  names <- similarity(stats::setNames(list(x, x^2), c("a", said)))
  expect_identical(names$y, "caf\u00e9")
  # beside texts of another encoding, or of none
  bytes <- rawToChar(as.raw(c(0x67, 0xc3, 0xb6)))
  withr::with_locale(c(LC_CTYPE = "C"), {
    expect_equal(cka(array(x, c(5, 2), list(NULL, c(bytes, said))), x), 1)
  })
})

test_that("values of other kinds are refused by classed errors", {
  skip_unless_extended()
  odd <- list(NA, NaN, Inf, -1, 1e10, "", character(), list(), mean, quote(a), quote(a + b), a ~ b,
              data.frame(), Sys.Date(), 1i, matrix(0, 0, 0), matrix(1, 1, 1), matrix("a"),
              factor(1:12), list(NA), expression(a), structure(list(1), class = "lm"),
              structure(stats::rnorm(12), class = "integer64"), as.POSIXlt(Sys.time()))
  fast <- setdiff(names(argument_calls()), measures()$id)
  expect_classed(function(value) odd, argument_calls()[fast])
  times <- as.POSIXlt(Sys.time() + 1:12)
  expect_error(encode(matrix(rnorm(60), 12), times), class = "repalign_error_type")
})

test_that("words and columns may have dimensions and classes of their own", {
  calls <- argument_calls()
  expect_identical(do.call(score_matrix, replace(calls$score_matrix, "measure", matrix("cka"))),
                   do.call(score_matrix, calls$score_matrix))
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  own <- list(structure("stimulus", class = "own"))
  expect_identical(quiet(do.call(predicted_bias, replace(calls$predicted_bias, "estimator", own))),
                   quiet(do.call(predicted_bias, calls$predicted_bias)))
  compared <- function() {
    set.seed(1)
    quiet(do.call(compare_scores, calls$compare_scores))
  }
  usual <- compared()
  for (form in list(array, matrix, stats::ts)) {
    calls$compare_scores$result$score <- form(as.vector(calls$compare_scores$result$score))
    expect_equal(compared(), usual)
  }
  expect_refused(do.call(responses, replace(calls$responses, "stimulus", list(matrix("image")))),
                 "stimulus")
})
