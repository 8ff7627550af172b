# Whether a whole call fits into memory, judged before anything is prepared.

#' What one comparison holds, from sizes alone
#'
#' `kept` are the forms of both sides, whose sizes declare_form() tells. At the peak the larger
#' side is there twice, when it is made or permuted, beside the forms or, where these are small, two
#' matrices of neurons (or stimuli, where these are fewer) x neurons. That is right within a factor
#' of about two, and half of the free memory is the limit: a statistic that makes much more says so
#' by check_memory().
#'
#' @param dx,dy numbers of neurons, 0 where distances or a graph stand for them
#' @return numbers of 8 bytes: c(kept, peak).
#' @noRd
pair_needs <- function(d, n, dx, dy, args) {
  sides <- c(side_needs(d, n, dx, args, "x"), side_needs(d, n, dy, args, "y"))
  c(kept = sum(sides), peak = max(sides) + max(sum(sides), 2 * min(n, dx) * min(n, dy)))
}

# Given distances and graphs are there already.
side_needs <- function(d, n, width, args, side) {
  given <- if (width == 0) c("distances", "graph")
  form_size(setdiff(kept_forms(d, args, side), given), n, width, args)
}

# One comparison of a pair by one measure. what: the function that the user called, in messages.
check_pair_memory <- function(d, pair, args, what = paste0(d$id, "()")) {
  widths <- c(width_of(pair$x), width_of(pair$y))
  needs <- function(n, widths) pair_needs(d, n, widths[1], widths[2], args)[["peak"]]
  refuse_needs(needs, as.double(pair$x$n), widths, what, args)
}

# A grid of pairs by a set of measures; null: is there a permutation null, by which engine?
check_grid_memory <- function(set, sides, null = NULL) {
  if (are_tiny(c(sides$x$reprs, sides$y$reprs))) return(invisible())
  set <- Filter(Negate(is_own), set)
  if (!length(set)) return(invisible())
  widest <- function(side) max(vapply(side$reprs, width_of, 0))
  widths <- c(widest(sides$x), widest(sides$y))
  needs <- function(n, widths) set_needs(set, n, widths[1], widths[2], null)
  what <- paste0(if (is.null(null)) "similarity() by " else "calibrate() by ",
                 enumerate(vapply(set, function(m) m$label, ""), 3))
  args <- do.call(c, lapply(set, function(m) m$args["batch"]))
  refuse_needs(needs, as.double(sides$x$reprs[[1]]$n), widths, what, args)
}

# Are all representations so small that no measure can need more memory than any machine has? The
# hungriest keep some 20 matrices of this size.
are_tiny <- function(reprs) {
  if (!is.null(getOption("repalign.max_memory"))) return(FALSE)
  for (repr in reprs) {
    width <- if (repr$kind == "data") dim(repr$data)[2] else 0
    if (!is.null(repr$responses) || repr$n + width >= 200) return(FALSE)
  }
  TRUE
}

# Neurons of a side: none, where distances or a graph stand for them.
width_of <- function(repr) if (repr$kind == "data") as.double(ncol(repr$data)) else 0

refuse_needs <- function(needs, n, widths, what, args) {
  now <- needs(n, widths)
  check_memory(8 * now, paste0(what, ", of ", format(n, big.mark = ","), " stimuli,"), {
    # what would need less is found only for those who need it
    less <- c(stimuli = needs(floor(n / 2), widths), neurons = needs(n, floor(widths / 2)))
    by <- names(less)[less < 0.8 * now]
    if (!length(by) && !is.null(args[["batch"]])) "A smaller `batch` needs less." else
      paste0("Fewer ", paste(if (length(by)) by else "stimuli", collapse = " or "), " need less.")
  })
}

# Numbers that all measures of a call need for one pair: what each keeps is there when the next
# ones are computed, but for what several have in common.
set_needs <- function(set, n, dx, dy, null = NULL) {
  needs <- vapply(set, function(m) pair_needs(m$declaration, n, dx, dy, m$args), double(2))
  passing <- needs["peak", ] - needs["kept", ]
  # beyond a comparison while the null is made: the operands of both sides, or a permuted side, as
  # every shift is a comparison of its own
  if (!is.null(null)) {
    passing <- passing + vapply(set, function(m) {
      if (null == "linear" || is.null(m$null)) return(n * dy)
      size <- null_kernel(m$null$kernel)$size
      size(n, dx) + size(n, dy)
    }, 0)
  }
  # forms that several measures prepare are made by the first of them
  sizes <- unlist(lapply(set, function(m) {
    kinds <- setdiff(union(kept_forms(m$declaration, m$args, "x"),
                           kept_forms(m$declaration, m$args, "y")), "dissimilarities")
    vapply(kinds, function(kind) {
      form_size(kind, n, dx, m$args) + form_size(kind, n, dy, m$args)
    }, 0)
  }))
  shared <- sum(sizes) - sum(tapply(sizes, names(sizes), max))
  max(needs["kept", ], sum(needs["kept", ]) - shared) + max(passing)
}
