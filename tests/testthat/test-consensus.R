# consensus(): how well subjects agree with the consensus of the others, on stimuli left out.

group_table <- function(name) {
  path <- shared_file("reference", "groups", paste0(name, ".csv"))
  key <- paste0("groups/", name)
  if (is.null(read_tables[[key]])) {
    read_tables[[key]] <- read.csv(path, stringsAsFactors = FALSE, na.strings = "")
  }
  read_tables[[key]]
}

# list(x, models, folds) of a case; stimuli that are not listed are absent.
group_case <- function(case) {
  labels <- group_table("labels")
  labels <- labels[labels$case == case, ]
  at <- group_table("inputs")
  at <- at[startsWith(at$matrix, paste0(case, "_")), ]
  sides <- lapply(split(at, at$matrix), function(one) {
    data <- matrix(NA_real_, nrow(labels), max(one$column))
    data[cbind(one$row, one$column)] <- one$value
    data
  })
  names(sides) <- sub(".*_", "", names(sides))
  is_model <- startsWith(names(sides), "model")
  list(x = sides[!is_model], models = if (any(is_model)) sides[is_model],
       folds = labels$fold[order(labels$row)])
}

# The value of a quantity of values.csv in the result of a call.
found_quantity <- function(result, quantity, args) {
  row <- if (!is.null(args$subject)) args$subject else
    if (!is.null(args$model)) paste0("model", args$model) else "group"
  errors <- as.data.frame(result, part = "errors")
  name <- sub("^(group|model)_", "", quantity)
  if (name == "se") name <- "se_stimuli"
  if (name %in% names(errors)) errors[errors$x == row, name] else result[[name]][result$x == row]
}

said_by <- function(code) gsub("\\s+", " ", paste(capture.output(code), collapse = " "))

test_that("the reference values hold", {
  rows <- group_table("values")
  rows <- rows[grepl("^c", rows$case) & rows$quantity != "null_score", ]
  rows$call <- sub("(; )?(subject|model) = .*", "", rows$args)
  expect_gt(nrow(rows), 200)
  for (key in unique(paste(rows$case, rows$call, sep = "|"))) {
    part <- rows[paste(rows$case, rows$call, sep = "|") == key, ]
    case <- group_case(part$case[1])
    args <- eval(parse(text = paste0("list(", gsub(";", ",", part$call[1]), ")")))
    result <- quietly(do.call(consensus, c(case, args, na = if (part$case[1] == "c4") "pairwise")))
    for (i in seq_len(nrow(part))) {
      own <- eval(parse(text = paste0(
        "list(", gsub("(subject = )([A-Z])", "\\1\"\\2\"", gsub(";", ",", part$args[i])), ")")))
      value <- found_quantity(result, part$quantity[i], own)
      gap <- abs(value - part$value[i]) / max(1, abs(part$value[i]))
      expect(isTRUE(gap <= part$tolerance[i]),
             sprintf("%s %s %s: %.10g, expected %.10g", part$case[i], part$quantity[i],
                     part$args[i], value, part$value[i]))
    }
  }
})

# The definition, step by step. x: sides with NA in absent stimuli; folds: a label a stimulus;
# facing: the numbers of the others. order: of the stimuli of the side. c(a, b, c, distance).
def_consensus <- function(x, side, facing, folds, alpha = 1, components = NULL,
                          order = seq_along(folds)) {
  turned <- function(one, onto) {
    found <- svd(crossprod(one, onto))
    found$u %*% t(found$v)
  }
  sums <- 0
  distances <- numeric()
  for (fold in unique(folds)) {
    fits <- lapply(x, function(one) {
      there <- !is.na(one[, 1])
      means <- colMeans(one[there & folds != fold, , drop = FALSE])
      rows <- sweep(one, 2, means)
      rows[!there, ] <- 0
      parts <- svd(rows[folds != fold, , drop = FALSE])
      at <- parts$d > 1e-10 * parts$d[1]
      w <- parts$d^alpha
      w <- w / sqrt(sum(w[at]^2))
      v <- sweep(parts$v, 2, w / parts$d, "*")[, at, drop = FALSE]
      outside <- rows - rows %*% parts$v[, at] %*% t(parts$v[, at])
      list(rows = rows %*% v, there = there,
           outside = (alpha == 1) * is.null(components) * rowSums(outside^2) / sum(parts$d^2))
    })
    others <- fits[facing]
    train <- folds != fold
    p <- if (is.null(components)) max(sapply(others, function(f) ncol(f$rows))) else components
    parts <- svd(do.call(cbind, lapply(others, function(f) f$rows[train, ])))
    base <- parts$u[, 1:p] %*% diag(parts$d[1:p], p)
    aligned <- lapply(others, function(f) f$rows %*% turned(f$rows[train, ], base))
    count <- Reduce(`+`, lapply(others, function(f) f$there))
    s <- Reduce(`+`, aligned) / pmax(count, 1)
    own <- lapply(fits[[side]][c("rows", "there", "outside")], function(part) {
      if (is.matrix(part)) part[order, , drop = FALSE] else part[order]
    })
    found <- svd(crossprod(own$rows[train, ], s[train, ]))
    k <- found$d > 1e-10 * found$d[1]
    mine <- own$rows %*% found$u[, k]
    b <- if (is.null(components)) rowSums(own$rows^2) + own$outside else rowSums(mine^2)
    c <- rowSums(s^2) + Reduce(`+`, lapply(others, `[[`, "outside")) / pmax(count, 1)^2
    scored <- !train & own$there & count > 0
    fold_sums <- colSums(cbind(rowSums(mine * (s %*% found$v[, k])), b, c)[scored, , drop = FALSE])
    sums <- sums + fold_sums
    distances <- c(distances, sqrt(2 - 2 * fold_sums[[1]] / sqrt(fold_sums[[2]] * fold_sums[[3]])))
  }
  c(score = sums[[1]] / sqrt(sums[[2]] * sums[[3]]), distance = mean(distances))
}

# m subjects and two models that share four dimensions.
group_of <- function(m = 4, n = 24, widths = c(6, 8, 5, 30, 7)) {
  shared <- matrix(rnorm(n * 4), n)
  side <- function(d) shared %*% matrix(rnorm(4 * d), 4) + matrix(rnorm(n * d), n)
  list(x = lapply(stats::setNames(widths[seq_len(m)], letters[seq_len(m)]), side),
       models = list(near = side(9), far = matrix(rnorm(n * 7), n)),
       folds = sample(rep_len(1:4, n)))
}

with_absent <- function(x, count = 4) {
  lapply(x, function(one) {
    one[sample(nrow(one), count), ] <- NA
    one
  })
}

test_that("scores and distances are those of the definition, step by step", {
  set.seed(11)
  for (settings in list(list(), list(alpha = 0.4), list(components = 3), list(absent = TRUE),
                        list(alpha = 0.4, components = 3, absent = TRUE))) {
    case <- group_of(4)
    absent <- isTRUE(settings$absent)
    settings$absent <- NULL
    if (absent) case$x <- with_absent(case$x)
    result <- quietly(do.call(consensus, c(case, settings, na = if (absent) "pairwise")))
    sides <- c(case$x, case$models)
    value <- function(side, i) {
      do.call(def_consensus, c(list(sides, side, setdiff(1:4, i), case$folds), settings))
    }
    subjects <- sapply(1:4, function(i) value(i, i))
    models <- sapply(5:6, function(side) rowMeans(sapply(1:4, function(i) value(side, i))))
    expect_rounded(result$score, c(subjects[1, ], models[1, ], mean(subjects[1, ])), 1e-8)
    expected <- c(subjects[2, ], models[2, ], mean(subjects[2, ]))
    if (absent) expected[5:7] <- NA
    expect_rounded(result$distance, expected, 1e-8)
    expect_rounded(result$difference, c(rep(NA, 4), models[1, ] - mean(subjects[1, ]), NA), 1e-8)
    expect_identical(result$n[1], if (absent) 20L else 24L)
  }
})

test_that("two subjects have the distance of held_out(), with the same folds", {
  set.seed(12)
  case <- group_of(2)
  for (alpha in c(0, 0.3, 1)) {
    expect_message(result <- consensus(case$x, alpha = alpha, folds = case$folds),
                   class = "repalign_few_subjects")
    m <- measure("shape_distance", alpha = alpha, method = "euclidean")
    held <- quietly(held_out(case$x$a, case$x$b, m, folds = case$folds))
    expect_rounded(result$distance, rep(held$score, 3))
    expect_rounded(result$score[1], result$score[2])
  }
  # near 0 by residuals
  turn <- qr.Q(qr(matrix(rnorm(36), 6)))
  copy <- quietly(consensus(list(a = case$x$a, b = 3 * case$x$a %*% turn + 1), folds = case$folds))
  expect_lt(max(copy$distance), 1e-13)
})

test_that("p-values are those of refits with permuted stimuli", {
  set.seed(13)
  for (absent in c(FALSE, TRUE)) {
    case <- group_of(3, 12)
    case$folds <- rep(1:3, 4)
    if (absent) case$x <- with_absent(case$x, 2)
    sides <- c(case$x, case$models)
    na <- if (absent) "pairwise" else "error"
    set.seed(2)
    result <- quietly(do.call(consensus, c(case, permutations = 19, na = na, p_adjust = "BH")))
    set.seed(2)
    orders <- replicate(19, {
      order <- 1:12
      for (fold in 1:3) {
        at <- which(case$folds == fold)
        order[at] <- at[sample.int(4)]
      }
      order
    })
    p <- sapply(1:5, function(side) {
      there <- !is.na(sides[[side]][, 1])
      facing <- if (side < 4) side else 1:3
      value <- function(order) {
        for (at in split(1:12, case$folds)) {
          # absent stimuli stay, and the others keep their sequence
          moved <- order[at]
          order[at[!there[at]]] <- at[!there[at]]
          order[at[there[at]]] <- moved[there[moved]]
        }
        mean(sapply(facing, function(i) {
          def_consensus(sides, side, setdiff(1:3, i), case$folds, order = order)[["score"]]
        }))
      }
      mean(c(1, apply(orders, 2, value) >= result$score[side] - 1e-10))
    })
    expect_rounded(result$p_value, c(p, min(p.adjust(p[1:3], "holm"))))
    expect_rounded(result$p_adjusted, c(p.adjust(p[1:3], "BH"), p.adjust(p[4:5], "BH"),
                                        min(p.adjust(p[1:3], "holm"))))
  }
  # as in the reference values, of stimuli that were rolled within folds
  rows <- group_table("values")
  rows <- rows[rows$quantity == "null_score" & !grepl("refine", rows$args), ]
  for (i in seq_len(nrow(rows))) {
    case <- group_case(rows$case[i])
    args <- eval(parse(text = paste0("list(", gsub(";", ",", sub("; subject.*", "", rows$args[i])),
                                     ")")))
    there <- !is.na(case$x$A[, 1])
    order <- seq_along(case$folds)
    for (at in split(order[there], case$folds[there])) {
      order[at] <- at[c(length(at), seq_along(at[-1]))]
    }
    value <- do.call(def_consensus, c(list(case$x, 1, setdiff(seq_along(case$x), 1), case$folds),
                                      args, list(order = order)))
    expect_lt(abs(value[["score"]] - rows$value[i]), rows$tolerance[i])
  }
})

test_that("errors are those of deletions made anew", {
  set.seed(14)
  case <- group_of(4, 23)
  result <- quietly(do.call(consensus, case))
  errors <- as.data.frame(result, part = "errors")
  jackknife <- function(scores) {
    sqrt(rowSums((scores - rowMeans(scores))^2) * (ncol(scores) - 1) / ncol(scores))
  }
  without <- sapply(1:4, function(u) {
    found <- quietly(consensus(case$x[-u], case$models, folds = case$folds))
    c(tail(found$score, 3), tail(found$difference, 3)[1:2])
  })
  expect_rounded(errors$se_subjects, c(rep(NA, 4), jackknife(without)[1:3]))
  expect_rounded(errors$difference_se_subjects, c(rep(NA, 4), jackknife(without)[4:5], NA))
  groups <- integer(23)
  groups[order(case$folds)] <- rep_len(1:20, 23)
  deleted <- sapply(1:20, function(g) {
    sides <- lapply(c(case$x, case$models), function(one) one[groups != g, ])
    value <- function(side, i) {
      def_consensus(sides, side, setdiff(1:4, i), case$folds[groups != g])[["score"]]
    }
    scores <- c(mapply(value, 1:4, 1:4), mean(sapply(1:4, value, side = 5)),
                mean(sapply(1:4, value, side = 6)))
    group <- mean(scores[1:4])
    c(scores, group, scores[5:6] - group)
  })
  expect_rounded(errors$se_deleted, jackknife(deleted)[1:7], 1e-8)
  alone <- quietly(do.call(consensus, c(case, over = "stimuli")))
  expect_rounded(alone$se, jackknife(deleted)[1:7], 1e-8)
  expect_rounded(alone$difference_se[5:6], jackknife(deleted)[8:9], 1e-8)
  expect_identical(alone$df, rep(19, 7))
  # both variances with their degrees of freedom
  v <- errors$se_stimuli[5:7]^2 + errors$se_subjects[5:7]^2
  expect_rounded(result$se, c(jackknife(deleted)[1:4], sqrt(v)), 1e-8)
  expect_rounded(result$df, c(rep(19, 4), v^2 / (errors$se_stimuli[5:7]^4 / 22 +
                                                   errors$se_subjects[5:7]^4 / 3)))
  half <- qt(0.975, result$df) * result$se
  expect_rounded(result$conf_high - result$score, half)
  expect_rounded(result$difference_se[5:6]^2, errors$difference_se_stimuli[5:6]^2 +
                   errors$difference_se_subjects[5:6]^2)
})

test_that("shares of stimuli add up to scores, and make the errors over stimuli", {
  set.seed(15)
  case <- group_of(3)
  labels <- rep(1:12, 2)
  result <- quietly(consensus(case$x, case$models, folds = 4, clusters = labels))
  stimuli <- as.data.frame(result, part = "stimuli")
  one <- stimuli[stimuli$x == "b", ]
  expect_rounded(sum(one$a) / sqrt(sum(one$b) * sum(one$c)), result$score[2])
  psi <- one$a / sqrt(sum(one$b) * sum(one$c)) -
    result$score[2] * (one$b / sum(one$b) + one$c / sum(one$c)) / 2
  errors <- as.data.frame(result, part = "errors")
  expect_rounded(sqrt(sum(rowsum(psi, labels)^2)), errors$se_stimuli[2])
  expect_equal(result$df[1], 11)
  expect_match(said_by(print(result)), "those of subjects over clusters of stimuli")
  expect_match(in_words(result), "intervals over clusters of stimuli and subjects")
  # names of stimuli, and rows that are left out
  rownames(case$x$a) <- paste0("i", 1:24)
  labels[3] <- NA
  named <- quietly(consensus(case$x, folds = 4, clusters = labels))
  expect_identical(unique(as.data.frame(named, part = "stimuli")$stimulus), paste0("i", (1:24)[-3]))
  expect_identical(rownames(quietly(as.matrix(named))), paste0("i", (1:24)[-3]))
})

test_that("groups of stimuli are dealt by labels of folds in their order, clusters whole", {
  set.seed(16)
  case <- group_of(3)
  task <- function(folds) {
    found <- repalign:::test_folds(folds, list(n = 24, rows = rep(TRUE, 24)))
    list(n = 24, folds = found, fold_order = order(found$name))
  }
  words <- c("d", "c", "b", "a")[case$folds]
  expected <- integer(24)
  expected[order(words)] <- rep_len(1:20, 24)
  expect_identical(repalign:::deleted_groups(task(words)), expected)
  a <- quietly(consensus(case$x, folds = words))
  b <- quietly(consensus(case$x, folds = factor(words, c("a", "b", "c", "d"))))
  expect_identical(a$se, b$se)
})

test_that("repeats add up, and sets of stimuli are folds", {
  set.seed(17)
  case <- group_of(3)
  other <- sample(case$folds)
  sets <- function(folds) unname(split(1:24, folds))
  both <- quietly(consensus(case$x, folds = c(sets(case$folds), sets(other))))
  table <- function(result) as.data.frame(result, part = "stimuli")
  one <- table(quietly(consensus(case$x, folds = sets(case$folds))))
  two <- table(quietly(consensus(case$x, folds = sets(other))))
  expect_rounded(table(both)$a, one$a + two$a)
  expect_equal(attr(quietly(consensus(case$x[1:2], repeats = 3)), "facts")$repeats, 3)
})

test_that("the order of subjects, rotations, units and threads change nothing", {
  set.seed(18)
  case <- group_of(4)
  values <- c("score", "se", "df", "difference", "difference_se", "distance")
  first <- quietly(do.call(consensus, case))
  turned <- quietly(consensus(rev(case$x), rev(case$models), folds = case$folds))
  expect_rounded(unlist(turned[match(first$x, turned$x), values]), unlist(first[values]), 1e-9)
  case$x$a <- 1e3 * case$x$a %*% qr.Q(qr(matrix(rnorm(36), 6))) + 7
  case$models$near <- 1e-5 * case$models$near
  expect_rounded(unlist(quietly(do.call(consensus, case))[values]), unlist(first[values]), 1e-9)
  one <- quietly(do.call(consensus, c(case, threads = 1)))
  expect_identical(quietly(do.call(consensus, c(case, threads = 2))), one)
  set.seed(3)
  drawn <- quietly(consensus(case$x, permutations = 9))
  set.seed(3)
  expect_identical(quietly(consensus(case$x, permutations = 9)), drawn)
})

test_that("a refined consensus has no smaller inner products of its subjects", {
  set.seed(19)
  rows <- lapply(c(5, 7, 6), function(d) matrix(rnorm(20 * d), 20))
  first <- lapply(rows, function(one) repalign:::polar_factor(crossprod(one, rows[[2]])))
  whole <- function(turns) sum(Reduce(`+`, Map(`%*%`, rows, turns))^2)
  refined <- repalign:::refined_turns(rows, first)
  expect_gt(whole(refined), whole(first))
  again <- repalign:::refined_turns(rows, refined)
  expect_lt(abs(whole(again) / whole(refined) - 1), 1e-8)
})

test_that("models are compared, told and drawn", {
  set.seed(20)
  case <- group_of(5)
  result <- quietly(do.call(consensus, c(case, permutations = 19)))
  compared <- compare_scores(result)
  expect_rounded(compared$difference, result$score[6] - result$score[7])
  expect_gt(compared$se, 0)
  expect_error(compare_scores(result[result$kind == "subject", ]), class = "repalign_error_size")
  expect_error(vcov(result), class = "repalign_error_type")
  expect_match(ggplot2::autoplot(compared)$labels$x, "agreement with\nthe consensus \\(alpha 1\\)$")
  expect_s3_class(ggplot2::autoplot(result), "ggplot")
  expect_rounded(unname(confint(result)[, 2]), result$conf_high)
  narrow <- quietly(do.call(consensus, c(case, conf_level = 0.5)))
  expect_rounded(narrow$conf_low, unname(confint(result, level = 0.5)[, 1]))
  expect_identical(result$measure[1], "consensus (alpha 1)")
  expect_identical(quietly(consensus(case$x, alpha = 0.5, components = 5))$measure[1],
                   "consensus (alpha 0.5, 5 components)")
})

test_that("comparisons of models over few subjects are guesses, and say so", {
  set.seed(23)
  case <- group_of(5)
  for (m in 2:5) {
    result <- quietly(consensus(case$x[seq_len(m)], case$models, folds = case$folds))
    compared <- compare_scores(result)
    # the two parts of the error, of which that of subjects may be near 0 by chance
    parts <- vapply(attr(result, "errors")$parts$main, function(part) {
      part[1, 1] + part[2, 2] - 2 * part[1, 2]
    }, 0)
    expect_rounded(compared$se, sqrt(sum(parts)))
    satterthwaite <- if (m > 2) sum(parts)^2 / sum(parts^2 / c(23, m - 1)) else 19
    expect_rounded(compared$df, if (m %in% 3:4) min(satterthwaite, m - 1) else satterthwaite)
    half <- qt(0.975, compared$df) * compared$se
    expect_rounded(compared$conf_high - compared$difference, half)
    guess <- paste0("over stimuli (and|\\+) subjects, a guess from only ", m, " subjects")
    told <- c(said_by(print(result)), said_by(print(compared)), in_words(result),
              in_words(compared), in_words(best_score(result)),
              vapply(list(result, compared), function(one) {
                gsub("\n", " ", ggplot2::autoplot(one)$labels$caption)
              }, ""))
    if (m %in% 3:4) expect_match(told, guess) else expect_no_match(told, "guess")
    # as of recordings
    if (m > 2) {
      evaluated <- quietly(evaluate_models(case$x[seq_len(m)], case$models, permutations = 0,
                                           over = c("stimuli", "subjects")))
      expect_identical(unname(attr(compared, "over")),
                     unname(attr(quietly(compare_scores(evaluated)), "over")))
    }
  }
  expect_error(compare_scores(rbind(result, result)), "twice", class = "repalign_error_rows")
  expect_error(compare_scores(result[-7, ]), "consensus\\(x, models = list",
               class = "repalign_error_size")
})

test_that("sentences name what was found of whom, and over what", {
  set.seed(24)
  case <- group_of(4)
  case$x$e <- matrix(rnorm(24 * 6), 24)
  permuted <- function(...) quietly(consensus(..., folds = 4, permutations = 199))
  mixed <- permuted(case$x, case$models)
  none <- permuted(lapply(case$x, function(one) matrix(rnorm(24 * 6), 24)))
  named <- quietly(consensus(case$x, case$models, folds = 4))
  gaps <- quietly(consensus(with_absent(case$x), na = "pairwise", folds = 4))
  copies <- quietly(consensus(list(a = case$x$a, b = case$x$a, c = case$x$a),
                              list(copy = case$x$a), folds = 4))
  # names are not changed at the beginning of a sentence
  often <- quietly(consensus(stats::setNames(case$x[1:3], c("often", "b", "c")), folds = 4))
  expect_match(in_words(often[1, ]), "^often agreed")
  above <- sum(mixed$p_adjusted[1:5] <= 0.05)
  expect_gt(above, 1)
  expect_lt(above, 5)
  expect_true(all(none$p_adjusted > 0.05))
  cases <- list(
    list(mixed, c("^5 subjects agreed with the consensus of the others at 0[.].* on average",
                  paste(above, "of these 5 subjects were above chance \\(holm-adjusted p <= .05\\)"),
                  "of 2 models near was best, at 0[.].*holm-adjusted p [=<]",
                  "(above|below) the mean of the subjects by", "24 stimuli that no fit had seen",
                  "intervals over stimuli and subjects[.]$")),
    list(none, "none of these 5 subjects was above chance"),
    list(named[1:3, ], c("^Of 3 subjects [abc] agreed best", "intervals over stimuli[.]$")),
    list(named[2, ], "^b agreed with the consensus of the others, at"),
    list(named[6, ], c("^near reached", "the mean of the subjects by", "stimuli and subjects[.]$")),
    list(named[c(2, 6), ], "those of subjects over stimuli[.]$"),
    list(gaps, "Scores are of 20 to 24 stimuli"),
    list(copies, c("at 1.00 \\(no interval\\)", "copy reached 1.00 .*, as the mean of the subjects"))
  )
  for (one in cases) for (part in one[[2]]) expect_match(as.character(in_words(one[[1]])), part)
  expect_error(in_words(rbind(named, named)), "two rows of \"a\"", class = "repalign_error_rows")
  expect_length(in_words(rbind(p = named, q = named)), 2)
  # no band or line is explained that is not there
  caption <- function(rows) paste(ggplot2::autoplot(rows)$labels$caption)
  expect_match(caption(named), "band: interval of the mean")
  expect_no_match(caption(named[6:7, ]), "band|those of subjects")
  expect_length(caption(copies), 0)
  expect_match(said_by(print(named[0, ])), "0 scores.*conf_low")
  expect_no_match(said_by(print(named[0, ])), "NA")
})

test_that("few permutations are told for adjusted p-values, before the work", {
  set.seed(25)
  case <- group_of(5)
  cases <- list(list(50, "holm", "adjusted.* 0.098: At least 99"), list(1, "holm", "At least 99"),
                list(18, "none", "No p-value of a subject .*At least 19"), list(99, "holm", NULL),
                list(19, "BH", NULL))
  # the call ends with the message
  told <- function(...) {
    tryCatch({
      suppressMessages(consensus(...), "repalign_few_subjects")
      ""
    }, message = conditionMessage)
  }
  for (one in cases) {
    text <- told(case$x, permutations = one[[1]], p_adjust = one[[2]])
    if (is.null(one[[3]])) expect_identical(text, "") else {
      expect_match(text, sub(": At", "[.] At", one[[3]]))
    }
  }
  expect_match(told(case$x[1:2], permutations = 19), "At least 39")
  expect_match(in_words(quietly(consensus(case$x, permutations = 50))), "smallest possible p = .098")
})

test_that("notes and errors name the subject, the neuron and the fold", {
  set.seed(26)
  x <- group_of(5)$x
  one_hot <- cbind(rep(1:0, c(1, 23)))
  constant <- " is constant in the training set of fold [1-5]: use other folds"
  expect_error(consensus(replace(x, "b", list(one_hot))), paste0("`x\\$b`", constant))
  expect_error(consensus(x, list(hot = one_hot)), paste0("`models\\$hot`", constant))
  expect_error(held_out(x$a, one_hot), paste0("`y`", constant))
  silent <- x
  silent$c[, 2] <- NA
  for (na in c("stimuli", "pairwise")) {
    expect_error(consensus(silent, na = na), class = "repalign_error_nonfinite",
                 "`x\\$c` has no response at all of neuron 2: leave it out, by \\[, -2\\][.]")
  }
  error <- expect_error(consensus(silent), class = "repalign_error_nonfinite")
  expect_no_match(conditionMessage(error), "na = ")
  silent$c <- silent$c[, -2]
  expect_equal(nrow(quietly(consensus(silent))), 6)
  # where neurons may be left out, but no stimulus
  diagonal <- replace(x$d, cbind(1:24, 1:24), NA)
  error <- expect_error(similarity(diagonal, x$a), "na = \"neurons\"")
  expect_no_match(conditionMessage(error), "\"stimuli\"")
  expect_error(consensus(replace(x, "d", list(diagonal)), na = "stimuli"), "leaves none[.]")
  expect_error(consensus("folder"), "read_representation", class = "repalign_error_type")
  expect_message(consensus(replace(x, "b", list(x$b[, 1, drop = FALSE]))), "`x\\$b`.*single neuron",
                 class = "repalign_few_neurons")
  trials <- lapply(x, function(one) {
    responses(array(one, c(dim(one), 2)) + rnorm(2 * length(one)))
  })
  note <- expect_message(consensus(trials), "trials .by \"consensus", class = "repalign_note_declared")
  expect_no_match(conditionMessage(note), "shape_distance|recorded together")
})

test_that("the consensus of all is in sample, and makes no ceiling", {
  set.seed(21)
  case <- group_of(5)
  case$x <- case$x[-4]
  result <- quietly(do.call(consensus, case))
  expect_message(whole <- as.matrix(result), class = "repalign_in_sample")
  expect_identical(dim(whole), c(24L, 8L))
  rotated <- lapply(case$x, function(one) {
    one <- scale(one, scale = FALSE)
    found <- svd(crossprod(one, whole))
    one %*% found$u %*% t(found$v) / sqrt(sum(one^2))
  })
  expect_gt(cor(as.vector(Reduce(`+`, rotated)), as.vector(whole)), 0.99)
  declared <- responses(whole, complete = TRUE)
  evaluated <- quietly(evaluate_models(declared, case$models, permutations = 19))
  expect_true(all(is.na(evaluated$ceiling)))
  expect_match(paste(capture.output(print(evaluated)), collapse = " "), "see +consensus\\(models")
  of_subjects <- quietly(evaluate_models(case$x, list(all = declared, m = case$models$near),
                                         "cka", permutations = 0))
  expect_true(all(is.na(of_subjects$ceiling)))
  without <- quietly(evaluate_models(case$x, case$models, "cka", permutations = 0))
  expect_false(anyNA(without$ceiling))
})

test_that("what cannot be compared is refused, with a remedy", {
  set.seed(22)
  case <- group_of(4)
  x <- case$x
  refused <- function(class, ...) {
    expect_error(quietly(consensus(...)), class = paste0("repalign_error_", class))
  }
  refused("size", x[1])
  refused("type", x$a)
  refused("names", unname(x))
  refused("names", c(x, list(group = x$a)))
  refused("names", x, list(group = x$a))
  refused("names", x, list(a = case$models$near))
  refused("type", x, case$models$near)
  refused("type", list(m = x, k = x))
  refused("type", list(a = dist(x$a), b = x$b))
  refused("rows", x, list(short = case$models$near[1:9, ]))
  refused("value", x, alpha = 1.5)
  refused("value", x, components = 40)
  refused("choice", x, over = "subjects")
  refused("choice", x, over = "neurons")
  refused("choice", x, permutations = 9, repeats = 2)
  refused("choice", x, permutations = 9, folds = list(1:8, 5:12, 13:24))
  refused("design", lapply(x, responses, series = TRUE))
  refused("variance", replace(x, "a", list(matrix(1, 24, 3))))
  refused("nonfinite", with_absent(x))
  refused("nonfinite", replace(x, "a", list(x$a * NA)), na = "pairwise")
  expect_message(consensus(x[1:3]), class = "repalign_few_subjects")
  for (na in c("stimuli", "pairwise")) {
    expect_message(suppressMessages(consensus(with_absent(x), na = na), "repalign_few_subjects"),
                   class = "repalign_left_out")
  }
  expect_warning(suppressMessages(consensus(list(a = x$d, b = x$d[, 1:29], c = x$a), alpha = 0)),
                 class = "repalign_trivial")
})

test_that("null scores are those of sides whose stimuli were moved", {
  set.seed(11)
  x <- lapply(c(a = 6, b = 5, c = 7), function(q) normal_matrix(30, q))
  x$b[c(3, 17), ] <- NA
  for (components in list(NULL, 3)) {
    task <- quietly(open_consensus(x, NULL, 1, NULL, "pairwise"))
    task[c("components", "refine")] <- list(components, FALSE)
    task$folds <- test_folds(rep(1:5, 6), task, 1)
    fits <- terms_of_sides(task, fits_of_sides(task))$fits
    orders <- orders_within_folds(task$folds, task, 4)
    for (side in 1:2) {
      own <- orders_of_present(orders, task, task$present[, side])
      expected <- apply(own, 2, function(order) {
        sums <- lapply(fits, function(fit) {
          moved <- fit$sides[[side]]
          moved$train <- moved$train[match(order[fit$train], fit$train), , drop = FALSE]
          at <- match(order[fit$test], fit$test)
          moved$test <- moved$test[at, , drop = FALSE]
          moved$beyond <- moved$beyond[at]
          colSums(faced_consensus(moved, fit$consensus[[side]], task, FALSE)$terms)
        })
        cosine_of_sums(matrix(Reduce(`+`, sums), 1))
      })
      expect_equal(null_of_side(side, task, fits, side, own), expected, tolerance = 1e-12)
    }
  }
})

test_that("few orders within folds are told, with fewer folds as the remedy", {
  set.seed(1)
  x <- lapply(c(a = 4, b = 5, c = 4), function(q) matrix(rnorm(24 * q), 24))
  of <- rep(1:8, each = 3)
  expect_message(found <- consensus(x, clusters = of, permutations = 99),
                 "with 7 permutations.*fewer `folds`", class = "repalign_few_permutations")
  expect_no_message(consensus(x, clusters = of, permutations = 99, folds = 2),
                    class = "repalign_few_permutations")
})
