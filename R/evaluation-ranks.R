# Rounds of evaluate_models() by comparisons of ranks: RDMs are sorted once, and the C code counts
# each round's ranks in that order.

# Orders of columns, as the kernel of ranks takes them.
ranked_columns <- function(task, values) {
  orders <- apply(values, 2, order, method = "radix")
  tied <- vapply(seq_len(ncol(values)), function(k) {
    c(FALSE, diff(values[orders[, k], k]) == 0)
  }, logical(nrow(values)))
  list(order = matrix(orders, nrow(values)), tied = matrix(tied, nrow(values)), first = task$first,
       second = task$second, group = task$group, rho = task$outer == "rho_a")
}

bind_ranked <- function(a, b) {
  a$order <- cbind(a$order, b$order)
  a$tied <- cbind(a$tied, b$tied)
  a
}

rank_rounds <- function(task, rounds, threads) {
  count <- ncol(rounds$m_test)
  data <- ranked_columns(task, task$values)
  fixed <- !vapply(task$models, is_flexible, NA)
  own <- if (any(fixed)) ranked_columns(task, do.call(cbind, task$components[fixed]))
  columns <- if (any(fixed)) bind_ranked(data, own) else data
  check_memory(8 * as.double(threads) * nrow(columns$order) * (ncol(columns$order) + 5),
               "Ranks of all RDMs, on each thread,", "Fewer threads take less.")
  w <- every_round(rounds$w_test, count)
  storage.mode(w) <- "double"
  found <- .Call(C_draw_ranks, columns, w, rounds$m_low, rounds$m_high, rounds$m_test, threads)
  names(found) <- c("table", "lower", "upper")
  size <- ncol(task$values)
  table <- matrix(NA_real_, size * length(task$models), count)
  table[rep(fixed, each = size), ] <- found$table
  if (any(!fixed)) {
    table[rep(!fixed, each = size), ] <-
      flexible_ranks(task, which(!fixed), data, rounds, w, threads)
  }
  lapply(list(table = table, lower = found$lower, upper = found$upper), function(values) {
    replace(values, is.nan(values), NA)
  })
}

# Weights are fitted as for Pearson's correlation, components chosen by ranks.
flexible_ranks <- function(task, which, data, rounds, w, threads) {
  train <- weighted_grams(task, "pearson", rounds$w_train, threads)
  chosen <- chosen_by_ranks(task, which, data, rounds, threads)
  result <- vapply(seq_len(ncol(w)), function(t) {
    predicted <- vapply(which, function(k) {
      weights <- if (task$models[[k]]$type == "select") chosen[[as.character(k)]][, t] else
        gram_weights(task, k, round_of(train, t), rounds$m_train[, t])
      combined(task$components[[k]], replace(weights, is.na(weights), 0))
    }, numeric(nrow(task$values)))
    columns <- bind_ranked(data, ranked_columns(task, predicted))
    .Call(C_draw_ranks, columns, w[, t, drop = FALSE], NULL, NULL,
          rounds$m_test[, t, drop = FALSE], 1L)[[1]][, 1]
  }, numeric(length(which) * ncol(task$values)))
  matrix(result, ncol = ncol(w))
}

# Weights (components x rounds) of the models that choose a component, named by their number.
chosen_by_ranks <- function(task, which, data, rounds, threads) {
  which <- Filter(function(k) task$models[[k]]$type == "select", which)
  w <- every_round(rounds$w_train, ncol(rounds$m_train))
  storage.mode(w) <- "double"
  found <- lapply(which, function(k) {
    columns <- bind_ranked(data, ranked_columns(task, task$components[[k]]))
    table <- .Call(C_draw_ranks, columns, w, NULL, NULL, rounds$m_train, threads)[[1]]
    scores <- mean_table(table, rounds$m_train, ncol(task$components[[k]]))
    matrix(apply(scores, 2, selected), nrow(scores))
  })
  stats::setNames(found, which)
}
