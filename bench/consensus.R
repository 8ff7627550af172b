# consensus(): scores of unrelated subjects in sample and left out, levels of its tests, its errors
# beside the true spread of its scores, and how long it takes beside held_out(). From the root of
# the repository, with the package installed:
#   R_LIBS=.build/lib OPENBLAS_NUM_THREADS=1 Rscript bench/consensus.R [parts] [sets=300] [m=3,4,5]
# parts: speed chance level beside errors repeats clusters gaps absent (all by default). Every set
# has new stimuli and new subjects.

library(repalign)

arguments <- commandArgs(TRUE)
setting <- function(name, default) {
  given <- sub(paste0("^", name, "="), "", grep(paste0("^", name, "="), arguments, value = TRUE))
  if (length(given)) as.integer(strsplit(given, ",")[[1]]) else default
}
sets <- setting("sets", 300L)
sizes <- setting("m", c(3L, 4L, 5L))
all_parts <- c("speed", "chance", "level", "beside", "errors", "repeats", "clusters", "gaps",
               "absent")
parts <- intersect(arguments, all_parts)
if (!length(parts)) parts <- all_parts

quiet <- function(code) suppressMessages(suppressWarnings(code))
normal <- function(n, d) matrix(rnorm(n * d), n)
show <- function(what, ...) {
  cat(sprintf("%-58s %s\n", what, paste(format(round(c(...), 3), nsmall = 3), collapse = "  ")))
}

# m subjects of q neurons each with noise of `noise` times the size of what they share (5
# dimensions), and a model that has half of the noise. Subjects are other ones in each set, but the
# model is the same: errors are about other stimuli and subjects, and not about other models.
# labels: clusters of stimuli, which share what is shared and half of the noise.
model_weights <- local({
  set.seed(3)
  normal(5, 15)
})
draw <- function(m, n = 40, q = 15, noise = 1.2, labels = seq_len(n), related = TRUE) {
  signal <- function() normal(max(labels), 5)[labels, ]
  shared <- signal()
  side <- function(noise, weights = normal(5, q)) {
    signal <- (if (related) shared else signal()) %*% weights
    own <- (normal(max(labels), q)[labels, ] + normal(n, q)) / sqrt(2)
    signal + noise * sqrt(5) * own
  }
  x <- lapply(seq_len(m), function(i) side(noise))
  list(x = stats::setNames(x, paste0("s", seq_len(m))),
       model = side(noise / 2, model_weights[, rep_len(1:15, q)]))
}

# ---- speed

if ("speed" %in% parts) {
  cat("Seconds of the processor: consensus() over m times held_out() of one pair\n")
  seconds <- function(code) sum(system.time(quiet(code))[c("user.self", "sys.self")])
  for (cell in list(c(3, 40, 15, 999), c(5, 40, 15, 999), c(5, 60, 40, 999), c(5, 60, 40, 9999))) {
    set.seed(1)
    x <- draw(cell[1], cell[2], cell[3])$x
    folds <- rep(1:5, length.out = cell[2])
    m <- measure("shape_distance", method = "euclidean")
    one <- seconds(held_out(x[[1]], x[[2]], m, folds = folds, permutations = cell[4]))
    all <- seconds(consensus(x, folds = folds, permutations = cell[4]))
    none <- seconds(consensus(x, folds = folds))
    cat(sprintf("%d subjects, %d x %d, %d permutations: %.2f / (%d x %.2f) = %.2f; errors %.2f\n",
                cell[1], cell[2], cell[3], cell[4], all, cell[1], one, all / (cell[1] * one), none))
  }
}

# ---- chance

# The score of side s against the consensus of `others`, fitted to `train` and scored on `test`.
cosine_of <- function(x, s, others, train, test) {
  base <- lapply(x, function(one) {
    means <- colMeans(one[train, ])
    size <- sqrt(sum(sweep(one[train, ], 2, means)^2))
    sweep(one, 2, means) / size
  })
  parts <- svd(do.call(cbind, base[others])[train, ])
  p <- max(vapply(base[others], ncol, 0L))
  s0 <- sweep(parts$u[, seq_len(p)], 2, parts$d[seq_len(p)], "*")
  turn <- function(one, onto) {
    found <- svd(crossprod(one[train, ], onto))
    one %*% tcrossprod(found$u, found$v)
  }
  consensus <- Reduce(`+`, lapply(base[others], turn, s0)) / length(others)
  a <- turn(base[[s]], consensus[train, ])[test, ]
  c(sum(a * consensus[test, ]), sum(a^2), sum(consensus[test, ]^2))
}

if ("chance" %in% parts) {
  cat("Unrelated subjects: in sample with itself, others; left out with itself, others;",
      "an unrelated model in sample, left out\n")
  for (cell in list(c(3, 40, 15), c(10, 40, 15), c(5, 60, 40))) {
    set.seed(1)
    m <- cell[1]
    n <- cell[2]
    each <- replicate(sets, {
      x <- lapply(seq_len(m + 1), function(i) normal(n, cell[3]))
      folds <- split(seq_len(n), sample(rep(1:5, length.out = n)))
      whole <- seq_len(n)
      value <- function(sums) sums[1] / sqrt(sums[2] * sums[3])
      left_out <- function(s, others) {
        value(Reduce(`+`, lapply(folds, function(test) {
          cosine_of(x, s, others, setdiff(whole, test), test)
        })))
      }
      c(value(cosine_of(x, 1, 1:m, whole, whole)), value(cosine_of(x, 1, 2:m, whole, whole)),
        left_out(1, 1:m), left_out(1, 2:m), value(cosine_of(x, m + 1, 1:m, whole, whole)),
        left_out(m + 1, 1:m))
    })
    show(sprintf("%d subjects, %d x %d", m, n, cell[3]), rowMeans(each))
  }
}

# ---- level

# What the tests find: a subject, the group, a model.
found_of <- function(result) {
  p <- result$p_value
  c(mean(p[result$kind == "subject"] <= 0.05), p[result$kind == "group"] <= 0.05,
    p[result$kind == "model"] <= 0.05)
}

if ("level" %in% parts) {
  cat("Rejected at .05 (99 permutations): a subject, the group, a model, all unrelated\n")
  for (m in sizes) {
    set.seed(1)
    show(sprintf("%d subjects, 40 x 15", m), rowMeans(replicate(sets, {
      data <- draw(m, related = FALSE)
      found_of(quiet(consensus(data$x, list(model = data$model), permutations = 99)))
    })))
  }
}

if ("beside" %in% parts) {
  cat("Rejected at .05 (99 permutations)\n")
  set.seed(1)
  show("model beside 4 related subjects", mean(replicate(sets, {
    data <- draw(4)
    found_of(quiet(consensus(data$x, list(model = normal(40, 15)), permutations = 99)))[3]
  })))
  set.seed(1)
  show("4 subjects, 20 clusters of 3 alike, named in `clusters`", rowMeans(replicate(sets, {
    labels <- rep(1:20, each = 3)
    data <- draw(4, 60, labels = labels, related = FALSE)
    found_of(quiet(consensus(data$x, list(model = data$model), clusters = labels,
                             permutations = 99)))
  })))
  set.seed(1)
  show("the same without `clusters`", rowMeans(replicate(sets, {
    data <- draw(4, 60, labels = rep(1:20, each = 3), related = FALSE)
    found_of(quiet(consensus(data$x, list(model = data$model), permutations = 99)))
  })))
}

# ---- errors

# Scores, their errors and intervals of many sets: of the group, a model and its difference, and of a
# subject; V_s alone and the standard deviation of the subjects' scores over sqrt(m).
errors_of_sets <- function(title, make, ...) {
  settings <- list(...)
  set.seed(1)
  each <- replicate(sets, {
    data <- make()
    result <- quiet(do.call(consensus, c(list(data$x, list(model = data$model)), settings)))
    errors <- as.data.frame(result, part = "errors")
    m <- sum(result$kind == "subject")
    at <- c(group = m + 2, model = m + 1, subject = 1)
    values <- c(result$score[at], result$difference[m + 1])
    half <- stats::qt(0.975, result$df[at]) * result$se[at]
    df <- result$df[m + 2]
    naive <- stats::sd(result$score[seq_len(m)]) / sqrt(m)
    rbind(values = c(values, values[c(1, 1, 3)]),
          se = c(result$se[at], result$difference_se[m + 1], errors$se_stimuli[m + 2], naive,
                 errors$se_stimuli[1]),
          half = c(half, stats::qt(0.975, df) * result$difference_se[m + 1],
                   stats::qt(0.975, 39) * errors$se_stimuli[m + 2],
                   stats::qt(0.975, m - 1) * naive, stats::qt(0.975, 39) * errors$se_stimuli[1]))
  })
  value <- each["values", , ]
  ratio <- sqrt(rowMeans(each["se", , ]^2)) / apply(value, 1, stats::sd)
  cover <- rowMeans(abs(value - rowMeans(value)) <= each["half", , ])
  cat(title, sprintf("(score %.2f, model %.2f)\n", mean(value[1, ]), mean(value[2, ])))
  names <- c("group", "model", "subject", "difference", "V_s alone", "sd of subjects",
             "subject, alignments held")
  for (k in seq_along(names)) show(paste("   ", names[k], "ratio, cover"), ratio[k], cover[k])
}

if ("errors" %in% parts) {
  for (m in sizes) errors_of_sets(sprintf("%d subjects, 40 x 15", m), function() draw(m))
  if (4 %in% sizes) {
    errors_of_sets("4 subjects, 80 x 15", function() draw(4, 80))
    errors_of_sets("4 subjects, 40 x 15, weak", function() draw(4, noise = 2))
  }
}

if ("repeats" %in% parts) {
  errors_of_sets("4 subjects, 40 x 15, repeats = 5", function() draw(4), repeats = 5)
}

if ("clusters" %in% parts) {
  labels <- rep(1:20, each = 3)
  errors_of_sets("4 subjects, 20 clusters of 3, in `clusters`",
                 function() draw(4, 60, labels = labels), clusters = labels)
  errors_of_sets("4 subjects, 20 clusters of 3, not named", function() draw(4, 60, labels = labels))
}

if ("gaps" %in% parts) {
  with_gaps <- function() {
    data <- draw(4)
    data$x <- lapply(data$x, function(one) {
      one[sample(40, 6), ] <- NA
      one
    })
    data
  }
  errors_of_sets("4 subjects, 40 x 15, 15% absent, pairwise", with_gaps, na = "pairwise")
  set.seed(1)
  show("   mean score complete, pairwise, common stimuli only", rowMeans(replicate(sets, {
    data <- draw(4)
    gaps <- lapply(data$x, function(one) {
      one[sample(40, 6), ] <- NA
      one
    })
    group <- function(result) utils::tail(result$score, 1)
    quiet(c(group(consensus(data$x)), group(consensus(gaps, na = "pairwise")),
            group(consensus(gaps, na = "stimuli"))))
  })))
}

if ("absent" %in% parts) {
  set.seed(1)
  show("Rejected at .05, 15% absent: subject, group, model", rowMeans(replicate(sets, {
    data <- draw(4, related = FALSE)
    x <- lapply(data$x, function(one) {
      one[sample(40, 6), ] <- NA
      one
    })
    found_of(quiet(consensus(x, list(model = data$model), na = "pairwise", permutations = 99)))
  })))
}
