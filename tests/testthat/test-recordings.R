# The recordings and layers that the package ships: their shape, and that the recordings are those of
# the tables in shared/data, value by value.

recorded <- function(name) read.csv(shared_file("data", name), check.names = FALSE)

test_that("the recordings have the documented shape", {
  expect_identical(dim(macaque_it$counts), c(21L, 132L, 20L))
  expect_identical(lengths(macaque_it[-1]), c(session = 132L, object = 21L, position = 21L))
  expect_identical(rownames(macaque_it$counts), paste(macaque_it$object, macaque_it$position,
                                                      sep = "_"))
  expect_identical(sum(is.na(macaque_it$counts)), 7L)
  expect_identical(lapply(macaque_v4, dim), list(trials = c(640L, 50L, 10L),
                                                 other_day = c(600L, 59L)))
  expect_false(anyNA(macaque_v4$trials[, , 1:6]))
  expect_identical(names(v4_layers), paste0("L", 0:4))
  for (layer in v4_layers) {
    expect_identical(dim(layer), c(640L, 100L))
    expect_identical(rownames(layer), rownames(macaque_v4$trials))
  }
  expect_identical(dim(larval_orn), c(1015L, 26L))
  expect_length(rdm92, 18)
  for (rdm in rdm92) {
    expect_s3_class(rdm, "dist")
    expect_identical(attr(rdm, "Size"), 92L)
  }
  expect_setequal(grep("^human[0-9]", names(rdm92), value = TRUE),
                  paste0("human", rep(1:4, each = 2), "_s", 1:2))
})

test_that("the layers of networks that see digits are what their README says", {
  folder <- system.file("extdata", "digits", package = "repalign")
  digits <- read.csv(file.path(folder, "digits.csv"))
  expect_identical(lengths(digits), c(id = 250L, digit = 250L))
  expect_identical(range(table(digits$digit)), c(24L, 26L))
  expect_identical(anyDuplicated(digits$id), 0L)
  pixels <- read_representation(file.path(folder, "pixels.npy"))
  expect_identical(dim(pixels), c(250L, 64L))
  expect_identical(range(pixels), c(0, 16))
  widths <- c(first = 64L, second = 100L, third = 100L, untrained = 100L)
  for (name in names(widths)) {
    layers <- read_representation(file.path(folder, paste0(name, ".npz")))
    expect_named(layers, paste0("layer", 1:6))
    for (layer in layers) {
      expect_identical(dim(layer), c(250L, widths[[name]]))
      expect_identical(range(layer), c(0, 255))
      expect_identical(layer, round(layer))
    }
  }
  # rows are the same images: layers tell the digits of images by their neighbours
  near <- as.matrix(dist(pixels))
  diag(near) <- Inf
  expect_gt(mean(digits$digit[max.col(-near)] == digits$digit), 0.9)
  size <- sum(file.size(dir(folder, full.names = TRUE)))
  expect_lt(size, 1.2e6)
})

test_that("the recordings are those of the tables", {
  it <- recorded("zd_it_trials.csv.gz")
  some <- seq(1, nrow(it), by = 7)
  counts <- rowSums(it[some, c("c100_200", "c200_300", "c300_400", "c400_500")])
  at <- cbind(paste(it$object, it$position, sep = "_")[some], paste0("u", it$neuron[some]),
              it$rep[some])
  expect_identical(macaque_it$counts[at], as.integer(counts))
  expect_identical(sum(!is.na(macaque_it$counts)), nrow(it))

  v4 <- recorded("v4_210325_trials.csv.gz")
  for (i in seq(1, nrow(v4), by = 97)) {
    expect_identical(unname(macaque_v4$trials[as.character(v4$image[i]), , v4$rep[i]]),
                     unname(unlist(v4[i, -(1:2)])))
  }
  expect_identical(unname(macaque_v4$other_day),
                   unname(as.matrix(recorded("v4_210322_shared600.csv.gz")[-1])))
  layers <- recorded("v4_model_layers.csv.gz")
  expect_identical(unname(do.call(cbind, v4_layers)), unname(as.matrix(layers[-1])))
  expect_identical(as.list(larval_orn[-1]), as.list(recorded("larval_orn.csv.gz")))
})

test_that("the dissimilarities stand between the right images", {
  table <- recorded("rdm92.csv.gz")
  columns <- names(table)[-(1:2)]
  some <- c(1, 92, 1000, 4186)
  for (k in seq_along(columns)) {
    square <- as.matrix(rdm92[[k]])
    expect_identical(square[cbind(table$i, table$j)[some, ]],
                     as.double(table[[columns[k]]][some]))
  }
  images <- attr(rdm92, "images")
  animate <- outer(images$animal, images$animal, `!=`)
  expect_identical(unname(as.matrix(rdm92$model_animacy)) > 0, animate)
})

# The sides of a case of estimator_cases.csv, from the shipped recordings.
recorded_side <- function(case, side) {
  integers <- function(text) as.integer(strsplit(as.character(text), " ")[[1]])
  columns <- integers(case[[side]])
  rep <- case[[paste0("rep_", side)]]
  if (case$data == "larval") return(larva_responses(rep)[, columns])
  trials <- if (case$data == "zd") macaque_it$counts else macaque_v4$trials[integers(case$rows), , ]
  if (side == "y" && case$layer_y != "") {
    return(v4_layers[[case$layer_y]][integers(case$rows), columns])
  }
  if (!is.na(rep)) return(trials[, columns, rep])
  apply(trials[, columns, ], 1:2, mean, na.rm = TRUE)
}

# Odours that larvae 1 to 5 all smelt, odours in alphabetical order.
larva_responses <- function(larva) {
  seen <- tapply(larval_orn$larva, larval_orn$odor, function(l) all(1:5 %in% l))
  rows <- larval_orn[larval_orn$odor %in% names(seen)[seen] & larval_orn$larva == larva, ]
  odors <- sort(unique(rows$odor), method = "radix")
  as.matrix(rows[order(match(rows$odor, odors), rows$log10_dilution), -(1:5)])
}

test_that("cases of exact arithmetic hold for the shipped recordings", {
  cases <- recorded("estimator_cases.csv")
  used <- cases[cases$object_x == "" & (cases$data != "zd" | cases$window == "100_500"), ]
  expect_identical(used$case, c("P04", "P07", "P10", "P13", "P14", "P15", "P16", "P17"))
  for (i in seq_len(nrow(used))) {
    case <- used[i, ]
    x <- unname(recorded_side(case, "x"))
    y <- unname(recorded_side(case, "y"))
    for (e in c("naive", "stimulus", "stimulus_neuron")) {
      expected <- case[[c(naive = "CKA_0", stimulus = "CKA_S", stimulus_neuron = "CKA_C")[e]]]
      value <- few_is_fine(cka(x, y, estimator = e, shared_neurons = case$shared_numerator))
      expect_relative(value, expected, 1e-9, paste(case$case, e))
    }
  }
})
