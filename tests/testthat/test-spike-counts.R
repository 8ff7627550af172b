# spike_counts().

# Counts by comparing every spike with every window.
def_counts <- function(times, units, onsets, window, stimuli) {
  trial <- ave(seq_along(stimuli), stimuli, FUN = seq_along)
  result <- array(NA_real_, c(length(unique(stimuli)), length(unique(units)), max(trial)),
                  list(unique(stimuli), sort(unique(units)), seq_len(max(trial))))
  for (i in seq_along(onsets)) {
    for (u in unique(units)) {
      inside <- times >= onsets[i] + window[1] & times < onsets[i] + window[2] & units == u
      result[stimuli[i], as.character(u), trial[i]] <- sum(inside)
    }
  }
  result
}

test_that("counts are those of the definition, whatever the order of the spikes", {
  set.seed(1)
  times <- round(runif(500, 0, 20), 2) # on the borders of windows, too
  units <- sample(c(3, 11, 2), 500, TRUE)
  onsets <- c(1, 2, 4, 3.5, 9, 15, 19.95)
  stimuli <- c("b", "a", "b", "c", "a", "b", "c")
  for (window in list(c(0, 0.5), c(-0.3, 0.2), c(1, 3))) {
    expect_identical(spike_counts(times, units, onsets, window, stimuli),
                     def_counts(times, units, onsets, window, stimuli))
  }
  counts <- spike_counts(times, units, onsets, c(0, 1), stimuli)
  expect_identical(dimnames(counts), list(c("b", "a", "c"), c("2", "3", "11"), c("1", "2", "3")))
  expect_identical(is.na(counts[, 1, 3]), c(b = FALSE, a = TRUE, c = TRUE))
  expect_true(all(is.na(counts["a", , 3])))
})

test_that("a spike at the begin of a window counts, and one at its end does not", {
  count <- function(time, onset, window) {
    suppressWarnings(spike_counts(time, "u", onset, window), "repalign_no_spikes")[1]
  }
  expect_identical(count(1, 1, c(0, 0.1)), 1)
  expect_identical(count(1.1, 1, c(0, 0.1)), 0)
  expect_identical(count(1.2, 1, c(0.2, 0.3)), 1) # 1.2 - 1 < 0.2 in floating point
  expect_identical(count(0.9, 1, c(-0.1, 0)), 1)
  expect_identical(count(1, 1, c(-0.1, 0)), 0)
})

test_that("bins are cut as windows are, and add up", {
  set.seed(2)
  times <- round(runif(400, 0, 10), 2)
  units <- sample(letters[1:4], 400, TRUE)
  onsets <- 1:9
  whole <- spike_counts(times, units, onsets, c(0, 0.7), onsets %% 3)
  bins <- spike_counts(times, units, onsets, c(0, 0.7), onsets %% 3, bins = 0.1)
  expect_length(bins, 7)
  expect_identical(Reduce(`+`, bins), whole)
  expect_identical(names(bins)[c(1, 3, 7)], c("0 to 0.1", "0.2 to 0.3", "0.6 to 0.7"))
  expect_identical(bins[[1]], spike_counts(times, units, onsets, c(0, 0.1), onsets %% 3))
  expect_identical(spike_counts(times, units, onsets, c(0, 0.7), onsets %% 3, bins = 0.7),
                   list("0 to 0.7" = whole))
  expect_refused(spike_counts(times, units, onsets, c(0, 0.7), bins = 0.2), "must divide")
  expect_refused(spike_counts(times, units, onsets, c(0, 0.7), bins = 1), "must divide the window")
  expect_refused(spike_counts(times, units, onsets, c(0, 0.7), bins = -1), "`bins` must be one")
  expect_refused(spike_counts(times, units, onsets, c(0, 0.7), bins = 1e-9), "than a million")
})

test_that("units are labels, levels, ends as in NWB files, or elements of a list", {
  times <- c(0.01, 0.02, 0.15, 1.03, 0.5)
  labels <- factor(c("a", "a", "a", "c", "c"), c("a", "b", "c"))
  counts <- spike_counts(times, labels, c(0, 1), c(0, 0.1))
  expect_identical(unname(counts[, , 1]), rbind(c(2, 0, 0), c(0, 0, 1)))
  expect_identical(colnames(counts), c("a", "b", "c"))
  expect_identical(unname(spike_counts(times, c(3, 3, 5), c(0, 1), c(0, 0.1))), unname(counts))
  listed <- list(a = times[1:3], b = numeric(), c = times[4:5])
  expect_identical(spike_counts(listed, onsets = c(0, 1), window = c(0, 0.1)), counts)
  expect_identical(spike_counts(unname(listed), c("a", "b", "c"), c(0, 1), c(0, 0.1)), counts)
  expect_identical(spike_counts(cbind(times), labels, c(0, 1), c(0, 0.1)), counts)
  expect_warning(none <- spike_counts(numeric(), factor(character(), "a"), 0, c(0, 1)),
                 "same unit of time", class = "repalign_no_spikes")
  expect_identical(none, array(0, c(1, 1, 1), list("1", "a", "1")))
})

test_that("the spikes of a file like those of NWB are counted", {
  skip_if_not_installed("hdf5r")
  file <- test_path("fixtures", "h5py.h5")
  read <- function(name) read_representation(file, name, flatten = FALSE)
  counts <- spike_counts(read("units/spike_times"), read("units/spike_times_index"), c(0, 1),
                         c(0, 0.1))
  expect_identical(counts[, , 1], rbind("1" = c("1" = 2, "2" = 0), "2" = c(0, 1)))
})

test_that("times may be whole numbers of 64 bits", {
  # what bit64 makes, whether it is loaded or not
  wide <- function(values) {
    structure(readBin(written_bytes(values, "i8"), "double", length(values)), class = "integer64")
  }
  times <- c(10, 15, 1032, 2001)
  expect_identical(spike_counts(list(wide(times)), onsets = wide(c(0, 1000)), window = c(0, 50)),
                   spike_counts(list(times), onsets = c(0, 1000), window = c(0, 50)))
  large <- structure(2^600, class = "integer64")
  expect_refused(spike_counts(list(large), onsets = 0, window = c(0, 1)), "beyond 2\\^53")
})

test_that("onsets without a stimulus are left out, and factors keep their order", {
  times <- c(0.5, 1.5, 2.5)
  counts <- spike_counts(times, rep("u", 3), 0:3, c(0, 1),
                         factor(c("x", NA, "w", "x"), c("v", "w", "x")))
  expect_identical(counts[, 1, ], rbind(w = c("1" = 1, "2" = NA), x = c(1, 0)))
  expect_identical(rownames(spike_counts(times, rep("u", 3), 0:2, c(0, 1), c(10, 9, 100000))),
                   c("9", "10", "100000"))
})

test_that("the analyses take the counts", {
  set.seed(3)
  rates <- matrix(rexp(30 * 8, 1 / 10), 30) # spikes of 8 units in one second, 30 stimuli
  shown <- rep(1:30, 4)
  spikes <- lapply(1:8, function(unit) {
    unlist(lapply(seq_along(shown), function(i) i + runif(rpois(1, rates[shown[i], unit]))))
  })
  counts <- spike_counts(spikes, onsets = seq_along(shown), window = c(0, 1), stimuli = shown)
  expect_identical(dim(counts), c(30L, 8L, 4L))
  expect_identical(sum(counts), sum(lengths(spikes)) + 0)
  expect_gt(cor(c(apply(counts, 1:2, mean)), c(rates)), 0.9)
  suppressWarnings(pooled <- trial_to_trial(counts, neurons = 8, repeats = 2),
                   c("repalign_unstable", "repalign_undefined"))
  expect_s3_class(pooled, "repalign_analysis")
  expect_true(all(is.finite(pooled$estimate)))
})

test_that("arguments are checked", {
  refused <- function(pattern, times = c(1, 2), units = c("a", "b"), onsets = 1, window = c(0, 1),
                      ...) {
    expect_refused(spike_counts(times, units, onsets, window, ...), pattern)
  }
  expect_refused(spike_counts(), "`times` is missing")
  expect_refused(spike_counts(1, onsets = 1, window = 0:1), "`units` is missing")
  refused("`times` must be a vector of times", times = c("1", "2"))
  refused("`times` must be a vector of times", times = matrix(1:4, 2))
  refused("`times` has missing .* first at 2", times = c(1, NA))
  refused("`units` must have one label for each of the 2 spikes", units = "a")
  refused("`units` has no label \\(NA\\) at 1", units = c(NA, "a"))
  refused("`units` must be a vector", units = list(1, 2))
  refused("no spikes", times = numeric(), units = character())
  refused("empty list", times = list())
  refused("a different label for each", times = list(1, 2), units = c("a", "a"))
  refused("`times\\[\\[2\\]\\]` has missing", times = list(1, NA_real_), units = NULL)
  refused("`onsets` has missing .* first at 1", onsets = NaN)
  refused("`onsets` is empty", onsets = numeric())
  refused("`window` must be two finite", window = 1)
  refused("it is 1 to 0", window = c(1, 0))
  refused("it is 1 to 1", window = c(1, 1))
  refused("`window` must be two finite", window = c(0, Inf))
  refused("`stimuli` must have one label for each of the 1 onset", stimuli = c("a", "b"))
  refused("all are NA", stimuli = NA)
})

test_that("a window in milliseconds of times in seconds is refused, long windows are not", {
  set.seed(38)
  spikes <- function(span, rate = 10) lapply(1:3, function(i) sort(stats::runif(span * rate, 0, span)))
  refused <- function(...) expect_refused(spike_counts(...), c("milliseconds", "window / 1000"))
  refused(spikes(30), onsets = 1:25, window = c(50, 350))
  refused(spikes(2000), onsets = 1:1900, window = c(50, 350))
  lawful <- function(...) expect_length(dim(suppressWarnings(spike_counts(...))), 3)
  lawful(lapply(spikes(30), `*`, 1000), onsets = 1:25 * 1000, window = c(50, 350))
  lawful(spikes(30), onsets = 1:25, window = c(0.05, 0.35))
  lawful(spikes(2000), onsets = c(100, 700, 1300), window = c(0, 300))
  lawful(spikes(2000), onsets = 100:1900, window = c(-30, 30))
  lawful(spikes(1), onsets = 0, window = c(0, 2))
  lawful(list(a = 0.3), onsets = c(0, 1), window = c(0, 2))
  expect_named(spike_counts(spikes(30), onsets = 1:25, window = c(-0.1, 0.2), bins = 0.1),
               c("-0.1 to 0", "0 to 0.1", "0.1 to 0.2"))
})
