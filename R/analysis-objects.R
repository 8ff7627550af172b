# The analysis object_disentanglement() compares the responses of random subsets of neurons to the
# images of different object categories. Here the neurons take the place of the stimuli (rows), and
# the images that of the neurons (columns).

#' Object disentanglement over numbers of neurons
#'
#' How similarly one population responds to the images of two object categories: low where it
#' separates (disentangles) them, high where it does not.
#'
#' @param responses a matrix stimuli x neurons with the images of all categories, or [responses()]
#'   (clusters, means over trials).
#' @param object the category of each image; all pairs are compared.
#' @param neurons,repeats see [brain_to_brain()].
#' @param estimator one or more of `"naive"`, `"stimulus"`, `"stimulus_neuron"`, see [cka()].
#' @param normalize,conf_level see [brain_to_brain()].
#' @param clusters one label per image, as in [cka()], such as views of one object.
#' @param na see [brain_to_brain()].
#' @param ... not used.
#' @return A data frame of class `repalign_analysis` with the columns of [brain_to_brain()]; `x`
#'   and `y` name the categories.
#' @details
#' Rows of the CKA are the neurons, which all categories share, and columns the images of a
#' category: the stimulus correction corrects for few neurons, the neuron correction for few images.
#' It takes 4 neurons (2 for `"naive"` alone), and for `"stimulus_neuron"` 2 images per category (3
#' for errors, which are over images).
#'
#' When not to trust it: neurons differ in their mean rates, which alone pushes the score towards 1,
#' for any labels: a score near 1 means that categories are not separated beyond that. When images
#' depend on each other, without `clusters`, intervals are too narrow; they hold neurons and
#' categories fixed, and from a handful of images they are uncertain. Noise that neurons share
#' within a trial stays in the score.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, Figure 5.
#' @examples
#' # seven objects at three positions each: does inferior temporal cortex separate them?
#' responses <- apply(macaque_it$counts, 1:2, mean, na.rm = TRUE)
#' objects <- object_disentanglement(responses, macaque_it$object, neurons = 132,
#'                                   estimator = "stimulus_neuron", normalize = "sd")
#' head(objects, 3)
#' summary(objects)$pooled
#' @export
object_disentanglement <- function(responses, object, neurons = NULL, repeats = 100,
                                   estimator = c("naive", "stimulus", "stimulus_neuron"),
                                   normalize = c("none", "sd"), conf_level = 0.95,
                                   clusters = NULL, na = c("error", "stimuli", "neurons"), ...) {
  need_arguments()
  setup <- open_objects(responses, object, neurons, repeats, estimator, normalize, conf_level,
                        clusters, na)
  advance <- progress_along(length(setup$sizes))
  cells <- lapply(setup$sizes, function(size) {
    advance()
    disentanglement_cells(setup$blocks, size, setup)
  })
  # the rows of one comparison stand together, as in the other analyses
  cells <- do.call(c, cells)
  order <- order(vapply(cells, function(cell) cell$pair, 0L))
  with_note(analysis_result(cells[order], setup, "object_disentanglement"), setup$left_out)
}

# The settings, with the numbers of neurons (`sizes`), a matrix for each category (`blocks`), and
# the codes of their images (`images`), of which equal ones depend on each other.
open_objects <- function(responses, object, neurons, repeats, estimator, normalize, conf_level,
                         clusters, na) {
  na <- check_choice(na, missing_rules, "na")
  repr <- analysis_repr(responses, "responses", na)
  setup <- analysis_settings("object_disentanglement", list(repr), estimator, repeats, normalize,
                             conf_level)
  refuse_if(isTRUE(repr$responses$complete), "choice", "`responses` declares complete = TRUE, but ",
            "this analysis takes neurons as a sample: they stand in the place of the stimuli, ",
            "whose correction leaves out pairs. Give as.matrix(responses).")
  # images of one category are alike and often stand together, which is no reason for a warning
  call <- open_sides(sides_of(list(repr)), list(analysis_measure(setup$analysis, "clusters")), na,
                     clusters, use = "errors", least = 2, why = "this analysis", grid = FALSE)
  if (!is.null(setup$conf_level) && is.null(call$clusters)) note_declared_series(list(repr))
  repr <- call$sides$x$reprs[[1]]
  object <- in_order_of(object, call$labels, "object")
  refuse_if(!is.atomic(object) || is.null(object), "labels", "`object` must be a vector of ",
            "labels, not {describe(object)}.")
  refuse_if(length(object) != length(call$rows), "labels", "`object` has ",
            "{count_of(length(object), 'label')}, but `responses` has ",
            "{count_of(length(call$rows), 'row')}: give one label per row.")
  object <- factor(object[call$rows], levels_in_order(object[call$rows]))
  refuse_if(anyNA(object), "labels", "`object` has missing labels, first at position ",
            "{which(call$rows)[is.na(object)][1]}.")
  counts <- table(object)
  refuse_if(length(counts) < 2, "labels", "`object` has a single category: two are needed.")
  least <- if ("stimulus_neuron" %in% setup$estimator) 2 else 1
  refuse_if(any(counts < least), "labels", "`object` has fewer than {least} rows of ",
            "{enumerate(names(counts)[counts < least])}: the correction needs {least} or more.")
  least <- if (any(setup$estimator != "naive")) 4 else 2
  width <- ncol(repr$data)
  refuse_if(width < least, "size", "`responses` has {count_of(width, 'column')} (neurons); this ",
            "analysis needs at least {least}.")
  setup$sizes <- neuron_grid(neurons, width, "`responses`", least)
  check_memory(8 * (3 * length(repr$data) + 6 * sum(as.double(counts)^2)),
               "The image-pair terms", "Fewer images need less.")
  responses <- scale_neurons(repr$data, setup$normalize)
  largest <- max(abs(responses))
  scale <- if (largest > 0) power_of_two_below(largest) else 1
  blocks <- sapply(levels(object), function(o) t(responses[object == o, , drop = FALSE]) * scale,
                   simplify = FALSE)
  flat <- vapply(blocks, function(block) all(apply(block, 2, function(v) all(v == v[1]))), NA)
  refuse_if(any(flat), "variance", "`responses` has no variance over the neurons for ",
            "{enumerate(names(blocks)[flat])}.")
  setup$blocks <- blocks
  setup$images <- split(if (is.null(call$clusters)) seq_len(call$n) else call$clusters, object)
  c(setup, call[c("clusters", "left_out")])
}

# A subset of the neurons is a subset of the rows here, over which columns are centred, so the terms
# of all image pairs are computed anew for each subset. The mean of the terms over the subsets gives
# the pooled values, and from it each image can be deleted.
disentanglement_cells <- function(blocks, size, setup) {
  subsets <- random_subsets(seq_len(nrow(blocks[[1]])), size, setup$repeats)
  pairs <- utils::combn(length(blocks), 2, simplify = FALSE)
  sums <- list()
  values <- lapply(pairs, function(p) array(0, c(ncol(subsets), 3, 3)))
  equal <- function(a, b) which(outer(setup$images[[a]], setup$images[[b]], "=="))
  own_pairs <- lapply(seq_along(blocks), function(b) equal(b, b))
  cross_pairs <- lapply(pairs, function(p) equal(p[1], p[2]))
  for (r in seq_len(ncol(subsets))) {
    rows <- lapply(blocks, function(block) centered(block[subsets[, r], , drop = FALSE], 1))
    self <- lapply(rows, function(x) .Call(C_pair_terms, x, x))
    cross <- lapply(pairs, function(p) .Call(C_pair_terms, rows[[p[1]]], rows[[p[2]]]))
    self_h <- mapply(block_h, self, own_pairs)
    for (i in seq_along(pairs)) {
      values[[i]][r, , ] <- cbind(block_h(cross[[i]], cross_pairs[[i]]), self_h[, pairs[[i]]])
    }
    # each kind of terms of each block is added to its own
    sums$self <- if (r == 1) self else Map(Map, list(`+`), sums$self, self)
    sums$cross <- if (r == 1) cross else Map(Map, list(`+`), sums$cross, cross)
  }
  do.call(c, lapply(seq_along(pairs), function(i) {
    pair <- pairs[[i]]
    values <- values[[i]]
    # images of two categories are two samples; where clusters reach over both, their clusters are
    # one
    units <- unique(unlist(setup$images[pair]))
    at <- lapply(setup$images[pair], match, units)
    strata <- if (any(at[[1]] %in% at[[2]])) list(seq_along(units)) else lapply(at, unique)
    terms <- lapply(c(sums$cross[i], sums$self[pair]), lapply, `/`, ncol(subsets))
    sides <- list(at, at[c(1, 1)], at[c(2, 2)])
    lapply(setup$estimator, function(e) {
      se <- if (is.null(setup$conf_level)) NA_real_ else {
        theta <- ratio_of(do.call(cbind, Map(function(of_part, sides) {
          image_deletions(of_part, sides[[1]], sides[[2]], length(units), e)
        }, terms, sides)))
        sqrt(sum(vapply(strata, function(of_sample) delete_one_variance(theta[of_sample]), 0)))
      }
      list(names = names(blocks)[pair], neurons = size, estimator = e, pair = i,
           single = matrix(values[, match(e, estimators), ], ncol = 3), se = se,
           # one degree of freedom less than clusters, for each sample of them
           df = if (!is.null(setup$clusters)) max(1, length(units) - length(strata)),
           exchangeable = FALSE)
    })
  }))
}

# The three H values of a block of pair terms. left_out: positions of the pairs of images that the
# neuron correction leaves out.
block_h <- function(terms, left_out) {
  naive <- sum(terms$naive)
  all <- sum(terms$stimulus)
  pairs <- length(terms$stimulus)
  allowed <- all - sum(terms$stimulus[left_out])
  left <- pairs - length(left_out)
  c(naive = naive / pairs, stimulus = drop_rounding(all, naive) / pairs,
    stimulus_neuron = if (left > 0) drop_rounding(allowed, naive) / left else NA_real_)
}

# The mean term without each unit (an image, or a cluster of them). rows, columns: the units of the
# images.
image_deletions <- function(terms, rows, columns, units, estimator) {
  counted <- matrix(1, length(rows), length(columns))
  same <- which(outer(rows, columns, "=="))
  if (estimator == "stimulus_neuron") counted[same] <- 0
  of_unit <- function(values, unit) {
    sums <- numeric(units)
    total <- rowsum(values, unit)
    sums[as.integer(rownames(total))] <- total
    sums
  }
  without <- function(m) {
    # what a unit has with itself is in its rows and in its columns
    twice <- if (length(same)) of_unit(m[same], rows[row(m)[same]]) else 0
    sum(m) - of_unit(rowSums(m), rows) - of_unit(colSums(m), columns) + twice
  }
  h <- without((if (estimator == "naive") terms$naive else terms$stimulus) * counted)
  pairs <- without(counted)
  ifelse(pairs > 0, drop_rounding(h, without(terms$naive)) / pairs, NA_real_)
}
