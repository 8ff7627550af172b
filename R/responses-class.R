# The class of responses that know how they were recorded, and the slots that hold the trials of
# each stimulus.

# Fields: values (stimuli x neurons x trials, NA where a cell was not recorded; the trials of a
# stimulus fill the first slots in their order); event (stimuli x trials: labels of what shares
# noise, NA where a stimulus has no such trial); neuron and session (a label for each column, or
# NULL); cluster (a label for each stimulus, NA to leave it out, or NULL); run (are the trials
# runs, each with all stimuli?).
new_responses <- function(values, event = NULL, neuron = NULL, session = NULL, cluster = NULL,
                          run = FALSE) {
  structure(list(values = values, event = event, neuron = neuron, session = session,
                 cluster = cluster, run = run), class = "repalign_responses")
}

is_responses <- function(x) inherits(x, "repalign_responses")

# Which slots of each stimulus have any response.
recorded_slots <- function(values) {
  size <- dim(values)
  present <- vapply(seq_len(size[3]), function(t) {
    rowSums(!is.na(values[, , t, drop = FALSE])) > 0
  }, logical(size[1]))
  matrix(present, size[1], size[3])
}

# Values and events with the trials of each stimulus in its first slots. present: recorded_slots().
move_slots <- function(values, event, present) {
  count <- rowSums(present)
  most <- max(count, 1)
  if (most == ncol(present) && all(present == (col(present) <= count))) {
    return(list(values = values, event = event))
  }
  size <- dim(values)
  names <- dimnames(values)
  order <- t(apply(present, 1, function(row) order(!row)))
  order <- matrix(order, size[1], size[3])[, seq_len(most), drop = FALSE]
  event <- matrix(event[cbind(rep(seq_len(size[1]), most), as.vector(order))], size[1], most)
  cells <- as.double(size[1]) * size[2]
  values <- vapply(seq_len(most), function(slot) {
    values[seq_len(cells) + cells * (rep(order[, slot], size[2]) - 1)]
  }, numeric(cells))
  # slots that were moved no longer have one label for all stimuli
  moved <- !all(order == col(order))
  if (!is.null(names)) {
    names <- list(names[[1]], names[[2]], if (!moved) names[[3]][seq_len(most)])
  }
  list(values = array(values, c(size[1:2], most), names), event = event)
}
