# Few strong stimuli: how often nominal 95% intervals of score_interval() hold the mean score of
# other data sets, and how often the message repalign_strong_stimuli is given, when a share of the
# stimuli drives all neurons several times as strongly as the others. A sample without one of them
# cannot know of them.
#   Rscript bench/strong-stimuli.R [sets=400] [n=40] [share=5] [strength=4]
# (share: percent of the stimuli.) `without`: in samples that have none.

library(repalign)

source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 400)
n <- setting("n", 40)
share <- setting("share", 5) / 100
strength <- setting("strength", 4)

measures <- list(measure("cka"), measure("rsa", inner = "sqeuclidean", outer = "pearson"))
normal <- function(n, q) matrix(rnorm(n * q), n)

# Neurons are the same in all data sets.
set.seed(1)
weights <- list(x = normal(5, 20), y = normal(5, 20))

draw <- function(share) {
  strong <- runif(n) < share
  stimuli <- normal(n, 5) * ifelse(strong, strength, 1)
  list(x = stimuli %*% weights$x + normal(n, 20), y = stimuli %*% weights$y + normal(n, 20),
       strong = sum(strong))
}

one <- function(share) {
  data <- draw(share)
  noted <- FALSE
  result <- withCallingHandlers(suppressWarnings(score_interval(data$x, data$y, measures)),
                                repalign_strong_stimuli = function(m) noted <<- TRUE,
                                message = function(m) invokeRestart("muffleMessage"))
  c(score = result$score, low = result$conf_low, high = result$conf_high, noted = noted,
    strong = data$strong)
}

for (part in c(0, share)) {
  found <- as.data.frame(t(replicate(sets, one(part))))
  cat("\n", n, " stimuli, ", 100 * part, "% of them ", strength, " times as strong; none in ",
      sum(found$strong == 0), " of ", sets, " samples; told in ",
      format(mean(found$noted), digits = 2), "\n", sep = "")
  holds <- vapply(c(cka = 1, rsa = 2), function(m) {
    truth <- mean(found[[paste0("score", m)]])
    holds <- found[[paste0("low", m)]] <= truth & found[[paste0("high", m)]] >= truth
    c(holds = mean(holds), without = mean(holds[found$strong == 0]),
      with = mean(holds[found$strong > 0]))
  }, numeric(3))
  print(round(holds, 3))
}
