# What a null kernel is, how a measure names one, and the forms that it works on.

# Kernels of the engine by the names that measures give them; each is declared in its own file.
null_kernels <- new.env()

# name     as in a measure's null
# run      function(task): the null of every pair, a list of null_of_pair(); see kernel_null()
# cosets   can it take all shifts of a coset at once?
# size     function(n, d): how many numbers the operand of one representation holds
# memory   function(n, dx, dy): how many there are beside the forms of a pair while it runs
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

# What a measure declares as its null, and what its kernel needs to know besides (see its file).
# operand     function(form, repr, args, side): a list of what the kernel permutes, and of what
#             else the statistic and the score ask of a side: it is added to the form
# more        function(n, dx, dy): how many numbers it needs beside those of the kernel, or NULL
# statistic   function(values, x, y, args, design): the measure's statistic of all permutations,
#             from what the kernel gives of them, the observed order first; x, y: the forms
new_null <- function(kernel, operand, statistic = function(values, x, y, args, design) values,
                     ...) {
  list(kernel = kernel, operand = operand, statistic = statistic, ...)
}

# What the measure declares of its null at these arguments, or NULL for the direct path.
null_of <- function(measure) declared(measure$declaration$null, measure$args)

has_cosets <- function(null) !is.null(null) && null_kernel(null$kernel)$cosets

# The forms of one side with what the kernel takes of them.
operands <- function(null, measure, reprs, index, side) {
  used_forms(reprs, index, function(repr) {
    form <- measure$declaration$prepare(repr, measure$args, side)
    parts <- null$operand(form, repr, measure$args, side)
    new_form(kind_of_form(form), c(unclass(form), parts))
  })
}

null_score <- function(null, measure, design) {
  function(values, x, y) {
    statistic <- null$statistic(values, x, y, measure$args, design)
    score <- measure$declaration$score(statistic, x, y, measure$args)
    if (is_undefined(x) || is_undefined(y)) score[] <- NA_real_
    score
  }
}

# The forms of a pair of the task.
task_forms <- function(task, p) {
  list(x = task$x$forms[[task$x$at[p]]], y = task$y$forms[[task$y$at[p]]])
}
