# The command `repalign`: its numbers are R's, and its exit status tells what went wrong.

cli <- function(name = "") test_path("fixtures", "cli", name)

# What NumPy wrote, from a table of texts, which no reader of arrays has seen.
written <- local({
  table <- utils::read.csv(cli("values.csv"))
  lapply(split(table, table$name), function(one) {
    matrix(one$value[order(one$column, one$row)], max(one$row))
  })
})
layers <- written[c("layer1", "layer2", "layer10")]

# Runs the command in this process: list(status, out, err).
run <- function(...) {
  withr::local_options(progressr.enable = FALSE)
  err <- character()
  out <- utils::capture.output(status <- withCallingHandlers(
    command_line(c(...)),
    message = function(m) {
      err <<- c(err, conditionMessage(m))
      tryInvokeRestart("muffleMessage")
    }
  ))
  list(status = status, out = out, err = paste(err, collapse = " "))
}

table_of <- function(lines) {
  utils::read.csv(text = lines, na.strings = "", check.names = FALSE)
}

expect_same_numbers <- function(found, expected) {
  expected <- as.data.frame(expected)
  expect_identical(names(found), names(expected))
  for (column in names(expected)) {
    if (is.numeric(expected[[column]])) {
      expect_equal(as.numeric(found[[column]]), as.numeric(expected[[column]]), tolerance = 1e-12)
    } else if (!is.logical(expected[[column]])) {
      expect_identical(as.character(found[[column]]), as.character(expected[[column]]))
    }
  }
}

expect_failed <- function(ran, status, words) {
  expect_identical(ran$status, status)
  expect_length(ran$out, 0)
  for (word in words) expect_match(ran$err, word, fixed = TRUE)
}

test_that("remedies that are calls of R are those of the shell", {
  folder <- withr::local_tempdir()
  square <- file.path(folder, "square.csv")
  write.csv(as.matrix(dist(written$data[1:12, ])), square, row.names = FALSE)
  said <- run("similarity", "--x", square, "--y", square, "--measure", "rsa")$err
  expect_match(said, "compare them in R, as as.dist()", fixed = TRUE)
  expect_false(grepl("give as.dist", said, fixed = TRUE))
  expect_failed(run("evaluate", "--data", square, "--models", square, "--measure", "rsa"), 2,
                "evaluate_rdms() of R compares")
  expect_failed(run("calibrate", "--x", cli("layers"), "--aggregate", "row_max"), 2,
                "give `y`, too.")
})

test_that("folders are separated by commas, and rows are a range", {
  ran <- run("similarity", "--x", paste0(cli("layers"), ",", cli("data.npy")), "--rows", "3:22")
  found <- table_of(ran$out)
  expect_setequal(c(found$x, found$y), c(paste0("layers/", names(layers)), "data"))
  expect_same_numbers(found, similarity(c(stats::setNames(layers, paste0("layers/", names(layers))),
                                          list(data = written$data)) |>
                                          lapply(function(one) one[3:22, ])))
})

test_that("evaluate, similarity, calibrate and encode give the numbers of R", {
  calm <- function(code) suppressWarnings(suppressMessages(code))
  data <- written$data
  x <- c("--x", cli("layers"))
  ran <- run("evaluate", "--data", cli("data.npy"), "--models", cli("layers/"), "--seed", "1",
             "--permutations=99", "--conf-level", "0.9")
  expect_identical(ran$status, 0)
  expect_match(ran$err, "paired by their place, 40 rows")
  expect_no_match(ran$err, "coercion")
  set.seed(1)
  expect_same_numbers(table_of(ran$out), calm(evaluate_models(data, layers, permutations = 99,
                                                              conf_level = 0.9)))
  ran <- run("similarity", x, "--y", cli("data.npy"), "--measure", "cka,procrustes", "--quiet")
  expect_same_numbers(table_of(ran$out), similarity(layers, data, c("cka", "procrustes")))
  expect_identical(ran$err, "")
  # parameters of a measure, labels of a file of n x 1, and no second side
  ran <- run("similarity", x, "--measure", "cka", "--estimator", "stimulus", "--clusters",
             cli("groups.npy"), "--diagonal")
  measure <- measure("cka", estimator = "stimulus", clusters = rep(1:20, each = 2))
  expect_same_numbers(table_of(ran$out), similarity(layers, measure = measure, diagonal = TRUE))
  ran <- run("calibrate", x, "--y", cli("data.npy"), "--blocks", cli("groups.npy"), "--seed", "2",
             "--permutations", "50")
  set.seed(2)
  expected <- calm(calibrate(layers, data, permutations = 50, blocks = rep(1:20, each = 2)))
  expect_same_numbers(table_of(ran$out), expected)
  ran <- run("encode", "--from", cli("layers"), "--to", cli("data.npy"), "--seed", "3",
             "--lambda", "0.1,1,10")
  set.seed(3)
  expect_same_numbers(table_of(ran$out), calm(encode(layers, data, lambda = c(0.1, 1, 10))))
})

test_that("ids pair rows, of all files alike or of each side", {
  ids <- paste0("img", 1:40)
  folder <- withr::local_tempdir()
  of <- function(table) {
    file <- file.path(folder, "ids.csv")
    utils::write.csv(table, file, row.names = FALSE, na = "")
    file
  }
  files <- c("--x", cli("layers"), "--y", cli("data.npy"))
  moved <- c(40:6, rep(NA, 5))
  short <- file.path(folder, "short.npy")
  writeBin(npy_bytes(written$data[stats::na.omit(moved), ]), short)
  ran <- run("similarity", "--x", cli("layers"), "--y", short, "--ids",
             of(data.frame(x = ids, y = ids[moved])))
  expect_match(ran$err, "35 ids in common; left out: 5 of x$layer1", fixed = TRUE)
  kept <- lapply(layers, function(m) m[6:40, ])
  expect_same_numbers(table_of(ran$out), similarity(kept, written$data[6:40, ]))
  # labels by place are those of the rows of the first file, and labels by name go by the ids
  groups <- file.path(folder, "groups.csv")
  utils::write.csv(data.frame(id = rev(ids), group = rep(20:1, each = 2)), groups,
                   row.names = FALSE)
  clusters <- rep(1:20, each = 2)[6:40]
  expected <- similarity(kept, written$data[6:40, ],
                         measure("cka", estimator = "stimulus", clusters = clusters))
  for (labels in c(groups, cli("groups.npy"))) {
    ran <- run("similarity", "--x", cli("layers"), "--y", short, "--estimator", "stimulus",
               "--clusters", labels, "--ids", of(data.frame(x = ids, y = ids[moved])))
    expect_same_numbers(table_of(ran$out), expected)
  }
  expect_match(run("similarity", files, "--ids", of(data.frame(id = ids)))$out[2], "layer1")
  # a column may be named after a file; other programs part fields by semicolons or tabs
  table <- data.frame(id = ids, short = ids[moved])
  expected <- similarity(written$data[6:40, ], written$data[6:40, ])
  for (sep in c(",", ";", "\t")) {
    utils::write.table(table, file.path(folder, "ids.csv"), sep = sep, row.names = FALSE, na = "")
    ran <- run("similarity", "--x", cli("data.npy"), "--y", short, "--ids",
               file.path(folder, "ids.csv"))
    expect_same_numbers(table_of(ran$out), expected)
  }
  # the remedies are those of a shell
  utils::write.csv(data.frame(id = paste0("a", ids), group = 1), groups, row.names = FALSE)
  expect_failed(run("similarity", files, "--estimator", "stimulus", "--clusters", groups, "--ids",
                    of(data.frame(id = ids))), 2, "or give a file of one column in the order")
  expect_failed(run("similarity", files, "--ids", of(data.frame(id = ids[-1]))), 2,
                c("39 ids", "40 rows", "layer1.npy"))
  expect_failed(run("similarity", files, "--ids", of(data.frame(id = c(ids[1:39], "img3")))), 2,
                c("ids.csv", "img3", "rows 3 and 40"))
  expect_failed(run("similarity", files, "--ids", of(data.frame(a = ids, b = ids))), 2,
                "no column for `x$layer1`")
  numbered <- file.path(folder, "numbered.csv")
  utils::write.csv(`rownames<-`(written$data, 40:1), numbered)
  said <- run("similarity", "--x", cli("data.npy"), "--y", numbered, "--quiet")$err
  expect_match(said, "warning: .*the numbers 1 to 40 in another order.*give the ids of both, --ids")
  expect_failed(run("similarity", "--x", cli("data.npy"), "--y", short), 2,
                c("40 rows", "35", "--ids", "`y` is"))
})

test_that("tables, pictures and sentences go where they are wanted", {
  folder <- withr::local_tempdir()
  x <- c("--x", cli("layers"), "--quiet")
  expected <- similarity(layers)
  at <- function(name) file.path(folder, name)
  ran <- run("similarity", x, "--out", at("scores.csv"), "--words")
  expect_same_numbers(table_of(readLines(at("scores.csv"))), expected)
  expect_identical(paste(ran$out, collapse = " "),
                   paste(strwrap(in_words(expected), 78), collapse = " "))
  skip_if_not_installed("jsonlite")
  run("similarity", x, "--out", at("scores.json"))
  expect_same_numbers(jsonlite::fromJSON(at("scores.json")), expected)
  expect_match(run("similarity", x, "--format", "json")$out[1], "[", fixed = TRUE)
  skip_if_not_installed("nanoparquet")
  run("similarity", x, "--out", at("scores.parquet"))
  expect_same_numbers(as.data.frame(nanoparquet::read_parquet(at("scores.parquet"))), expected)
  expect_failed(run("similarity", x, "--format", "parquet"), 2, "needs --out")
  skip_if_not_installed("ggplot2")
  for (figure in at(c("a.pdf", "a.png"))) {
    expect_identical(run("similarity", x, "--out", at("s.csv"), "--figure", figure)$status, 0)
    expect_gt(file.size(figure), 2000)
  }
  picture <- ggplot2::autoplot(similarity(layers, written$data))
  titles <- function(...) titled_by_files(picture, list(...))$labels[c("x", "y")]
  expect_identical(titles(x = "net/layers", y = "a.npy"), list(x = "a.npy", y = "layers"))
  expect_identical(titles(x = "net/layers/", y = "a.npy,b.npy"),
                   list(x = "elements of y", y = "layers"))
  skip_if_not(file.exists("/dev/full"))
  expect_failed(run("similarity", x, "--out", "/dev/full"), 2, "--out: \"/dev/full\" cannot be")
  expect_failed(run("similarity", x, "--figure", at("a.gif")), 2, "--figure")
  expect_failed(run("similarity", x, "--out", at("no/a.csv")), 2, "there is no folder")
})

test_that("the exit status and the message tell what went wrong", {
  data <- written$data
  data[7, 2] <- NaN
  bad <- file_of(npy_bytes(data), ".npy")
  expect_failed(run("similarity", "--x", cli("layers"), "--y", bad), 2,
                c("row 7, column 2", paste("`y` is", bad)))
  expect_failed(run("evaluate", "--data", cli("data.npy")), 2, "--models is missing")
  expect_failed(run("evalute"), 2, "did you mean \"evaluate\"")
  expect_failed(run("similarity", "--x", cli("layers"), "--measur", "cka"), 2,
                "did you mean \"measure\"")
  expect_failed(run("similarity", "--x", cli("layers"), "--measure", "ck"), 2, "cka")
  expect_failed(run("similarity", "--x", cli("layers"), "--measure"), 2, "needs a value")
  expect_failed(run("similarity", "--x", cli("layers"), "--measure", "cka,procrustes",
                    "--estimator", "stimulus"), 2, "parameters need one measure")
  expect_failed(run("similarity", "--x", cli("layers"), "--x", "b"), 2, "twice")
  expect_failed(run("similarity", cli("layers")), 2, "belongs to no option")
  for (flag in list(c("--quiet", "a"), c("--words", "a"))) {
    expect_failed(run("similarity", "--x", cli("layers"), flag), 2, "belongs to no option")
  }
  expect_failed(run("similarity", "--x", cli("layers"), "--words=FALSE"), 2, "takes no value")
  expect_failed(run("calibrate", "--x", cli("layers"), "--aggregate", "row_max"), 2, "`y`, too.")
  labels <- file_of(charToRaw(paste(1:39, collapse = "\n")), ".csv")
  expect_failed(run("encode", "--from", cli("layers"), "--to", cli("data.npy"), "--folds", labels),
                2, c("38 labels", "whose first line names its columns"))
  expect_failed(run("similarity", "--x", "nowhere.npy"), 2, "\"nowhere.npy\" is not there")
  expect_failed(run("similarity", "--x", cli("layers"), "--clusters", "nowhere.csv"), 2,
                c("--clusters", "\"nowhere.csv\" is not there"))
  expect_failed(run("similarity", "--x", file_of(as.raw(1:50), ".npy")), 2, "is no .npy file")
  withr::with_options(list(repalign.max_memory = 1000), {
    expect_failed(run("similarity", "--x", cli("layers")), 3, "would take about")
  })
  local_internal("run_command", function(...) stop("a mistake of ours"))
  expect_failed(run("similarity"), 1, "a mistake of ours")
  local_internal("run_command", function(...) stop("cannot allocate vector of size 8 Gb"))
  expect_failed(run("similarity"), 3, "cannot allocate")
})

test_that("one array of a file, several files, and activations are read as asked", {
  skip_if_not_installed("jsonlite")
  tensors <- lapply(layers, function(m) list(type = "F64", code = "f8", values = m))
  conv <- array(sin(1:320), c(40, 2, 2, 2))
  tensors$conv <- list(type = "F64", code = "f8", values = conv)
  file <- file_of(safetensors_bytes(tensors), ".safetensors")
  ran <- run("similarity", "--x", paste0(file, ":layer2"), "--y", cli("data.npy"), "--quiet")
  expect_same_numbers(table_of(ran$out), similarity(layers$layer2, written$data))
  several <- paste(cli(c("layers/layer10.npy", "layers/layer1.npy")), collapse = ",")
  ran <- run("similarity", "--x", several, "--quiet")
  expect_same_numbers(table_of(ran$out), similarity(layers[c(3, 1)]))
  # a single model, and a control: an argument of a function, or of a measure
  file_of_layer <- cli(c("layers/layer1.npy", "layers/layer10.npy"))
  calm <- function(code) suppressWarnings(suppressMessages(code))
  ran <- run("evaluate", "--data", cli("data.npy"), "--models", file_of_layer[1], "--given",
             file_of_layer[2], "--quiet")
  expect_same_numbers(table_of(ran$out), calm(evaluate_models(written$data, layers[1],
                                                              given = layers$layer10)))
  ran <- run("similarity", "--x", file_of_layer[1], "--y", cli("data.npy"), "--given",
             file_of_layer[2], "--quiet")
  measure <- measure("cka", given = layers$layer10)
  expect_same_numbers(table_of(ran$out), similarity(layers$layer1, written$data, measure))
  expect_failed(run("similarity", "--x", file), 2, c("conv", "channels"))
  ran <- run("similarity", "--x", file, "--flatten", "mean", "--channels", "first", "--quiet")
  expected <- similarity(c(list(conv = apply(conv, 1:2, mean)), layers))
  expect_same_numbers(table_of(ran$out), expected)
})

test_that("trials are kept, or flattened with a warning", {
  cube <- array(sin((1:480)^2), c(40, 4, 3))
  file <- file_of(npy_bytes(cube), ".npy")
  call <- c("similarity", "--x", cli("data.npy"), "--y", file, "--measure", "cka, rsa")
  ran <- run(call, "--quiet")
  expect_match(ran$err, "repalign: warning: .*flattened to 40 x 12; --flatten FALSE")
  expect_identical(table_of(ran$out)$measure, c("cka(naive)", "rsa"))
  ran <- run(call[1:5], "--flatten", "FALSE", "--quiet")
  expected <- suppressMessages(suppressWarnings(similarity(written$data, responses(cube))))
  expect_same_numbers(table_of(ran$out), expected)
})

test_that("help lists the options that there are", {
  expect_match(run("--help")$out, "evaluate_models() of R", fixed = TRUE, all = FALSE)
  for (command in names(cli_commands)) {
    shown <- run(command, "--help")$out
    formals <- setdiff(names(formals(get(cli_commands[[command]]$calls))), c("...", "resume"))
    own <- if (command == "evaluate") names(cli_own) else setdiff(names(cli_own), "kind")
    expect_true(all(paste0("  --", c(formals, own, cli_reading)) %in% shown))
    expect_identical("  --kind" %in% shown, command == "evaluate")
    expect_false("  --resume" %in% shown)
  }
  skip_if(!length(tools::Rd_db("repalign")), "installed without help")
  expect_match(run("evaluate", "--help")$out, "recording", all = FALSE)
  expect_no_match(run("calibrate", "--help")$out, "resume")
})

test_that("the version is told, and a network is called one", {
  expect_identical(run("--version")$out, paste("repalign", utils::packageVersion("repalign")))
  data <- c("--data", cli("data.npy"), "--models", cli("layers"), "--permutations", "0")
  expect_match(paste(run("evaluate", data, "--words", "--kind", "network")$out, collapse = " "),
               "the layer", fixed = TRUE)
  expect_failed(run("evaluate", data, "--kind", "brain"), 2, "kind")
  expect_failed(run("evaluate", data, "--out", "scores.xlsx"), 2, ".xlsx")
  expect_failed(run("similarity", "--x", cli("layers"), "--kind", "network"), 2,
                "no option --kind of `repalign similarity`")
})

test_that("install_cli() writes where it is told, and only there", {
  folder <- withr::local_tempdir()
  expect_refused(install_cli(folder), c("`ask`", "ask = FALSE"))
  expect_refused(install_cli(ask = FALSE), "`folder` is missing")
  expect_refused(install_cli(file.path(folder, "no"), ask = FALSE), "folder that is there")
  expect_length(list.files(folder), 0)
  expect_message(path <- install_cli(folder, ask = FALSE), class = "repalign_installed")
  expect_identical(unname(file.access(path, 1)), 0L)
  ran <- suppressWarnings(system2(path, c("similarity", "--x", shQuote(cli("layers")), "--quiet"),
                                  stdout = TRUE, stderr = TRUE))
  expect_same_numbers(table_of(ran), similarity(layers))
  # texts are UTF-8 in any language of the shell
  file <- file.path(folder, "\u00f6.csv")
  writeLines(enc2utf8(c("id", paste0("\u00f6", 1:40))), file, useBytes = TRUE)
  ran <- suppressWarnings(system2(
    path, c("similarity", "--x", shQuote(cli("layers")), "--ids", shQuote(file), "--quiet"),
    stdout = TRUE, stderr = TRUE, env = "LC_ALL=C"
  ))
  expect_same_numbers(table_of(ran), similarity(layers))
  expect_identical(suppressWarnings(system2(path, "nothing", stdout = FALSE, stderr = FALSE)), 2L)
  # over itself, as a link, but over nothing else
  suppressMessages(install_cli(folder, ask = FALSE, link = TRUE))
  expect_true(nzchar(Sys.readlink(path)))
  unlink(path)
  writeLines("mine", path)
  expect_refused(install_cli(folder, ask = FALSE), "another file")
  expect_identical(readLines(path), "mine")
})
