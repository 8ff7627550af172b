# What prepare() saves: a new recording against a zoo of layers, from the data and prepared, beside
# the time of the comparisons alone (what the same call takes when the forms of both sides are
# there), and the same against chance, with 199 permutations:
#   Rscript bench/prepare.R [layers=100] [n=500] [neurons=512]

suppressPackageStartupMessages(library(repalign))
here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "timing.R"))
source(file.path(here, "arguments.R"))

layers <- setting("layers", 100L)
n <- setting("n", 500L)
d <- setting("neurons", 512L)

say_machine()
set.seed(1)
latent <- matrix(rnorm(n * 20), n)
make <- function(d) latent %*% matrix(rnorm(20 * d), 20) + 3 * matrix(rnorm(n * d), n)
zoo <- lapply(stats::setNames(nm = paste0("layer", seq_len(layers))), function(name) make(d))
recording <- make(60)
say("a recording of %d stimuli x 60 neurons, and %d layers of %d neurons (%s)", n, layers, d,
    format(object.size(zoo), units = "auto"))

set <- list("rsa", measure("rsa", outer = "kendall"), "cka", measure("cka", kernel = "rbf"),
            "mutual_knn", "cknna", "svcca", measure("cca", summary = "mean_squared"),
            "distance_correlation", "procrustes")
names(set) <- vapply(set, function(m) if (is.character(m)) m else m$label, "")
for (label in names(set)) {
  m <- set[[label]]
  making <- seconds(made <- suppressWarnings(prepare(zoo, m)), 1)
  other <- prepare(recording, m)
  from_data <- seconds(plain <- suppressWarnings(similarity(recording, zoo, m)), 3)
  prepared <- seconds(found <- suppressWarnings(similarity(recording, made, m)), 3)
  alone <- seconds(suppressWarnings(similarity(other, made, m)), 3)
  say(paste("%-22s data %7.3f s, prepared %7.3f s (%5.1f times), comparisons alone %7.3f s;",
            "prepare() %6.2f s, %s, %s"), label, from_data, prepared, from_data / prepared, alone,
      making, format(object.size(made), units = "auto"),
      if (identical(plain, found)) "same bits" else "DIFFERENT")
  if (label %in% c("rsa(kendall)", "svcca", "procrustes")) next # their nulls take minutes
  null <- function(zoo) {
    set.seed(2)
    suppressWarnings(calibrate(recording, zoo, m, permutations = 199))
  }
  from_data <- seconds(plain <- null(zoo), 1)
  prepared <- seconds(found <- null(made), 1)
  say("%-22s calibrate(): data %7.3f s, prepared %7.3f s (%.1f times), %s", "", from_data, prepared,
      from_data / prepared, if (identical(plain, found)) "same bits" else "DIFFERENT")
}
