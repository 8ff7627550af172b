# The class of responses that know how they were recorded.

new_responses <- function(values, event = NULL, neuron = NULL, session = NULL, cluster = NULL,
                          run = FALSE) {
  structure(list(values = values, event = event, neuron = neuron, session = session,
                 cluster = cluster, run = run), class = "repalign_responses")
}
