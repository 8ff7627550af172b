# stream_cka(): the numbers of cka() from chunks of rows, from every kind of source.

# Related sides far from 0, with neurons of unequal variance, and a silent one.
streamed_pair <- function(n = 203) {
  set.seed(31)
  latent <- normal_matrix(n, 6)
  read_out <- function(q, shift) {
    x <- latent %*% normal_matrix(6, q) + normal_matrix(n, q)
    sweep(x, 2, exp(rnorm(q)), "*") + shift
  }
  list(x = cbind(read_out(12, 100), 7), y = read_out(13, -40))
}

in_pieces <- function(p, sizes) {
  piece <- rep(seq_along(sizes), sizes)
  lapply(split(seq_along(piece), piece), function(rows) {
    list(x = p$x[rows, , drop = FALSE], y = p$y[rows, , drop = FALSE])
  })
}

quiet_cka <- function(...) suppressWarnings(suppressMessages(cka(...)))

quiet_hsic <- function(...) suppressMessages(hsic(...))

expect_streamed <- function(found, p, ...) {
  for (i in seq_len(nrow(found))) {
    estimator <- found$estimator[i]
    expect_relative(found$cka[i], quiet_cka(p$x, p$y, estimator = estimator, ...), 1e-10, estimator)
    expect_relative(found$h_xy[i], quiet_hsic(p$x, p$y, estimator = estimator, ...), 1e-10,
                    paste("h_xy", estimator))
  }
}

test_that("one pass over chunks gives the numbers of cka() and hsic()", {
  p <- streamed_pair()
  for (sizes in list(203, c(1, 151, 51), c(50, 3, 100, 50), rep(7, 29))) {
    found <- stream_cka(in_pieces(p, sizes))
    expect_identical(names(found),
                     c("estimator", "complete", "cka", "se", "h_xy", "h_xx", "h_yy", "n",
                                     "batches"))
    expect_identical(found$estimator, c("naive", "stimulus", "stimulus_neuron"))
    expect_identical(found$n, rep(203, 3))
    expect_identical(found$batches, rep(length(sizes), 3L))
    expect_identical(anyNA(found$se), length(sizes) == 1)
    expect_streamed(found, p)
    self <- quiet_hsic(p$x, p$x, estimator = "stimulus_neuron", shared_neurons = TRUE)
    expect_relative(found$h_xx[3], self, 1e-10)
  }
})

test_that("pairs of neurons are left out as by cka()", {
  p <- streamed_pair()
  pieces <- in_pieces(p, rep(29, 7))
  expect_streamed(stream_cka(pieces, "stimulus_neuron", shared_neurons = TRUE), p,
                  shared_neurons = TRUE)
  # names that one or both sides have once or several times
  units <- list(x = rep(c("a", "b", "c", "d", "e"), c(5, 4, 2, 1, 1)),
                y = rep(c("b", "c", "e", "f", "g"), c(1, 3, 1, 4, 4)))
  found <- stream_cka(pieces, "stimulus_neuron", units_x = units$x, units_y = units$y)
  expect_streamed(found, p, units_x = units$x, units_y = units$y)
  expect_refused(stream_cka(pieces, "stimulus_neuron", units_x = rep(1, 13), units_y = rep(1, 13)),
                 "No neuron pair is allowed between `x` and `y`")
  expect_message(stream_cka(pieces, "stimulus", shared_neurons = TRUE), "no effect")
})

test_that("functions, lists, matrices, connections and files give the same", {
  p <- streamed_pair(160)
  plain <- stream_cka(in_pieces(p, rep(40, 4)))
  expect_streamed(plain, p)
  at <- 0
  from_function <- function() {
    at <<- at + 1
    if (at <= 4) in_pieces(p, rep(40, 4))[[at]]
  }
  expect_identical(stream_cka(from_function), plain)
  # a pair without names: the first is x
  expect_identical(stream_cka(lapply(unname(in_pieces(p, rep(40, 4))), unname)), plain)
  tables <- file.path(withr::local_tempdir(), c("x.csv", "y.tsv", "x.txt"))
  utils::write.csv(p$x, tables[1])
  utils::write.table(p$y, tables[2], sep = "\t", row.names = FALSE)
  expect_equal(stream_cka(tables[1:2])$cka, plain$cka, tolerance = 1e-10)
  utils::write.table(p$x, tables[3], row.names = FALSE, col.names = FALSE)
  lines <- textConnection(apply(p$y, 1, paste, collapse = ","))
  withr::defer(close(lines))
  found <- stream_cka(list(x = file(tables[3]), y = lines))
  expect_equal(found$cka, plain$cka, tolerance = 1e-10)
  expect_true(isOpen(lines))
  npy <- c(x = file_of(npy_bytes(p$x), ".npy"), y = file_of(npy_bytes(p$y), ".npy"))
  expect_streamed(stream_cka(npy), p)
  expect_identical(stream_cka(as.list(rev(npy))), stream_cka(list(x = p$x, y = p$y)))
  saved <- withr::local_tempfile(fileext = ".rds")
  saveRDS(list(other = 1:3, here = p$y), saved)
  expect_identical(stream_cka(list(x = npy[["x"]], y = c(saved, "here"))), stream_cka(npy))
})

test_that("archives and tensors are read by rows, each number once", {
  p <- streamed_pair(1200)
  skip_if_not_installed("jsonlite")
  tensors <- file_of(safetensors_bytes(list(
    one = list(type = "F64", code = "f8", values = p$x),
    two = list(type = "F64", code = "f8", values = p$y)
  )), ".safetensors")
  source <- list(x = c(tensors, "one"), y = c(tensors, "two"))
  expect_streamed(stream_cka(source, "stimulus"), p)
  original <- getFromNamespace("read_numbers", "repalign")
  local_internal("read_numbers", function(path, offset, type, dims, by_column, rows, file) {
    read <<- read + length(rows)
    original(path, offset, type, dims, by_column, rows, file)
  })
  read <- 0
  stream_cka(source, "stimulus")
  # 16 rows are looked at first, to know the sizes
  expect_lte(read, 2 * 1200 + 32)
})

test_that("the standard error leaves out chunks", {
  p <- streamed_pair()
  sizes <- c(30, 41, 29, 50, 53)
  found <- stream_cka(in_pieces(p, sizes))
  piece <- rep(seq_along(sizes), sizes)
  for (i in 1:3) {
    value <- function(rows) quiet_cka(p$x[rows, ], p$y[rows, ], estimator = found$estimator[i])
    without <- vapply(seq_along(sizes), function(b) value(piece != b), 0)
    # weighted for unequal sizes: Busing et al. (1999)
    h <- 203 / sizes
    centre <- length(sizes) * found$cka[i] - sum((1 - 1 / h) * without)
    pseudo <- h * found$cka[i] - (h - 1) * without
    expect_relative(found$se[i], sqrt(mean((pseudo - centre)^2 / (h - 1))), 1e-8)
  }
  equal <- stream_cka(in_pieces(p, rep(29, 7)), "stimulus")
  without <- vapply(1:7, function(b) {
    rows <- rep(1:7, each = 29) != b
    quiet_cka(p$x[rows, ], p$y[rows, ], estimator = "stimulus")
  }, 0)
  expect_relative(equal$se, sqrt(6 / 7 * sum((without - mean(without))^2)), 1e-8)
})

test_that("many chunks are joined to blocks without a change of the value", {
  p <- streamed_pair(1000)
  found <- stream_cka(in_pieces(p, rep(4, 250)), "stimulus_neuron")
  expect_streamed(found, p)
  expect_true(found$batches >= 20 && found$batches <= 40)
  # blocks of 8 chunks, and a last one of 2
  expect_identical(found$batches, 32L)
  same <- stream_cka(in_pieces(p, c(rep(32, 31), 8)), "stimulus_neuron")
  expect_equal(found, same, tolerance = 1e-10)
})

test_that("minibatches pool the values H, and leave out each minibatch", {
  p <- streamed_pair()
  found <- suppressWarnings(stream_cka(list(x = p$x, y = p$y), batch = 20, shuffle = FALSE))
  expect_identical(found$n, rep(200, 3))
  expect_identical(found$batches, rep(10L, 3))
  for (i in 1:3) {
    estimator <- found$estimator[i]
    corrected <- estimator == "stimulus_neuron"
    h <- t(vapply(1:10, function(b) {
      rows <- 20 * (b - 1) + 1:20
      one <- function(x, y, self) quiet_hsic(x[rows, ], y[rows, ], estimator = estimator,
                                             shared_neurons = self && corrected)
      c(one(p$x, p$y, FALSE), one(p$x, p$x, TRUE), one(p$y, p$y, TRUE))
    }, numeric(3)))
    ratio <- function(h) h[1] / sqrt(h[2] * h[3])
    without <- vapply(1:10, function(b) ratio(colMeans(h[-b, ])), 0)
    expect_relative(found$cka[i], ratio(colMeans(h)), 1e-10)
    expect_relative(found$h_yy[i], mean(h[, 3]), 1e-10)
    expect_relative(found$se[i], sqrt(9 / 10 * sum((without - mean(without))^2)), 1e-9)
  }
  # from chunks of any size, the same minibatches
  pieces <- suppressWarnings(stream_cka(in_pieces(p, c(33, 100, 70)), batch = 20))
  expect_equal(pieces, found, tolerance = 1e-12)
})

test_that("minibatches leave out pairs of neurons, too", {
  p <- streamed_pair()
  units <- list(x = rep(c("a", "b", "c"), c(5, 4, 4)), y = rep(c("b", "c", "d"), c(4, 4, 5)))
  whole <- function(...) suppressWarnings(stream_cka(p, "stimulus_neuron", batch = 203, ...))
  expect_streamed(whole(units_x = units$x, units_y = units$y), p, units_x = units$x,
                  units_y = units$y)
  expect_streamed(whole(shared_neurons = TRUE), p, shared_neurons = TRUE)
  expect_true(is.na(whole()$se))
})

test_that("minibatches are shuffled where rows can be picked, and set.seed() repeats it", {
  p <- streamed_pair()
  run <- function(...) {
    set.seed(2)
    stream_cka(list(x = p$x, y = p$y), "stimulus", batch = 6, ...)
  }
  expect_identical(run(), run())
  expect_false(identical(run(), run(shuffle = FALSE)))
  expect_refused(stream_cka(in_pieces(p, c(100, 103)), batch = 6, shuffle = TRUE), "`shuffle`")
  expect_warned(stream_cka(list(x = p$x, y = p$y), shuffle = TRUE), "repalign_unused")
  sorted <- list(x = p$x[order(p$x[, 1]), 1, drop = FALSE], y = p$y[order(p$x[, 1]), ])
  expect_warning(stream_cka(sorted, "stimulus", batch = 20, shuffle = FALSE),
                 "or set shuffle = TRUE.$", class = "repalign_dependence") |> suppressWarnings()
  # chunks cannot be shuffled
  expect_warning(stream_cka(in_pieces(sorted, c(100, 103)), "stimulus", batch = 20),
                 "random order[.]$", class = "repalign_dependence") |> suppressWarnings()
  expect_warned(stream_cka(list(x = p$x, y = p$y), "stimulus", batch = 40), "repalign_few_batches")
  # within a minibatch rows of one class are not alike
  class <- rep(1:40, each = 5)
  classes <- list(x = p$x[1:200, ] + 200 * normal_matrix(40, 13)[class, ], y = p$y[1:200, ])
  expect_warned(stream_cka(classes, "stimulus", batch = 5, shuffle = FALSE), "repalign_dependence")
  expect_silent(stream_cka(list(x = p$x, y = p$y), "stimulus", batch = 5, shuffle = FALSE))
  expect_silent(stream_cka(classes, "stimulus", batch = 5))
})

test_that("what does not fit into memory is pooled over minibatches, with a message", {
  p <- streamed_pair()
  withr::local_options(repalign.max_memory = 20000)
  set.seed(1)
  expect_message(found <- stream_cka(list(x = p$x, y = p$y), "stimulus"), "minibatches of 6 rows")
  set.seed(1)
  expect_identical(found, stream_cka(list(x = p$x, y = p$y), "stimulus", batch = 6))
})

test_that("extreme units neither overflow nor lose digits", {
  p <- streamed_pair()
  plain <- stream_cka(in_pieces(p, rep(29, 7)))
  tiny <- stream_cka(in_pieces(list(x = p$x * 2^-400, y = p$y * 2^400), rep(29, 7)))
  expect_equal(tiny[c("cka", "se", "h_xy")], plain[c("cka", "se", "h_xy")], tolerance = 1e-14)
  far <- list(x = rbind(p$x[1:100, ], p$x[101:203, ] * 1e200), y = p$y)
  expect_refused(stream_cka(in_pieces(far, c(100, 103))), "too large to multiply")
})

test_that("bad chunks are errors that say which", {
  p <- streamed_pair(40)
  pieces <- in_pieces(p, c(20, 20))
  expect_refused(stream_cka(), "`chunks` is missing")
  expect_refused(stream_cka(p$x), "`chunks` must be a function")
  expect_refused(stream_cka(function() NULL), "gives no rows")
  expect_refused(stream_cka(function() 1), "Chunk 1 of `chunks`")
  expect_refused(stream_cka(list(pieces[[1]], list(x = p$x, y = p$y[1:3, ]))),
                 c("x in chunk 2", "y in chunk 2", "40", "3"))
  expect_refused(stream_cka(list(pieces[[1]], list(x = p$x[, 1:3], y = p$y))),
                 c("`x` has 3 columns in chunk 2", "13 before"))
  broken <- pieces
  broken[[2]]$y[7, 3] <- NA
  expect_refused(stream_cka(broken), c("y in chunk 2", "row 7, column 3"))
  expect_refused(stream_cka(list(x = p$x, y = p$y[-1, ])), c("40 rows in `x`", "39 in `y`"))
  expect_refused(stream_cka(list(list(x = p$x * 0, y = p$y))), "`x` has no variance")
  expect_refused(stream_cka(list(lapply(p, function(x) x[1:3, ]))), "at least 4")
  expect_refused(stream_cka(list(x = p$x, y = p$y), batch = 50), "fewer rows")
  expect_refused(stream_cka(list(x = p$x, y = p$y), batch = 2), "`batch`")
  expect_refused(stream_cka(list(x = p$x, y = p$y), "stimulus_neurons"), "stimulus_neuron")
  expect_refused(stream_cka(list(x = p$x, y = p$y), shared_neurons = TRUE, units_x = 1:13,
                            units_y = 1:13), "not both")
  expect_refused(stream_cka(list(x = p$x, y = p$y[, 1:5]), "stimulus_neuron",
                            shared_neurons = TRUE), "13 columns")
  expect_refused(stream_cka(c("no.npy", "other.npy")), "is not there")
  short <- textConnection(apply(p$y[1:30, ], 1, paste, collapse = " "))
  withr::defer(close(short))
  expect_refused(stream_cka(list(p$x, short)), "ends before the other")
})

test_that("neuron-pair values agree with those computed elsewhere", {
  inputs <- read.csv(shared_file("reference", "inference", "inputs.csv"))
  values <- read.csv(shared_file("reference", "inference", "values.csv"))
  values <- values[values$quantity == "stream_h" & values$set == "public", ]
  expect_gt(nrow(values), 0)
  input <- function(name) {
    rows <- inputs[inputs$matrix == name, ]
    one <- matrix(0, max(rows$row), max(rows$column))
    one[cbind(rows$row, rows$column)] <- rows$value
    one
  }
  x <- input("x") + 100
  y <- input("y1") - 40
  n <- nrow(x)
  for (i in seq_len(nrow(values))) {
    at <- if (values$args[i] == "mean") NULL else as.integer(strsplit(values$args[i], ",")[[1]])
    p <- if (is.null(at)) list(x = x, y = y) else list(x = x[, at[1], drop = FALSE],
                                                       y = y[, at[2], drop = FALSE])
    sizes <- c(n %/% 3, n %/% 3, n - 2 * (n %/% 3))
    found <- suppressWarnings(stream_cka(in_pieces(p, sizes), "stimulus"))
    expect_relative(found$h_xy, values$value[i], max(values$tolerance[i], 1e-12))
  }
})

test_that("tables in chunks are understood as read_representation() understands them", {
  p <- streamed_pair(160)
  folder <- withr::local_tempdir()
  files <- file.path(folder, c("x.csv", "y.csv", "zero.csv"))
  # names of columns that are numbers in quotes
  named <- p$x
  colnames(named) <- seq_len(ncol(named)) * 7
  utils::write.csv(named, files[1], row.names = FALSE)
  utils::write.table(p$y, files[2], sep = ",", row.names = TRUE, col.names = NA)
  expect_equal(unname(read_representation(files[1])), unname(p$x), tolerance = 1e-14)
  expect_equal(stream_cka(files[1:2])$cka, stream_cka(list(x = p$x, y = p$y))$cka,
               tolerance = 1e-10)
  bytes <- readBin(files[1], "raw", 1e6)
  # in a line behind those from which the form of the table is told
  late <- which(bytes == charToRaw("\n"))[40] + 3
  writeBin(append(bytes, as.raw(0), late), files[3])
  expect_refused(stream_cka(files[c(3, 2)]), "bytes that are zero")
})

test_that("a single minibatch is counted as one", {
  x <- matrix(rnorm(60), 20)
  expect_warning(stream_cka(list(x = x, y = x[, 1:2]), "stimulus", batch = 20),
                 "There is only 1 minibatch of 20 rows", class = "repalign_few_batches")
})

test_that("the CKA of data with themselves has no standard error", {
  x <- matrix(rnorm(400), 80)
  expect_warning(found <- stream_cka(list(x = x, y = x), c("naive", "stimulus")),
                 "does not vary", class = "repalign_undefined")
  expect_equal(found$cka, c(1, 1))
  expect_true(all(is.na(found$se)))
})

test_that("implausible corrected values are warned of", {
  set.seed(2)
  x <- matrix(pmax(rnorm(600), 0), 60)
  y <- pmax(x + matrix(rnorm(600), 60), 0)
  twice <- rep(1:30, each = 2)
  expect_warning(stream_cka(list(x = x[twice, ], y = y[twice, ]), "stimulus_neuron"),
                 "3.19 with 60 stimuli and 10 neurons.* over stimuli is about 0.82.*beyond 2",
                 class = "repalign_unstable")
  expect_no_warning(stream_cka(linear_population(400, 30, 5)[c("x", "y")], "stimulus_neuron"))
})

test_that("messages say what is wrong about the chunks", {
  x <- matrix(rnorm(40), 20)
  refused <- function(chunks, text) {
    expect_error(stream_cka(chunks), text, class = "repalign_error_type")
  }
  refused(list(a = x, b = x), 'named "a" and "b"')
  refused(list(x = x, y = x, z = x), "3 elements")
  refused(c("a.npy", "b.npy", "c.npy"), "names of files, 3 elements")
  refused(list(list(x = x, y = x), list(x = x, y = x), 3), "element 3 is a double vector")
  refused(list(x = x, y = list(x)), "`y` of `chunks` must be the path")
  refused(list(x = x, y = NULL), "`y` of `chunks` must be the path")
  expect_error(stream_cka(x, x), "both sides", class = "repalign_error_type")
  saved <- withr::local_tempfile(fileext = ".rds")
  saveRDS(list(one = x, two = x), saved)
  expect_refused(stream_cka(list(x = x, y = saved)), "say which, y = c\\(file, name\\)")
  axes <- file_of(npy_bytes(array(rnorm(20 * 24), c(20, 2, 3, 4))), ".npy")
  expect_refused(stream_cka(list(x = x, y = axes)),
                 c("read_representation\\(, flatten =", "n x 2 x 3 x 4"))
  expect_warned(stream_cka(list(x = x * 1e160, y = x + rnorm(40)), "naive"), "repalign_undefined")
  expect_error(stream_cka(function() stop("no more")), "call 1: no more",
               class = "repalign_error_function")
})

test_that("rows with missing values are left out, wherever they come from", {
  set.seed(21)
  x <- matrix(rnorm(60 * 3), 60) %*% matrix(rnorm(30), 3) + 0.3 * matrix(rnorm(600), 60)
  y <- x %*% matrix(rnorm(80), 10) + matrix(rnorm(480), 60)
  lost <- c(1, 17, 18, 60)
  with_gaps <- x
  # files of other programs have no NA
  with_gaps[lost[1:3], 2] <- c(NA, NaN, NaN)
  y_gaps <- y
  y_gaps[60, 1] <- NA
  whole <- stream_cka(list(x = x[-lost, ], y = y[-lost, ]))
  expect_error(stream_cka(list(x = with_gaps, y = y_gaps)), class = "repalign_error_nonfinite")
  expect_message(found <- stream_cka(list(x = with_gaps, y = y_gaps), na = "stimuli"),
                 "4 rows left out", class = "repalign_left_out")
  expect_equal(found$cka, whole$cka)
  expect_identical(found$n, whole$n)
  chunks <- lapply(split(1:60, rep(1:4, each = 15)), function(at) {
    list(x = with_gaps[at, ], y = y_gaps[at, ])
  })
  # a chunk without a complete row is none
  chunks[[5]] <- list(x = with_gaps[17:18, ], y = y_gaps[17:18, ])
  expect_equal(suppressMessages(stream_cka(unname(chunks), na = "stimuli"))$cka, whole$cka)
  files <- c(withr::local_tempfile(fileext = ".csv"), withr::local_tempfile(fileext = ".csv"))
  utils::write.csv(with_gaps, files[1], row.names = FALSE)
  utils::write.csv(y_gaps, files[2], row.names = FALSE)
  expect_equal(suppressMessages(stream_cka(files, na = "stimuli"))$cka, whole$cka)
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  batches <- quiet(stream_cka(list(x = with_gaps, y = y_gaps), "stimulus", batch = 8,
                              na = "stimuli"))
  expect_identical(batches$batches, 7L)
  in_order <- quiet(stream_cka(list(x = x[-lost, ], y = y[-lost, ]), "stimulus", batch = 8,
                               shuffle = FALSE))
  expect_equal(batches$cka, in_order$cka)
  expect_error(stream_cka(list(x = x * NA, y = y), na = "stimuli"), class = "repalign_error")
})
