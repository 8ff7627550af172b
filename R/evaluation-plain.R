# Rounds of evaluate_models() that have no fast way are computed anew, each from RDMs in which
# stimuli come as often as they were drawn.

plain_rounds <- function(task, rounds) {
  count <- ncol(rounds$m_test)
  rows <- lapply(seq_len(count), function(t) {
    column <- function(name) rounds[[name]][, min(t, ncol(rounds[[name]]))]
    plain_round(task, column)
  })
  part <- function(name) matrix(unlist(lapply(rows, `[[`, name)), ncol = count)
  list(table = part("table"), lower = part("lower"), upper = part("upper"))
}

# column: the weights of the round, by their name.
plain_round <- function(task, column) {
  train <- gathered_task(task, column("w_train"))
  test <- gathered_task(task, column("w_test"))
  predicted <- vapply(seq_along(task$models), function(k) {
    model <- task$models[[k]]
    model$table$values <- train$components[[k]]
    weights <- scaled_weights(model, as.vector(
      plain_weights(model, train$values, column("m_train"), task$outer, train$sigma)))
    combined(test$components[[k]], replace(weights, is.na(weights), 0))
  }, numeric(nrow(test$values)))
  predicted <- matrix(predicted, nrow(test$values))
  table <- similarity_table(test$values, predicted, task$outer, test$sigma)
  c(list(table = table),
    plain_ceilings(test$values, task$outer, test$sigma, task$group, column("m_test"),
                   column("m_low"), column("m_high")))
}

# The RDMs of a draw: each stimulus as often as it counts. Pairs of copies lack.
gathered_task <- function(task, w) {
  at <- rep(seq_along(w), w)
  place <- packed_places(at, task$n)
  if (!whitens(task$outer)) place <- place[!is.na(place)]
  list(values = task$values[place, , drop = FALSE],
       components = lapply(task$models, function(model) {
         model$table$values[place, , drop = FALSE]
       }),
       sigma = cut_sigma(task$sigma, at))
}

# Similarities of each RDM with the pool of `low` without its group, and with that of `high`.
plain_ceilings <- function(values, outer, sigma, group, test, low, high) {
  size <- ncol(values)
  lower <- upper <- rep(NA_real_, size)
  used <- which(test > 0)
  groups <- unique(group[used])
  weights <- cbind(high, vapply(groups, function(g) replace(low, group == g, 0), low))
  pools <- means_of_present(normalised_rdms(values, outer, sigma), weights)
  with_pool <- function(at, k) {
    if (sum(weights[, k]) == 0) return(NA_real_)
    pool <- pools[, k, drop = FALSE]
    as.vector(similarity_table(values[, at, drop = FALSE], pool, outer, sigma))
  }
  upper[used] <- with_pool(used, 1)
  for (k in seq_along(groups)) {
    at <- used[group[used] == groups[k]]
    lower[at] <- with_pool(at, k + 1)
  }
  list(lower = lower, upper = upper)
}
