# The ReSi benchmark on graph networks trained on Cora (tests 1, 2, 3 and 6), from a folder with
# published scores and quality figures: are the figures from the published scores the published
# ones, are those from our own scores, how much do tied neighbours scatter, who ranks first?
#   Rscript bench/resi.R [published own ties ranks] [seeds=20]
# REPALIGN_SHARED names the folder that holds data/resi_cora (default: ../shared).

suppressMessages(library(repalign))
here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))
source(file.path(here, "timing.R"))

folder <- file.path(Sys.getenv("REPALIGN_SHARED", "../shared"), "data", "resi_cora")
if (!file.exists(file.path(folder, "manifest.csv"))) {
  say("%s is not there: nothing is run.", folder)
  quit("no")
}
manifest <- read.csv(file.path(folder, "manifest.csv"))
published_scores <- read.csv(file.path(folder, "scores.csv.gz"))
published_quality <- read.csv(file.path(folder, "quality.csv"))

# What the package calls the measures of the published code; the tests have the table.
of_tests <- new.env()
sys.source(file.path(here, "..", "tests", "testthat", "helper-quality.R"), of_tests)
measure_names <- stats::setNames(names(of_tests$resi_names), of_tests$resi_names)
# Not judged: PWCCA, because the published code computes another thing; what depends on the order of
# tied neighbours, because every representation has equal rows; and a score of single precision.
not_compared <- "PWCCA"
tied <- c("Jaccard", "RankSim", "2nd-Cos", "IMD")
single_precision <- "RTD"

# The manifests of the tests. Layers have the names that benchmark_layers() gives them.
manifest$id <- sub("[.]npy$", "", manifest$file)
manifest$file <- file.path(folder, manifest$file)
tests <- list(
  outputs = manifest[manifest$test == "1/2" & manifest$layer == "2", ],
  groups = manifest[manifest$test == "3", ],
  layers = manifest[manifest$test == "6", ]
)
tests$groups$group <- factor(tests$groups$group, c("normal", "label25", "label100"))
tests$layers$model <- as.character(tests$layers$seed)
tests$layers$stem <- tests$layers$id
tests$layers$id <- paste(tests$layers$model, tests$layers$layer, sep = "/")
test_numbers <- c(outputs = 1, groups = 3, layers = 6)
names <- stats::setNames(nm = names(tests))
logits <- manifest[manifest$layer == "logits", ]
logits <- logits[match(tests$outputs$seed, logits$seed), ]

# The three benchmarks, of measures or of scores that are there; files are read where none are.
run_test <- function(name, scores = NULL, measures = NULL, representations = NULL) {
  rows <- tests[[name]]
  given <- if (!is.null(scores)) list(scores = scores) else list(measures = measures)
  # layers are told from the manifest: its names are those of the table
  from <- if (!is.null(representations)) representations else if (is.null(scores)) rows else
    if (name == "layers") split(as.character(rows$layer), rows$model) else rows$id
  call <- switch(
    name,
    outputs = list(benchmark_outputs, from, outputs = read_logits(), from = "logit",
                   accuracy = round(1000 * rows$accuracy),
                   correlation = c("spearman", "pearson", "kendall"), model_permutations = 0),
    groups = list(benchmark_groups, from, groups = rows$group, model_permutations = 0),
    layers = list(benchmark_layers, from)
  )
  do.call(call[[1]], c(call[-1], given, list(test = name, dataset = "cora", architecture = "gcn")))
}

read_logits <- function() {
  stats::setNames(lapply(logits$file, read_representation), tests$outputs$id)
}

# The published scores of a test, as benchmarks take them.
published_table <- function(name) {
  rows <- published_scores[published_scores$test == test_numbers[[name]] &
                             published_scores$measure %in% names(measure_names), ]
  table <- data.frame(x = rows$rep_a, y = rows$rep_b, measure = measure_names[rows$measure],
                      score = rows$value)
  if (name == "layers") {
    at <- tests$layers
    table[c("x", "y")] <- lapply(table[c("x", "y")], function(side) at$id[match(side, at$stem)])
  }
  rownames(table) <- NULL
  table
}

# Our figures under the names of the published table: test, measure, quality_metric, value. What is
# published as a rate of violations is turned round.
figures_of <- function(results, outputs = figures_of_outputs(results$outputs)) {
  rbind(outputs, with_parts(results$groups, 3, "_group", levels(tests$groups$group)),
        with_parts(results$layers, 6, "_model", unique(tests$layers$model)))
}

suffix <- c(spearman = "spearmanr", pearson = "pearsonr", kendall = "kendalltau")

figures_of_outputs <- function(outputs) {
  target <- c(accuracy = "AbsoluteAccDiffExact", jsd = "JSD", disagreement = "Disagreement")
  data.frame(test = ifelse(outputs$target == "accuracy", 1, 2), measure = outputs$measure,
             quality_metric = paste0(target[outputs$target], "_", suffix[outputs$correlation]),
             value = outputs$value)
}

# The same with the published differences between outputs, of which two have single precision.
figures_with_published_differences <- function(scores) {
  targets <- c(AbsoluteAccDiff = 1, AbsoluteAccDiffExact = 1, JSD = 2, Disagreement = 2)
  matrix_of <- function(rows) {
    models <- tests$outputs$id
    values <- matrix(NA_real_, length(models), length(models), dimnames = list(models, models))
    values[cbind(rows$y, rows$x)] <- rows$score
    values[cbind(rows$x, rows$y)] <- rows$score
    values
  }
  differences <- sapply(names(targets), function(target) {
    rows <- published_scores[published_scores$measure == target, ]
    matrix_of(data.frame(x = rows$rep_a, y = rows$rep_b, score = rows$value))
  }, simplify = FALSE)
  known <- measures()
  parts <- lapply(split(scores, scores$measure), function(rows) {
    about <- known[match(rows$measure[1], known$resi), ]
    found <- do.call(rbind, lapply(names(suffix), function(correlation) {
      repalign:::output_quality(matrix_of(rows), about$direction == "similarity", about$symmetric,
                                differences, correlation, model_permutations = 0)
    }))
    data.frame(test = unname(targets[found$target]), measure = rows$measure[1],
               quality_metric = paste0(found$target, "_", suffix[found$correlation]),
               value = found$value)
  })
  do.call(rbind, parts)
}

# Differences between outputs, from the logits, next to the published ones.
compare_differences <- function() {
  outputs <- read_logits()
  for (target in c("JSD", "Disagreement")) {
    rows <- published_scores[published_scores$measure == target, ]
    ours <- mapply(function(a, b) {
      if (target == "JSD") jsd(a, b, from = "logit") else disagreement(a, b)
    }, outputs[rows$rep_a], outputs[rows$rep_b])
    say("%s from the logits: largest relative difference from the published %.2g", target,
        max(abs(ours / rows$value - 1)))
  }
}

with_parts <- function(rows, test, prefix, parts) {
  rows <- rows[rows$metric %in% c("auprc", "conformity", "spearman"), ]
  whole <- rows$part == "all"
  name <- c(auprc = "AUPRC", conformity = "violation_rate", spearman = "spearman")[rows$metric]
  name <- ifelse(whole, ifelse(rows$metric == "conformity", "conformity", name),
                 paste0(name, prefix, match(rows$part, parts) - 1))
  turned <- rows$metric == "conformity" & !whole
  found <- data.frame(test, measure = rows$measure, quality_metric = name,
                      value = ifelse(turned, 1 - rows$value, rows$value))
  # the rate over all is published both ways
  rates <- found[found$quality_metric == "conformity", ]
  rates$quality_metric <- "violation_rate"
  rates$value <- 1 - rates$value
  rbind(found, rates)
}

# Prints how far our figures are from the published ones: the largest difference by measure and kind
# of figure, and the published rows without one of ours.
compare_figures <- function(ours, limit, spared = character()) {
  published <- published_quality
  published$measure <- measure_names[published$measure]
  key <- function(rows) paste(rows$test, rows$measure, rows$quality_metric)
  published$ours <- ours$value[match(key(published), key(ours))]
  without <- is.na(published$ours) & !is.na(published$value)
  say("%d published figures, %d of them compared", nrow(published), sum(!without))
  lacking <- unique(published$quality_metric[without])
  if (length(lacking)) say("not compared: %s", toString(sort(lacking)))
  published$kind <- sub("_.*", "", published$quality_metric)
  published$kind[published$kind == "violation"] <- "conformity"
  published$off <- abs(published$ours - published$value)
  table <- tapply(published$off, list(published$measure, published$kind), largest)
  print(signif(table[measure_names[measure_names %in% rownames(table)], ], 2))
  judged <- published$off[!published$measure %in% spared]
  say("largest difference%s: %s", if (length(spared)) paste(" without", toString(spared)) else "",
      verdict(largest(judged), limit))
}

largest <- function(values) if (all(is.na(values))) NA else max(values, na.rm = TRUE)

# Our scores with the arguments of the published code. It takes GULP squared, and RTD once from
# every other row (1, 3, ..., 999).
own_scores <- function(name) {
  set <- resi_measures(published = TRUE)
  set$SVCCA <- measure("svcca", components = 1)
  set$RTD <- NULL
  scores <- similarity_scores(quietly(run_test(name, measures = set)))
  squared <- scores$measure == "GULP"
  scores$score[squared] <- scores$score[squared]^2
  half <- run_test(name, measures = list(RTD = measure("rtd", batch = Inf)),
                   representations = half_rows(name))
  rbind(scores, similarity_scores(half))
}

# Ties among neighbours are expected here: every representation has equal rows.
quietly <- function(code) {
  withCallingHandlers(code, repalign_ties = function(w) invokeRestart("muffleWarning"),
                      message = function(m) invokeRestart("muffleMessage"))
}

half_rows <- function(name) {
  rows <- tests[[name]]
  half <- lapply(rows$file, read_representation, rows = seq(1, 999, 2))
  if (name != "layers") return(stats::setNames(half, rows$id))
  lapply(split(seq_len(nrow(rows)), rows$model), function(at) {
    stats::setNames(half[at], rows$layer[at])
  })
}

# Largest relative differences between our scores and the published ones.
compare_scores <- function(scores) {
  key <- function(table) paste(table$measure, table$x, table$y)
  off <- do.call(rbind, lapply(names(scores), function(name) {
    ours <- scores[[name]]
    published <- published_table(name)
    value <- published$score[match(key(ours), key(published))]
    data.frame(measure = ours$measure, test = name, off = abs(ours$score / value - 1))
  }))
  table <- tapply(off$off, list(off$measure, off$test), largest)
  print(signif(table[measure_names, ], 2))
}

# How far the scores and figures of measures with tied neighbours scatter over seeds, next to the
# published ones, which are from one random choice, too.
print_scatter <- function(seeds) {
  set <- resi_measures(published = TRUE)[tied]
  runs <- lapply(seq_len(seeds), function(seed) {
    set.seed(seed)
    results <- lapply(names, function(name) quietly(run_test(name, measures = set)))
    list(figures = figures_of(results), scores = lapply(results, similarity_scores))
  })
  print_score_scatter(lapply(runs, function(run) run$scores))
  print_figure_scatter(lapply(runs, function(run) run$figures))
}

# For each measure and test: the published scores in the range over seeds, and the mean width of the
# range, relative to the score. IMD has no random choice but that of the published code.
print_score_scatter <- function(runs) {
  rows <- lapply(names, function(name) {
    first <- runs[[1]][[name]]
    values <- vapply(runs, function(run) run[[name]]$score, first$score)
    published <- published_table(name)
    key <- function(table) paste(table$measure, table$x, table$y)
    published <- published$score[match(key(first), key(published))]
    limits <- apply(values, 1, range)
    off <- pmax(limits[1, ] - published, published - limits[2, ], 0) / published
    data.frame(measure = first$measure, test = name, inside = off < 1e-10, off,
               width = (limits[2, ] - limits[1, ]) / published)
  })
  rows <- do.call(rbind, rows)
  say("Scores: share of published ones within the range over seeds, their largest relative")
  say("distance from it, and its mean width")
  groups <- list(measure = rows$measure, test = rows$test)
  table <- merge(stats::aggregate(rows["inside"], groups, mean),
                 merge(stats::aggregate(rows["off"], groups, max),
                       stats::aggregate(rows["width"], groups, mean)))
  print(table, digits = 2, row.names = FALSE)
}

# The published code takes the 11 nearest rows and drops the first for the row itself. Of two equal
# rows that may be the other one. Jaccard and rank similarity with a random choice between them, in
# plain R, for ten pairs.
nearest_but_first <- function(x) {
  unit <- x / sqrt(rowSums(x^2))
  distances <- round(1 - tcrossprod(unit), 12)
  t(apply(distances, 1, function(row) order(row, sample.int(length(row)))[2:11]))
}

two_similarities <- function(a, b) {
  each <- vapply(seq_len(nrow(a)), function(i) {
    common <- intersect(a[i, ], b[i, ])
    r <- match(common, a[i, ])
    q <- match(common, b[i, ])
    c(length(common) / (20 - length(common)),
      if (length(common)) sum(2 / ((1 + abs(r - q)) * (r + q))) / sum(1 / seq_along(common)) else 0)
  }, c(0, 0))
  rowMeans(each)
}

print_first_dropped <- function(seeds) {
  rows <- tests$outputs[1:5, ]
  data <- stats::setNames(lapply(rows$file, read_representation), rows$id)
  published <- published_table("outputs")
  published <- published[published$x %in% rows$id & published$y %in% rows$id, ]
  jaccard <- published[published$measure == "Jaccard", ]
  wanted <- rbind(jaccard$score, published$score[published$measure == "RankSim"])
  values <- replicate(seeds, {
    nearest <- lapply(data, nearest_but_first)
    mapply(function(x, y) two_similarities(nearest[[x]], nearest[[y]]), jaccard$x, jaccard$y)
  })
  low <- apply(values, 1:2, min)
  high <- apply(values, 1:2, max)
  inside <- rowSums(wanted >= low & wanted <= high)
  say("\nWith the first of equal rows dropped, as published: of %d pairs, within the range over",
      ncol(wanted))
  say("%d seeds are %d scores of Jaccard, %d of RankSim", seeds, inside[1], inside[2])
}

print_figure_scatter <- function(runs) {
  first <- runs[[1]]
  values <- vapply(runs, function(run) run$value, first$value)
  at <- match(paste(first$test, first$measure, first$quality_metric),
              paste(published_quality$test, measure_names[published_quality$measure],
                    published_quality$quality_metric))
  published <- published_quality$value[at]
  limits <- apply(values, 1, range)
  table <- data.frame(first[c("measure", "test", "quality_metric")], published, low = limits[1, ],
                      high = limits[2, ], sd = apply(values, 1, stats::sd),
                      inside = published >= limits[1, ] - 1e-10 & published <= limits[2, ] + 1e-10)
  shown <- c("AbsoluteAccDiffExact_spearmanr", "JSD_spearmanr", "AUPRC", "conformity", "spearman")
  table <- table[first$quality_metric %in% shown, ]
  say("\nQuality figures: range and standard deviation over seeds")
  print(table[order(table$measure, table$test), ], digits = 3, row.names = FALSE)
}

options(width = 110)
say_machine()
say("45 representations, 1000 x 64; %d measures", length(measure_names))

if (wanted("published") || wanted("ranks")) {
  time <- system.time(results <- lapply(names, function(name) {
    run_test(name, scores = published_table(name))
  }))[["elapsed"]]
}
if (wanted("published")) {
  say("\nQuality figures from the published scores (%.1f s)", time)
  outputs <- figures_with_published_differences(published_table("outputs"))
  compare_figures(figures_of(results, outputs), 1e-12)
  say("\nThe same with differences between outputs from the logits")
  compare_differences()
  compare_figures(figures_of(results), 1e-8)
}
if (wanted("own")) {
  set.seed(1)
  time <- system.time(scores <- lapply(names, own_scores))[["elapsed"]]
  say("\nOur own scores (%.0f s): largest relative differences from the published ones", time)
  compare_scores(scores)
  say("\nQuality figures from our own scores")
  own <- lapply(names, function(name) run_test(name, scores = scores[[name]]))
  outputs <- figures_with_published_differences(scores$outputs)
  compare_figures(figures_of(own, outputs), 1e-10, c(not_compared, tied, single_precision))
}
if (wanted("ties")) {
  seeds <- setting("seeds", 20L)
  say("\nMeasures with tied neighbours: figures over %d seeds", seeds)
  time <- system.time({
    print_scatter(seeds)
    print_first_dropped(seeds)
  })[["elapsed"]]
  say("(%.0f s)", time)
}
if (wanted("ranks")) {
  say("\nRanks from the published scores")
  print(do.call(rank_measures, unname(results)))
  if (wanted("own")) {
    say("\nRanks from our own scores")
    print(do.call(rank_measures, unname(own)))
  }
}
