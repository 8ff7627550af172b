# What the permutation null of responses() to several trials takes, beside that of their means over
# trials, in one run.
#   R_LIBS=.build/lib Rscript bench/responses-null.R [n=300] [neurons=50] [trials=6]
#     [permutations=999] [plain=5]
# Processor time; ratios to the null of the means (estimator "stimulus_neuron", same settings):
#   apart        sides that were not recorded together: at most 3 is wanted
#   one trial    a side without trials: at most 3
#   together     recorded together, the same trials of every stimulus: at most trials^2
#   Gaussian     the same by the Gaussian kernel, whose own null of the means it is compared with
#   grid         3 x 3 areas that were recorded together
# `plain` permutations of each are also made one by one, as comparisons of their own: how long that
# takes for all of them, and by how much the scores differ.

suppressMessages(library(repalign))

settings <- list(n = 300, neurons = 50, trials = 6, permutations = 999, plain = 5)
given <- strsplit(commandArgs(TRUE), "=")
for (one in given) settings[[one[1]]] <- as.numeric(one[2])

# The means of two populations are related, and noise is shared by all neurons of a trial.
area <- function(signal, shared, neurons) {
  n <- nrow(signal)
  trials <- ncol(shared)
  weights <- matrix(rnorm(ncol(signal) * neurons), ncol(signal))
  means <- rep(signal %*% weights, trials)
  noise <- rep(rnorm(neurons), each = n)
  values <- means + as.vector(vapply(seq_len(trials), function(t) {
    shared[, t] * matrix(noise, n) + rnorm(n * neurons)
  }, matrix(0, n, neurons)))
  array(values, c(n, neurons, trials))
}

quiet <- function(code) suppressMessages(suppressWarnings(code))

null_of <- function(x, y, measure, permutations = settings$permutations, engine = "auto") {
  set.seed(2)
  quiet(calibrate(x, y, measure, permutations = permutations, engine = engine))
}

# The fastest of three.
seconds <- function(...) {
  min(vapply(1:3, function(turn) {
    started <- proc.time()
    null_of(...)
    sum((proc.time() - started)[c("user.self", "sys.self")])
  }, 0))
}

# Every permutation as a comparison of its own: the null is told that it fits no data.
one_by_one <- function(code) {
  namespace <- asNamespace("repalign")
  fits <- namespace$trials_fit
  unlockBinding("trials_fit", namespace)
  assign("trials_fit", function(measure, pairs, sides) rep(FALSE, nrow(pairs)), namespace)
  on.exit(assign("trials_fit", fits, namespace))
  code
}

case <- function(name, x, y, measure, means_x, means_y, means_measure) {
  plain <- settings$plain
  seconds_of <- function(measure, permutations) {
    started <- proc.time()
    found <- null_scores(null_of(x, y, measure, permutations, "random"))
    list(null = found, time = sum((proc.time() - started)[c("user.self", "sys.self")]))
  }
  slow <- one_by_one(seconds_of(measure, plain))
  none <- one_by_one(seconds_of(measure, 1))
  fast <- seconds_of(measure, plain)
  time <- seconds(x, y, measure)
  means <- seconds(means_x, means_y, means_measure)
  data.frame(case = name, means = means, trials = time, ratio = round(time / means, 2),
             one_by_one = round(none$time + (slow$time - none$time) / (plain - 1) *
                                  (settings$permutations - 1), 1),
             difference = signif(max(abs(slow$null - fast$null)), 1))
}

set.seed(1)
signal <- matrix(rnorm(settings$n * 5), settings$n)
shared <- matrix(rnorm(settings$n * settings$trials), settings$n)
values <- lapply(1:6, function(k) area(signal, shared, settings$neurons))
together <- lapply(values, responses)
labelled <- function(k) responses(values[[k]], session = rep(letters[k], settings$neurons))
means <- lapply(together, as.matrix)
trial <- measure("cka", estimator = "stimulus_neuron_trial")
plain <- measure("cka", estimator = "stimulus_neuron")
gaussian <- function(estimator) measure("cka", kernel = "rbf", estimator = estimator)
named <- function(list) setNames(list, paste0("area", seq_along(list)))

results <- rbind(
  case("apart", labelled(1), labelled(2), trial, means[[1]], means[[2]], plain),
  case("one trial", together[[1]], means[[2]], trial, means[[1]], means[[2]], plain),
  case("together", together[[1]], together[[2]], trial, means[[1]], means[[2]], plain),
  case("Gaussian", together[[1]], together[[2]], gaussian("stimulus_trial"), means[[1]],
       means[[2]], gaussian("stimulus")),
  case("grid", named(together[1:3]), named(together[4:6]), trial, named(means[1:3]),
       named(means[4:6]), plain)
)
cat("Seconds of", settings$permutations, "permutations of", settings$n, "stimuli,",
    settings$neurons, "neurons a side,", settings$trials, "trials\n")
print(results, row.names = FALSE)
