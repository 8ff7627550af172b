# Whether a whole call fits into memory, judged before anything is prepared.

# One comparison of a pair by one measure. what: the function that the user called, in messages.
check_pair_memory <- function(d, pair, args, what = paste0(d$id, "()")) {
  widths <- c(width_of(pair$x), width_of(pair$y))
  needs <- function(n, widths) d$memory(n, widths[1], widths[2], args)[["peak"]]
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
  bytes <- 8 * needs(n, widths)
  # what would need less is found only for those who need it
  check_memory(bytes, paste0(what, ", of ", format(n, big.mark = ","), " stimuli,"),
               less_memory(needs, n, widths, args))
}

less_memory <- function(needs, n, widths, args) {
  now <- needs(n, widths)
  less <- c(stimuli = needs(floor(n / 2), widths), neurons = needs(n, floor(widths / 2)))
  by <- names(less)[less < 0.8 * now]
  if (!length(by) && !is.null(args[["batch"]])) return("A smaller `batch` needs less.")
  paste0("Fewer ", paste(if (length(by)) by else "stimuli", collapse = " or "), " need less.")
}

# Numbers that all measures of a call need for one pair: what each keeps is there when the next
# ones are computed, but for what several have in common.
set_needs <- function(set, n, dx, dy, null = NULL) {
  needs <- vapply(set, function(m) m$declaration$memory(n, dx, dy, m$args), double(2))
  passing <- needs["peak", ] - needs["kept", ]
  if (!is.null(null)) {
    more <- vapply(seq_along(set), function(i) {
      null_needs(set[[i]], n, dx, dy, null, needs[, i])
    }, 0)
    passing <- pmax(passing, more)
  }
  kept <- max(needs["kept", ], sum(needs["kept", ]) - shared_needs(set, n, dx, dy))
  kept + max(passing)
}

# Forms that several measures prepare, and that the first of them makes.
shared_needs <- function(set, n, dx, dy) {
  sizes <- lapply(set, function(m) {
    kinds <- setdiff(union(kept_forms(m$declaration, m$args, "x"),
                           kept_forms(m$declaration, m$args, "y")), "dissimilarities")
    vapply(kinds, function(kind) {
      form_size(kind, n, dx, m$args) + form_size(kind, n, dy, m$args)
    }, 0)
  })
  sizes <- unlist(sizes)
  sum(sizes) - sum(tapply(sizes, names(sizes), max))
}

# A permuted side: its data and its forms.
relabelled_needs <- function(n, d, needs) n * d + 0.5 * needs[["kept"]]

# Numbers beyond what the forms keep while the null is made. needs: of the comparison.
null_needs <- function(measure, n, dx, dy, engine, needs) {
  # every shift is a comparison of its own
  if (engine == "linear") return(needs[["peak"]] + n * dy)
  null <- measure$null
  if (is.null(null)) {
    # neighbours are searched once: what passed then is free
    searched <- !is.null(measure$declaration$neighbours)
    compared <- if (searched) 0 else needs[["peak"]] - needs[["kept"]]
    return(compared + relabelled_needs(n, dy, needs))
  }
  declared <- null_kernel(null$kernel)$memory(n, dx, dy)
  if (isTRUE(null$from_gram) && !measure$args$corrects$stimuli) {
    # the matrices are those that the forms of wide data hold
    declared <- declared - n^2 * ((dx > n) + (dy > n))
  }
  # the sums for moments take blocks of the matrices, see cube_trace()
  if (engine == "moments") return(declared + 400 * n)
  declared + if (is.null(null$more)) 0 else null$more(n, dx, dy)
}
