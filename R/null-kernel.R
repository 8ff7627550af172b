# This file says what a null kernel is, how a measure names one, and which forms it works on.

# All null kernels by the names that measures call them; each is declared in a file of its own.
null_kernels <- new.env()

# name     the name that measures call the kernel
# run      function(task): a list with null_of_pair() of every pair; see kernel_null() for the task
# cosets   can the kernel take all cyclic shifts of a coset at once?
# size     function(n, d): how many numbers the operand of an n x d representation holds
# memory   function(n, dx, dy): how many numbers there are beside the forms of a pair while it runs
declare_null_kernel <- function(name, run, cosets, size, memory) {
  stopifnot(is.null(null_kernels[[name]]), identical(names(formals(run)), "task"),
            is.logical(cosets), identical(names(formals(size)), c("n", "d")),
            identical(names(formals(memory)), c("n", "dx", "dy")))
  null_kernels[[name]] <- list(run = run, cosets = cosets, size = size,
                               memory = memory)
}

null_kernel <- function(name) {
  kernel <- null_kernels[[name]]
  if (is.null(kernel)) stop("No null kernel ", dQuote(name, FALSE), " is declared.")
  kernel
}

# What a measure declares as its null: the name of a kernel, two functions, and in `...` what this
# kernel needs besides, which its file describes.
# operand     function(form, repr, args, side): a list of what the kernel permutes, and of what
#             else the statistic and the score need of a side; it is added to the form
# more        function(n, dx, dy): how many numbers it needs beside those of the kernel, or NULL
# statistic   function(values, x, y, args, design): the statistic of all permutations, made of what
#             the kernel gives for them, the observed order first; x and y are the forms
new_null <- function(kernel, operand, statistic = function(values, x, y, args, design) values,
                     ...) {
  list(kernel = kernel, operand = operand, statistic = statistic, ...)
}

# The null that a measure declares for its arguments, or NULL for the direct path.
null_of <- function(measure) declared(measure$declaration$null, measure$args)

has_cosets <- function(null) !is.null(null) && null_kernel(null$kernel)$cosets

# The forms of one side, extended by their operands.
operands <- function(null, measure, reprs, index, side) {
  used_forms(reprs, index, function(repr) {
    form <- measure$declaration$prepare(repr, measure$args, side)
    parts <- null$operand(form, repr, measure$args, side)
    new_form(kind_of_form(form), c(unclass(form), parts))
  })
}

null_score <- function(null, measure, design) {
  function(values, x, y) {
    if (is_undefined(x) || is_undefined(y)) return(rep(NA_real_, order_count(values)))
    statistic <- null$statistic(values, x, y, measure$args, design)
    measure$declaration$score(statistic, x, y, measure$args)
  }
}

# How many orders of the stimuli a kernel's values are for: a vector has one value for each, a
# matrix a column, and a list of sums matrices with a row.
order_count <- function(values) {
  if (is.list(values)) nrow(values[[1]]) else if (is.matrix(values)) ncol(values) else
    length(values)
}

# The two forms of pair number p of a task.
task_forms <- function(task, p) {
  list(x = task$x$forms[[task$x$at[p]]], y = task$y$forms[[task$y$at[p]]])
}
