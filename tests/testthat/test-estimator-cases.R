# Seventeen cases on real recordings, computed in exact integer arithmetic. Data and
# designs: shared/data/README.md.

read_shared <- function(name) read.csv(shared_file("data", name), check.names = FALSE)

# Values kept for the rest of this file: the tables are read once.
loaded <- new.env()

load_once <- function(name) {
  if (is.null(loaded[[name]])) loaded[[name]] <- read_shared(name)
  loaded[[name]]
}

indices <- function(text) as.integer(strsplit(as.character(text), " ")[[1]])

zd_counts <- function(rows, window) {
  bins <- list(
    "100_300" = c("c100_200", "c200_300"),
    "100_500" = c("c100_200", "c200_300", "c300_400", "c400_500"),
    bins5 = c("c000_100", "c100_200", "c200_300", "c300_400", "c400_500")
  )[[window]]
  if (window == "bins5") as.matrix(rows[bins]) else cbind(rowSums(rows[bins]))
}

# conditions x neurons; with bins, condition-major rows.
zd_responses <- function(window, neurons, rep = NULL) {
  rows <- load_once("zd_it_trials.csv.gz")
  if (!is.null(rep)) rows <- rows[rows$rep == rep, ]
  condition <- paste(rows$object, rows$position, sep = "_")
  conditions <- sort(unique(condition), method = "radix")
  vapply(neurons, function(neuron) {
    own <- rows$neuron == neuron
    counts <- zd_counts(rows[own, ], window)
    means <- rowsum(counts, factor(condition[own], conditions)) / tabulate(factor(condition[own],
                                                                                  conditions))
    as.vector(t(means))
  }, numeric(length(conditions) * if (window == "bins5") 5 else 1))
}

# neurons x trials of one object: positions in order, repeats 1 to 19.
zd_object <- function(object, window, neurons) {
  rows <- load_once("zd_it_trials.csv.gz")
  rows <- rows[rows$object == object & rows$rep <= 19, ]
  trial <- interaction(factor(rows$rep), factor(rows$position, c("lower", "middle", "upper")))
  counts <- matrix(NA_real_, 132, 57)
  counts[cbind(rows$neuron, as.integer(trial))] <- zd_counts(rows, window)
  counts[neurons, ]
}

v4_trial <- function(rep, images, columns) {
  rows <- load_once("v4_210325_trials.csv.gz")
  rows <- rows[rows$rep == rep, ]
  as.matrix(rows[match(images, rows$image), -(1:2)])[, columns]
}

v4_mean <- function(images, columns) {
  rows <- load_once("v4_210325_trials.csv.gz")
  rows <- rows[rows$image %in% images, ]
  counts <- rowsum(as.matrix(rows[-(1:2)]), rows$image) / as.vector(table(rows$image))
  counts[as.character(images), columns]
}

v4_layer <- function(layer, images, columns) {
  rows <- load_once("v4_model_layers.csv.gz")
  units <- as.matrix(rows[startsWith(names(rows), paste0(layer, "_"))])
  units[match(images, rows$image), columns]
}

# odours that larvae 1 to 5 all smelt, odour-major, dilutions -8 to -4.
larval <- function(larva, columns) {
  rows <- load_once("larval_orn.csv.gz")
  seen <- tapply(rows$larva, rows$odor, function(l) all(1:5 %in% l))
  rows <- rows[rows$odor %in% names(seen)[seen] & rows$larva == larva, ]
  rows <- rows[order(factor(rows$odor, sort(unique(rows$odor), method = "radix")),
                     rows$log10_dilution), ]
  as.matrix(rows[-(1:4)])[, columns]
}

case_side <- function(case, side) {
  columns <- indices(case[[side]])
  rep <- case[[paste0("rep_", side)]]
  object <- case[[paste0("object_", side)]]
  layer <- if (side == "y") case$layer_y else ""
  if (case$data == "larval") return(larval(rep, columns))
  if (case$data == "v4") {
    images <- indices(case$rows)
    if (layer != "") return(v4_layer(layer, images, columns))
    return(if (is.na(rep)) v4_mean(images, columns) else v4_trial(rep, images, columns))
  }
  if (object != "") return(zd_object(object, case$window, columns))
  zd_responses(case$window, columns, if (!is.na(rep)) rep)
}

case_pair <- function(case) {
  sides <- lapply(c(x = "x", y = "y"), case_side, case = case)
  sides <- lapply(sides, unname)
  if (case$prep == "sd1") sides <- lapply(sides, function(x) sweep(x, 2, apply(x, 2, sd), "/"))
  sides
}

# Exact values lose in double precision what their terms cancel: relative to H_0, the
# size of the terms.
expect_close <- function(value, expected, size, label) {
  expect(abs(value - expected) <= 1e-9 * abs(expected) + 1e-14 * abs(size),
         sprintf("%s: %.17g, expected %.17g", label, value, expected))
}

short <- c(naive = "0", stimulus = "S", stimulus_neuron = "C")

expect_case <- function(case) {
  p <- case_pair(case)
  expect_identical(c(dim(p$x), ncol(p$y)), c(case$P, case$Qx, case$Qy), label = case$case)
  shared <- case$shared_numerator
  for (e in all_estimators) {
    name <- function(pair) paste0("H", short[[e]], "_", pair)
    self <- function(x) hsic(x, x, estimator = e, shared_neurons = TRUE)
    expect_close(hsic(p$x, p$y, estimator = e, shared_neurons = shared), case[[name("xy")]],
                 case$H0_xy, paste(case$case, name("xy")))
    expect_close(self(p$x), case[[name("xx")]], case$H0_xx, paste(case$case, name("xx")))
    expect_close(self(p$y), case[[name("yy")]], case$H0_yy, paste(case$case, name("yy")))
    expect_ratio(p, case, e, shared)
  }
}

expect_ratio <- function(p, case, e, shared) {
  expected <- case[[paste0("CKA_", short[[e]])]]
  value <- function() cka(p$x, p$y, estimator = e, shared_neurons = shared)
  if (is.na(expected)) {
    expect_identical(expect_warned(value(), "repalign_undefined"), NA_real_)
  } else {
    expect_close(few_is_fine(value()), expected, 1e3 * expected, paste(case$case, "CKA", e))
  }
}

test_that("the exact values of all cases on recordings are met", {
  cases <- read_shared("estimator_cases.csv")
  expect_identical(nrow(cases), 17L)
  for (i in seq_len(17)) expect_case(cases[i, ])
  expect_identical(cases$case[is.na(cases$CKA_C)], "P08")
})

test_that("cka_interval gives the same values on recordings", {
  cases <- read_shared("estimator_cases.csv")
  for (i in c(3, 7, 9, 13)) {
    case <- cases[i, ]
    p <- case_pair(case)
    result <- suppressWarnings(cka_interval(p$x, p$y, shared_neurons = case$shared_numerator))
    for (e in all_estimators) {
      row <- result[result$estimator == e, ]
      for (h in c("xy", "xx", "yy")) {
        expect_close(row[[paste0("h_", h)]], case[[paste0("H", short[[e]], "_", h)]],
                     case[[paste0("H0_", h)]], paste(case$case, e, h))
      }
      expect_close(row$cka, case[[paste0("CKA_", short[[e]])]], 10, paste(case$case, e))
    }
  }
})
