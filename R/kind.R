# A representation is of one of three kinds: responses ("data"), distances between stimuli ("dist"),
# or a neighbour graph ("graph").

kinds <- c("data", "dist", "graph")

kind_of <- function(x) {
  if (is.matrix(x)) return("data") # the quick answer to most
  if (inherits(x, "dist")) return("dist")
  if (is_graph(x)) "graph" else "data"
}

is_graph <- function(x) {
  is.list(x) && !is.data.frame(x) && all(c("idx", "dist") %in% names(x)) &&
    length(dim(x$idx)) == 2
}

stimulus_count <- function(x) {
  switch(kind_of(x), data = nrow(x), dist = attr(x, "Size"), graph = nrow(x$idx))
}

stimulus_names <- function(x) {
  switch(kind_of(x), data = rownames(x), dist = attr(x, "Labels"), graph = rownames(x$idx))
}
