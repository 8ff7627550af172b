# Noise ceilings and disattenuated scores against known truths:
#   Rscript bench/ceilings.R [replicates=200] [shared=8] [independent] [correlated] [unequal]
#                            [subjects] [above]
# (independent, correlated) Populations of which 40 neurons are recorded with 100 new stimuli and 4
# trials in each data set, against a model whose units are all known. The population's CKA with it
# is 0.8. Noise is independent, or shared by neurons in two dimensions (`shared`: tenths of its
# loading). `noise-free` is the mean score of the signal itself. Disattenuated scores:
# noise_ceiling(); one random split into halves, and the mean over all pairs of single trials
# (both with the neuron pairs that noise_ceiling() takes); and by the formula of Spearman and
# Brown from the score of the halves, for this CKA and for RSA. (unequal) The same for RSA where
# half of the stimuli have 2.5 times the noise.
# (above) In what share of the data sets noise_ceiling() warns that a reliability is above 1: with
# the noise of the parts before, with unequal noise from three and four trials, and with a common
# mean that is taken off all neurons of a trial.
# (subjects) subject_ceiling() beside the mean score of subjects with what they share.

library(repalign)

source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
replicates <- setting("replicates", 200)
loading <- setting("shared", 8) / 10
options(width = 140)
n <- 100
q <- 40
trials <- 4
d <- 10

# A spectrum whose cosine with a flat one is 0.8.
decay <- uniroot(function(a) {
  l <- exp(-a * seq_len(d))
  sum(l) / sqrt(d * sum(l^2)) - 0.8
}, c(0.01, 2))$root
model_weights <- exp(-decay * seq_len(d) / 2)

rsa_measure <- measure("rsa", inner = "sqeuclidean", outer = "pearson")
# the units of the model are all there are
cka_measure <- function(e) measure("cka", estimator = e, complete = "y")

draw <- function(noise, factor = rep(1, n), t = trials) {
  stimuli <- matrix(rnorm(n * d), n)
  signal <- stimuli %*% matrix(rnorm(d * q), d) / sqrt(d)
  load <- matrix(rnorm(2 * q), 2)
  x <- array(vapply(seq_len(t), function(i) {
    own <- matrix(rnorm(n * q), n)
    shared <- if (noise == "correlated") loading * matrix(rnorm(n * 2), n) %*% load else 0
    signal + factor * (own + shared)
  }, signal), c(n, q, t))
  list(x = x, signal = signal, y = stimuli * rep(model_weights, each = n))
}

quiet <- function(code) suppressMessages(suppressWarnings(code))

h_others <- function(a, b) {
  quiet(hsic(a, b, estimator = "stimulus_neuron", shared_neurons = TRUE))
}

mean_of <- function(x) apply(x, 1:2, mean)

# H of x from halves and from pairs of single trials, and from halves as if noise were none.
by_hand <- function(data) {
  x <- data$x
  half <- matrix(FALSE, n, trials)
  for (i in seq_len(n)) half[i, sample(trials, trials / 2)] <- TRUE
  part <- function(weight) {
    total <- 0
    for (t in seq_len(trials)) total <- total + x[, , t] * weight[, t]
    total / rowSums(weight)
  }
  a <- part(half)
  b <- part(!half)
  pairs <- combn(trials, 2)
  single <- mean(apply(pairs, 2, function(p) h_others(x[, , p[1]], x[, , p[2]])))
  h <- quiet(hsic(mean_of(x), data$y, estimator = "stimulus"))
  own <- hsic(data$y, data$y, estimator = "stimulus")
  self <- h_others(mean_of(x), mean_of(x))
  r <- h_others(a, b) / sqrt(h_others(a, a) * h_others(b, b))
  raw <- h / sqrt(self * own)
  r_rsa <- rsa(a, b, "sqeuclidean", "pearson")
  rsa_raw <- rsa(mean_of(x), data$y, "sqeuclidean", "pearson")
  c(halves = h / sqrt(h_others(a, b) * own), pairs = h / sqrt(single * own),
    spearman_brown = raw / sqrt(2 * r / (1 + r)),
    spearman_brown_pearson = rsa_raw / sqrt(2 * r_rsa / (1 + r_rsa)))
}

one <- function(noise) {
  data <- draw(noise)
  result <- quiet(noise_ceiling(data$x, data$y, list(cka_measure("stimulus_neuron"),
                                                      cka_measure("stimulus"), rsa_measure)))
  ends <- confint(result, c("disattenuated", "ceiling", "gap"))
  free <- c(h_free(data), cka(data$signal, data$y, estimator = "stimulus"),
            rsa(data$signal, data$y, "sqeuclidean", "pearson"))
  rows <- as.data.frame(result)
  labels <- c("sn", "s", "rsa")
  named <- function(values, name) setNames(values, paste(labels, name, sep = "_"))
  c(named(free, "free"), named(rows$score, "raw"), named(rows$ceiling, "ceiling"),
    named(rows$disattenuated, "disattenuated"), named(rows$gap, "gap"),
    named(rows$ceiling_se, "ceiling_se"), named(rows$disattenuated_se, "disattenuated_se"),
    named(rows$gap_se, "gap_se"),
    setNames(as.vector(ends), paste(rep(labels, 6),
                                    rep(c("disattenuated", "ceiling", "gap"), each = 3),
                                    rep(c("low", "high"), each = 9), sep = "_")),
    by_hand(data))
}

h_free <- function(data) {
  hsic(data$signal, data$y, estimator = "stimulus") /
    sqrt(h_others(data$signal, data$signal) * hsic(data$y, data$y, estimator = "stimulus"))
}

repeated <- function(count, code) {
  code <- substitute(code)
  frame <- parent.frame()
  RNGkind("L'Ecuyer-CMRG")
  set.seed(1)
  each <- parallel::mclapply(seq_len(count), function(i) eval(code, frame),
                             mc.cores = getOption("mc.cores", 2L),
                             mc.preschedule = TRUE)
  bad <- vapply(each, inherits, NA, "try-error")
  if (any(bad)) stop(each[[which(bad)[1]]])
  do.call(rbind, each)
}

summarise <- function(found, label) {
  mean_of_column <- function(name) mean(found[, name], na.rm = TRUE)
  truth <- c(sn = 0.8, s = mean_of_column("s_free"), rsa = mean_of_column("rsa_free"))
  rows <- lapply(names(truth), function(m) {
    at <- function(name) found[, paste(m, name, sep = "_")]
    target <- c(disattenuated = truth[[m]], ceiling = mean(at("ceiling"), na.rm = TRUE),
                gap = mean(at("gap"), na.rm = TRUE))
    cover <- vapply(names(target), function(name) {
      mean(at(paste0(name, "_low")) <= target[[name]] & at(paste0(name, "_high")) >= target[[name]],
           na.rm = TRUE)
    }, 0)
    ratio <- vapply(names(target), function(name) {
      mean(at(paste0(name, "_se")), na.rm = TRUE) / sd(at(name), na.rm = TRUE)
    }, 0)
    data.frame(noise = label, measure = m, truth = truth[[m]], raw = mean(at("raw")),
               ceiling = target[["ceiling"]],
               disattenuated = mean(at("disattenuated"), na.rm = TRUE),
               sd = sd(at("disattenuated"), na.rm = TRUE), undefined = sum(is.na(at("ceiling"))),
               cover = t(cover), ratio = t(ratio))
  })
  print(do.call(rbind, rows), digits = 3, row.names = FALSE)
  by <- c("halves", "pairs", "spearman_brown", "spearman_brown_pearson")
  print(rbind(mean = colMeans(found[, by], na.rm = TRUE),
              sd = apply(found[, by], 2, sd, na.rm = TRUE)), digits = 3)
}

for (noise in Filter(wanted, c("independent", "correlated"))) {
  cat("\nNoise", noise, "\n")
  print(system.time(found <- repeated(replicates, one(noise))))
  summarise(found, noise)
}

if (wanted("unequal")) {
  cat("\nNoise of half of the stimuli 2.5 times as large, RSA\n")
  found <- repeated(replicates, {
    data <- draw("independent", rep(c(1, 2.5), each = n / 2))
    value <- function(x) unlist(as.data.frame(quiet(noise_ceiling(x, data$y, rsa_measure)))[
      c("score", "ceiling", "disattenuated")])
    c(free = rsa(data$signal, data$y, "sqeuclidean", "pearson"), four = value(data$x),
      three = value(data$x[, , 1:3]))
  })
  print(rbind(mean = colMeans(found, na.rm = TRUE), sd = apply(found, 2, sd, na.rm = TRUE)),
        digits = 3)
  cat("undefined:", sum(!complete.cases(found)), "of", nrow(found), "\n")
}

if (wanted("subjects")) {
  for (u in c(3, 5, 10)) {
    found <- repeated(replicates, {
      shared <- matrix(rnorm(40 * 5), 40) %*% matrix(rnorm(5 * 20), 5) / sqrt(5)
      subjects <- lapply(seq_len(u), function(i) shared + 1.3 * matrix(rnorm(40 * 20), 40))
      truth <- mean(vapply(subjects, rsa, 0, shared, "sqeuclidean", "pearson"))
      c(truth = truth,
        unlist(subject_ceiling(subjects, rsa_measure)[c("lower", "upper", "ceiling")]))
    })
    cat(u, "subjects: ")
    print(round(colMeans(found), 3))
  }
}

if (wanted("above")) {
  unequal <- rep(c(1, 2.5), each = n / 2)
  alone <- function(x) sweep(x, c(1, 3), apply(x, c(1, 3), mean))
  worlds <- list(
    independent = function() draw("independent")$x, correlated = function() draw("correlated")$x,
    `unequal, 4 trials` = function() draw("independent", unequal)$x,
    `unequal, 3 trials` = function() draw("independent", unequal, 3)$x,
    `unequal, common mean off` = function() alone(draw("independent", unequal)$x)
  )
  cat("\nShare of data sets with the warning repalign_high_reliability, and mean reliability\n")
  print(do.call(rbind, lapply(names(worlds), function(name) {
    found <- repeated(replicates, unlist(lapply(
      list(sn = cka_measure("stimulus_neuron"), s = cka_measure("stimulus"), rsa = rsa_measure),
      function(measure) {
        told <- FALSE
        x <- worlds[[name]]()
        value <- withCallingHandlers(
          suppressMessages(noise_ceiling(x, measure = measure))$reliability,
          repalign_high_reliability = function(w) told <<- TRUE,
          warning = function(w) invokeRestart("muffleWarning")
        )
        c(told = told, reliability = value)
      }
    )))
    data.frame(noise = name, t(round(colMeans(found, na.rm = TRUE), 3)))
  })), row.names = FALSE)
}
