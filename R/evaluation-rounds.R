# Models are evaluated round by round here. A round is a draw of stimuli and RDMs with its weights
# (how often each of them counts), or one fold of such a draw.

# A task is list(values, n, group, models, outer, sigma): data RDMs as a matrix P x N, the number of
# stimuli, the group of each RDM (1, 2, ...), the named models, and how RDMs are compared.
#
# Rounds are list(w_train, w_test, m_train, m_test, m_low, m_high), matrices with a column for each
# round: weights of stimuli (w) and of RDMs (m) to which models are fitted and with which they are
# tested, and of the RDMs that are pooled for the lower and the upper ceiling.
#
# Returns list(scores, lower, upper, table): scores (models x rounds) are means over the tested
# RDMs, lower and upper their ceilings, and table has the similarity of each RDM (N * models x
# rounds). Values that are not defined are NA.
evaluate_rounds <- function(task, rounds, threads) {
  way <- way_of_task(task)
  rows <- if (way == "plain") plain_rounds(task, rounds) else {
    prepared <- prepared_pairs(task)
    if (way == "grams") gram_rounds(prepared, rounds, threads) else
      rank_rounds(prepared, rounds, threads)
  }
  weight <- rounds$m_test
  list(scores = mean_table(rows$table, weight, length(task$models)),
       lower = weighted_means(rows$lower, weight), upper = weighted_means(rows$upper, weight),
       table = rows$table, each_lower = rows$lower)
}

# Comparisons that are linear, or by ranks, have fast ways if all RDMs lack the same pairs.
way_of_task <- function(task) {
  components <- do.call(cbind, lapply(task$models, function(model) model$table$values))
  all <- cbind(task$values, components)
  gaps <- is.na(all)
  if (whitens(task$outer)) {
    return(if (any(gaps) || is.matrix(task$sigma)) "plain" else "grams")
  }
  lacking <- gaps[, 1]
  same <- all(gaps[, seq_len(ncol(task$values))] == lacking) && !any(gaps & !lacking)
  if (!same || task$outer %in% tau_outer) return("plain")
  if (task$outer %in% linear_outer) "grams" else "ranks"
}

# Adds to a task: the pairs that are there with their stimuli, and the components of all models.
prepared_pairs <- function(task) {
  present <- !is.na(task$values[, 1])
  places <- pair_places(which(present), task$n)
  task$first <- places$first
  task$second <- places$second
  task$values <- task$values[present, , drop = FALSE]
  task$components <- lapply(task$models, function(model) {
    model$table$values[present, , drop = FALSE]
  })
  counts <- vapply(task$components, ncol, 0L)
  ends <- ncol(task$values) + cumsum(counts)
  task$at <- Map(function(end, count) end - count + seq_len(count), ends, counts)
  task
}

# Means over RDMs; an RDM that does not count may be NA.
weighted_means <- function(values, weight) {
  used <- weight > 0
  sums <- colSums(replace(values, !used, 0) * weight)
  sums / colSums(weight)
}

mean_table <- function(table, weight, models) {
  size <- nrow(weight)
  rows <- lapply(seq_len(models), function(k) {
    weighted_means(table[(k - 1) * size + seq_len(size), , drop = FALSE], weight)
  })
  matrix(unlist(rows), models, byrow = TRUE)
}
