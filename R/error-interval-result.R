# The result of score_interval(): its intervals, and the deletions that it keeps.

# ---- interval result

# The result of score_interval() is put together here: standard errors, intervals, and what is kept
# beside the rows.

# list(rows, kept, constant): the rows of the result with what is kept beside them, and which scores
# do not vary.
interval_rows <- function(task, columns, factors) {
  scores <- matrix(task$scores, ncol = length(task$set), byrow = TRUE)
  plain <- similarity_result(task$pairs, task$sides, task$set, scores)
  kept <- kept_beside_rows(plain)[c("direction", "best")]
  rows <- as.data.frame(plain)
  words <- rep(vapply(task$set, function(measure) way_of(measure, task)$method, ""),
               nrow(task$pairs))
  rows$over <- over_words(task)
  call <- deletions_of_call(task, rows, columns, factors, words)
  errors <- contrast_errors(parts_of_call(call, seq_len(nrow(rows))), diag(nrow(rows)))
  # A score of identical representations does not vary, whatever the stimuli: there is no error.
  # Near it, distances that are functions of a cosine have the root of its rounding.
  score <- rows$score
  none <- !is.na(errors$se) & errors$se <= tie_share * pmax(abs(score), 1)
  at_bound <- mapply(function(measure, score) {
    cosine <- errors_of(measure)$cosine
    !is.null(cosine) && isTRUE(abs(cosine$of(score)) > 1 - tie_share)
  }, rep(task$set, length.out = length(score)), score)
  constant <- !is.na(score) & (none | at_bound)
  errors$se[constant] <- NA
  call$rows$se <- errors$se
  # Which scores take the neurons of y as a sample without `over` saying so? What y is there often
  # are the units of a network.
  neurons <- task$settings$neurons
  alone <- neurons[["x"]] && (!neurons[["y"]] || task$settings$by_default) && !task$sides$self
  call$rows$sample_y <- c(do.call(rbind, lapply(task$set, function(measure) {
    args <- measure$args
    if (!alone || is.null(args$complete) || !args$corrects$neurons) {
      return(logical(nrow(task$pairs)))
    }
    !vapply(task$sides$y$reprs[task$pairs$j], is_complete, NA, args, "y")
  })))
  what <- if (call$clustered) "cluster" else "stimulus"
  inform_if(call$units < enough_for_errors, "few_stimuli", "Errors of ",
            "{count_of(call$units, what)} are rough themselves, small ones too: take more ",
            "{plural_of(what)}, if you can.")
  note_strong_stimuli(call, rows)
  several <- seq_along(columns) %in% unlist(lapply(factors, function(factor) factor$rows))
  call$scales <- interval_scales(task, rows$score, errors$se, columns, several)
  limits <- unname(limits_of(call$scales, errors$df, task$settings$conf_level))
  result <- cbind(rows[setdiff(names(rows), c("n", "over"))], se = errors$se, df = errors$df,
                  conf_low = limits[, 1], conf_high = limits[, 2], method = words,
                  over = rows$over, n = rows$n)
  kept <- c(list(conf_level = task$settings$conf_level, deletions = list(call),
                 dependence = task$dependence), kept)
  list(rows = result, kept = kept, constant = constant)
}

# With fewer, standard errors differ several times between samples, so that a
# small one says little.
enough_for_errors <- 10

# Intervals know only what these stimuli do: where hardly any of them matter, other samples may have
# none of their kind, or more. Influences add up to 0, so that one large value shifts all others:
# they are taken about their median. Influences with heavy tails leave the same doubt without two
# that stand out: the variance is then known as well as from `known` normal values. call: see the
# interval parts below.
note_strong_stimuli <- function(call, rows) {
  influence <- abs(sweep(call$stimuli, 2, apply(call$stimuli, 2, stats::median)))
  strongest <- apply(influence, 2, order, decreasing = TRUE)[1:2, , drop = FALSE]
  share <- (influence[cbind(strongest[1, ], seq_len(ncol(influence)))] +
              influence[cbind(strongest[2, ], seq_len(ncol(influence)))]) / colSums(influence)
  squares <- sweep(call$stimuli, 2, colMeans(call$stimuli))^2
  kurtosis <- colMeans(squares^2) / colMeans(squares)^2
  known <- 2 * call$units / (kurtosis - 1)
  # of few units two carry half by chance
  few <- which(share > max(0.5, 6 / call$units))
  heavy <- which(known < enough_of_variance & !share > 0.5 & call$units >= enough_for_errors)
  at <- strongest[, few[1]]
  inform_if(length(few), "strong_stimuli", "Two of ",
            influence_words(call, rows, few, paste0(
              " (", if (is.null(call$names)) paste(at, collapse = " and ") else
                enumerate(call$names[at]), ") carry ", round(100 * share[few[1]]), "%"
            )), ": a sample of stimuli with more or fewer of such gives another score, which the ",
            "interval hardly knows of. Look at these stimuli, and take more of their kind.")
  inform_if(length(heavy), "heavy_tails", "A few of ",
            influence_words(call, rows, heavy, paste0(
              " carry much (kurtosis ", format(kurtosis[heavy[1]], digits = 2), ")"
            )), ": the standard error is as uncertain as one from ",
            "{max(2, round(known[heavy[1]]))} values, and mostly too small. Take more stimuli, or ",
            "responses without heavy tails (such as the square roots of counts).")
}

# The variance is as uncertain as that of fewer normal values only with heavy tails.
enough_of_variance <- 6

influence_words <- function(call, rows, at, part) {
  measure <- rows$measure[at[1]]
  # rows of cka_interval() are labelled by the estimator alone
  if (measure %in% c(estimators, trial_estimators)) measure <- paste0("cka(", measure, ")")
  paste0(call$units, if (call$clustered) " clusters" else " stimuli", part, " of the influence on ",
         measure, " of ", quoted(rows$x[at[1]]), " and ", quoted(rows$y[at[1]]),
         if (length(at) > 1) paste0(" (", length(at) - 1, " more like this)"))
}

deletions_of_call <- function(task, rows, columns, factors, words) {
  half <- words == "half-samples"
  units <- units_of(task$n, task$codes)
  stimuli <- matrix(NA_real_, units, length(columns))
  if (any(!half)) stimuli[, !half] <- vapply(columns[!half], deviations_of, numeric(units))
  halves <- NULL
  if (any(half)) {
    halves <- matrix(NA_real_, task$settings$draws, length(columns))
    halves[, half] <- vapply(columns[half], deviations_of, numeric(nrow(halves)))
  }
  named <- if (is.null(task$codes)) {
    Find(function(repr) repr$kind == "data" && !is.null(rownames(repr$data)),
         all_representations(task$sides))
  }
  list(rows = data.frame(key = score_keys(rows), score = rows$score), n = task$n, units = units,
       names = if (!is.null(named)) rownames(named$data), stimuli = stimuli,
       halves = halves, methods = words, clustered = !is.null(task$codes), factors = factors)
}

# For each row, as in the column `over`.
over_words <- function(task) {
  settings <- task$settings
  subjects <- task$sides$x$reprs
  at <- expand.grid(m = seq_along(task$set), p = seq_len(nrow(task$pairs)))
  mapply(function(m, p) {
    mixed <- if (pools_subjects(task)) seq_along(subjects) else task$pairs$i[p]
    sampled <- vapply(mixed, function(i) {
      sampled_sides(side_pair(task$sides, i, task$pairs$j[p]), task$set[[m]], settings)
    }, c(x = NA, y = NA))
    given <- isTRUE(task$beside[[m]]$sampled[p]) && (any(sampled) || !settings$by_default)
    parts <- c(unit_words(task$codes),
               c("neurons_x", "neurons_y")[rowSums(sampled) > 0], if (given) "neurons_given",
               if (settings$subjects) subjects_words(length(subjects)))
    if (settings$these) {
      place <- match("neurons_x", parts, length(parts))
      parts[place] <- paste0(parts[place], if (parts[place] != "neurons_x") ",", " of these ",
                             length(subjects), " subjects")
    }
    paste(parts, collapse = " + ")
  }, at$m, at$p)
}

# Subjects as a sample.
subjects_words <- function(count) {
  paste0("subjects", if (count < few_subjects) paste0(", a guess from only ", count, " subjects"))
}

# The scale of each interval, see limits_of(). several: in which are there other samples than the
# stimuli?
interval_scales <- function(task, score, se, columns, several) {
  measures <- rep(task$set, length.out = length(score))
  asked <- task$settings$transform
  scales <- Map(function(measure, score, se, column, several) {
    errors <- errors_of(measure)
    cosine <- errors$cosine
    refuse_if(asked == "z" && is.null(cosine) && (measure$range[1] < -1 || measure$range[2] > 1),
              "choice", "transform = \"z\" needs scores between -1 and 1, which those of ",
              "{quoted(measure$label)} need not be: use \"auto\" or \"none\".",
              arg = "transform")
    way <- if (asked == "auto") transform_of(measure, errors) else asked
    point <- if (is.null(cosine)) score else cosine$of(score)
    spread <- if (is.null(cosine)) se else se / abs(cosine$slope(point))
    # there is no z of a score beyond 1, as corrections may give
    z <- way == "z" && isTRUE(abs(point) < 1)
    if (z) {
      # the standard error of Fisher's z is known from the deletions of stimuli alone
      own <- if (!several && !is.na(se)) column$spread else NA_real_
      spread <- if (is.na(own)) spread / (1 - point^2) else own
      point <- atanh(point)
    }
    back <- if (!is.null(cosine)) paste0(cosine$back, if (!z) " plain") else
      if (z) "z" else "plain"
    data.frame(point = point, spread = spread, back = back)
  }, measures, score, se, columns, several)
  do.call(rbind, unname(scales))
}

# constant: does the score not vary at all? factors: the samples beside the stimuli. sessions: are
# sessions of neurons sampled?
warn_no_errors <- function(result, constant, factors, sessions) {
  lost <- which(is.na(result$se) & !is.na(result$score))
  first <- result[lost[1], ]
  single <- Find(function(factor) lost[1] %in% factor$rows && factor$size == 1, factors)
  warn_if(length(lost), "undefined", "No standard error (NA) of {length(lost)} of ",
          "{count_of(nrow(result), 'score')}. First, {first$measure} of {quoted(first$x)} and ",
          "{quoted(first$y)}: ",
          if (constant[lost[1]]) {
            paste0("its score (", format(first$score, digits = 4), ") does not vary with what was ",
                   "sampled, as that of identical data, or of too many neighbours.")
          } else if (is.null(single)) {
            paste0("it is undefined without some of what was sampled: there is too little of it",
                   if (sessions) " (of neurons in sessions, three sessions are the least)", ".")
          } else {
            paste0("errors over ", single$name, " need at least 2 neurons with different labels, ",
                   "but there is only one neuron or label. Give more, or leave these neurons out ",
                   "of `over`.")
          }, data = lost)
}

# The square of a deviation may be more than a double holds where the score itself is not.
warn_infinite_errors <- function(result) {
  large <- which(is.infinite(result$se))
  first <- result[large[1], ]
  warn_if(length(large), "undefined", "The standard error of {length(large)} of ",
          "{count_of(nrow(result), 'score')} is too large for a double (Inf). First, ",
          "{first$measure} of {quoted(first$x)} and {quoted(first$y)}: let the measure return ",
          "smaller numbers.", data = large)
}

# ---- interval parts

# The deletions that score_interval() keeps beside its rows, and the covariances of scores that
# follow from them.

# The attribute `deletions` of a result of class "repalign_interval" is a list with an entry
# for each call of score_interval() that its rows come from (several after rbind()). An entry is
#
# rows           what names each of the P scores of the call (score_keys()), with their values and
#                standard errors: a row of a result finds its place by these, so that results may be
#                cut, reordered and bound; `sample_y`: see interval_rows()
# n, units       the numbers of stimuli, and of what is deleted of them (stimuli or clusters)
# names          of these units
# stimuli        a matrix units x P of deviations, whose products add up to the covariances over
#                stimuli; NA for scores by half-samples
# halves         the same of half-samples, draws x P, or NULL without any
# methods        of the P scores
# clustered      were clusters deleted?
# factors        a list with an entry for each other sample, such as the neurons of one
#                representation: list(name, size, rows, deviations, interaction), where `rows` are
#                the scores that it is part of, `deviations` is size x rows, and `interaction` the
#                matrix (rows x rows) of the covariances that are subtracted because both main parts
#                contain them. Of these subjects also `pooled`: does it hold the neurons of one of
#                them? Of few subjects `most_df`: so many degrees of freedom are never exceeded
# scales         a data frame with the scales of the intervals: point +- quantile * spread, mapped
#                by `back`

# What names the rows of a result.
score_keys <- function(rows) {
  columns <- intersect(c("model_x", "model_y", "x", "y", "measure", "space", "over"), names(rows))
  do.call(paste, c(lapply(unname(as.list(rows)[columns]), as.character), sep = "\r"))
}

# The places of the rows of a result: a data frame with the columns call and row.
deletion_places <- function(object, arg = "object") {
  rows <- as.data.frame(object)
  if (all(c("estimator", "cka") %in% names(rows))) {
    # rows of cka_interval() as those of score_interval()
    rows$x <- rep("x", nrow(rows))
    rows$y <- rep("y", nrow(rows))
    rows[c("measure", "score")] <- rows[c("estimator", "cka")]
  }
  rows <- need_columns(rows, c("x", "y", "measure", "score", "se", "over"), "used")
  keys <- score_keys(rows)
  calls <- attr(object, "deletions")
  places <- data.frame(call = rep(NA_integer_, nrow(rows)), row = rep(NA_integer_, nrow(rows)))
  for (call in seq_along(calls)) {
    known <- calls[[call]]$rows
    for (at in which(is.na(places$call))) {
      here <- which(known$key == keys[at])
      same <- vapply(here, function(row) {
        identical(known$score[row], rows$score[at]) && identical(known$se[row], rows$se[at])
      }, NA)
      if (any(same)) places[at, ] <- c(call, here[same][1])
    }
  }
  refuse_if(anyNA(places$call), "rows", "The deletions of some rows are no longer known: use rows ",
            "of what score_interval() returned, with their names and scores as they were.",
            arg = arg)
  places
}

# The parts of the covariances of the rows of a result, all of one call: list(main, interactions,
# df, score). `main` is a list of covariance matrices, of the stimuli first; `interactions` are
# those of each of the others with the stimuli, and df the degrees of freedom of each main part, and
# most_df what they are at most together. Main parts with equal numbers in `sample` are one.
interval_parts <- function(object, arg = "object") {
  places <- deletion_places(object, arg)
  calls <- attr(object, "deletions")
  refuse_if(length(unique(places$call)) > 1, "rows", "These rows come from several calls of ",
            "score_interval(), which do not tell how their scores vary together: give all ",
            "representations in one call.", arg = arg)
  parts_of_call(if (nrow(places)) calls[[places$call[1]]] else calls[[1]], places$row)
}

parts_of_call <- function(call, rows) {
  # NA between scores by deletions and scores by half-samples
  over_stimuli <- crossprod(call$stimuli[, rows, drop = FALSE])
  if (!is.null(call$halves)) {
    of_halves <- crossprod(call$halves[, rows, drop = FALSE])
    known <- is.na(over_stimuli) & !is.na(of_halves)
    over_stimuli[known] <- of_halves[known]
  }
  factors <- Filter(function(factor) any(rows %in% factor$rows), call$factors)
  # scores that a factor is no part of have zeros
  full <- function(factor, values) {
    at <- match(rows, factor$rows)
    values <- values[at, at, drop = FALSE]
    values[is.na(at), ] <- 0
    values[, is.na(at)] <- 0
    values
  }
  pooled <- c(FALSE, vapply(factors, function(factor) isTRUE(factor$pooled), NA))
  list(main = c(list(over_stimuli),
                lapply(factors, function(f) full(f, crossprod(f$deviations)))),
       interactions = lapply(factors, function(f) full(f, f$interaction)),
       df = c(call$units - 1, vapply(factors, function(f) f$size - 1, 0)),
       sample = replace(seq_along(pooled), pooled, 0),
       most_df = min(Inf, unlist(lapply(factors, function(factor) factor$most_df))),
       clustered = call$clustered, score = call$rows$score[rows])
}

# The covariances of some scores.
some_parts <- function(parts, at) {
  cut <- function(part) part[at, at, drop = FALSE]
  parts$main <- lapply(parts$main, cut)
  parts$interactions <- lapply(parts$interactions, cut)
  if (!is.null(parts$with_folds)) parts$with_folds <- cut(parts$with_folds)
  parts
}

# The standard errors of contrasts (columns of `weights`, rows x contrasts) and their degrees of
# freedom. A variance is never below one of its main parts. Over stimuli alone intervals are normal;
# with other samples or clusters the degrees of freedom are those of Satterthwaite.
contrast_errors <- function(parts, weights) {
  quadratic <- function(covariance) {
    # scores without weight may have no variance
    vapply(seq_len(ncol(weights)), function(j) {
      used <- weights[, j] != 0
      w <- weights[used, j]
      among <- covariance[used, used, drop = FALSE]
      found <- sum(w * (among %*% w))
      # rounding leaves a little of the difference of two copies
      if (isTRUE(abs(found) < tie_share * sum(w^2 * diag(among)))) 0 else found
    }, 0)
  }
  main <- matrix(vapply(parts$main, quadratic, numeric(ncol(weights))), ncol(weights))
  inner <- matrix(vapply(parts$interactions, quadratic, numeric(ncol(weights))), ncol(weights))
  if (isTRUE(parts$capped)) inner <- pmax(inner, 0)
  # rounding may take the variance of two copies below 0
  whole <- if (anyDuplicated(parts$sample)) t(rowsum(t(main), parts$sample)) else main
  largest <- vapply(seq_len(nrow(main)), function(j) max(whole[j, ]), 0)
  variance <- pmax(rowSums(main) - rowSums(inner), largest, 0)
  if (!is.null(parts$with_folds)) {
    variance[variance < least_share_beside_folds * quadratic(parts$with_folds)] <- NA
  }
  several <- length(parts$main) > 1
  df <- if (isTRUE(parts$capped)) rep(parts$df, ncol(weights)) else if (several) {
    # squares of variances in very large units are more than a double holds
    ifelse(variance > 0, 1 / rowSums(sweep((main / variance)^2, 2, parts$df, "/")), NA_real_)
  } else rep(if (parts$clustered) parts$df else Inf, ncol(weights))
  # scores over stimuli alone beside others
  alone <- several & rowSums(main[, -1, drop = FALSE]) %in% 0 & variance > 0
  if (!isTRUE(parts$clustered)) df[which(alone)] <- Inf
  if (!is.null(parts$most_df)) df <- pmin(df, parts$most_df)
  # data.frame() would take most of the time where there are few
  list2DF(list(se = sqrt(variance), df = df))
}

# A variance of which less is left beside that of folds is not known.
least_share_beside_folds <- 0.01

# The covariance matrix of the rows: eigenvalues below 0, which the subtraction of interactions may
# leave, are set to 0, and the diagonal is that of the standard errors.
total_covariance <- function(parts) {
  total <- Reduce(`+`, parts$main) - Reduce(`+`, parts$interactions, 0)
  wanted <- contrast_errors(parts, diag(nrow(total)))$se
  if (length(parts$interactions)) {
    # scores whose covariances are known are known together
    together <- apply(is.na(total), 1, function(lost) paste(which(!lost), collapse = " "))
    for (at in split(seq_along(together), together)) {
      if (anyNA(total[at, at])) next
      among <- eigen(total[at, at, drop = FALSE], symmetric = TRUE)
      if (all(among$values >= 0)) next
      total[at, at] <- among$vectors %*% (pmax(among$values, 0) * t(among$vectors))
    }
  }
  factor <- ifelse(diag(total) > 0, wanted / sqrt(pmax(diag(total), 0)), 1)
  total <- total * outer(factor, factor)
  diag(total) <- wanted^2
  total
}

# Limits at a level, from the scale that a row has its interval on.
limits_of <- function(scales, df, level) {
  half <- stats::qt(0.5 + level / 2, df) * scales$spread
  limits <- cbind(map_back(scales$point - half, scales$back),
                  map_back(scales$point + half, scales$back))
  cbind(low = pmin(limits[, 1], limits[, 2]), high = pmax(limits[, 1], limits[, 2]))
}

# "z": Fisher's z of the score; "angle" and "chord": of the cosine that the distance is made of.
map_back <- function(point, back) {
  value <- point
  for (kind in setdiff(unique(back), "plain")) {
    at <- which(back == kind)
    c <- if (grepl("plain", kind)) point[at] else tanh(point[at])
    value[at] <- switch(sub(" plain", "", kind), z = c, angle = new_angle()$score(c),
                        chord = new_chord()$score(c), no_branch(kind))
  }
  value
}
