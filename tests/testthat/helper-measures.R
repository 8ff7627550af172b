# What the tests say of single measures, apart from the declarations on purpose: a new measure is
# named here. lacking_places() tells where one still lacks, here and elsewhere.

# Settings of each measure beside its defaults; `k` is the number of neighbours to use.
settings <- function(k = 5) {
  with_k <- function(...) lapply(list(list(), ...), function(args) c(args, list(k = k)))
  metrics <- lapply(c("euclidean", "dot", "correlation"), function(m) list(metric = m))
  random <- list(ties = "random")
  average <- list(ties = "average")
  list(
    cca = list(list(), list(summary = "mean_squared"), list(summary = "yanai")),
    svcca = list(list(), list(variance = 0.8), list(components = 2)),
    pwcca = list(list(), list(weights = "l1")),
    procrustes = list(list(), list(scale = FALSE), list(center = FALSE),
                      list(center = FALSE, scale = FALSE)),
    procrustes_size_shape = list(list(), list(center = FALSE)),
    procrustes_similarity = list(list()),
    shape_distance = list(list(), list(alpha = 0), list(alpha = 0.5, method = "euclidean"),
                          list(alpha = 0.5, whitening = "raw", center = FALSE),
                          list(alpha = 0.3, method = "euclidean", scale = FALSE)),
    angular_shape = list(list()), bures = list(list()), bures_distance = list(list()),
    permutation_procrustes = list(list(), list(center = TRUE), list(scale = TRUE),
                                  list(center = TRUE, scale = TRUE)),
    aligned_cosine = list(list(), list(center = TRUE)),
    hard_correlation_match = list(list(), list(matching = "greedy")),
    soft_correlation_match = list(list(), list(direction = "x"), list(direction = "y")),
    soft_matching = list(list(), list(mass = 0.4), list(center = FALSE, scale = FALSE)),
    soft_matching_correlation = list(list(), list(mass = 0.3)),
    linear_regression = list(list()),
    cka = list(list(), list(estimator = "stimulus"), list(kernel = "rbf"),
               list(kernel = "rbf", bandwidth = 0.5), list(kernel = "rbf", estimator = "stimulus"),
               list(kernel = "manifold", k = k)),
    rv = list(list()),
    angular_cka = list(list(), list(kernel = "rbf"), list(kernel = "manifold", k = k)),
    distance_correlation = list(list(), list(squared = TRUE), list(estimator = "unbiased")),
    eigenspace_overlap = list(list()),
    gulp = list(list(), list(lambda = 0.1), list(lambda = 1e-3)),
    rsa = c(list(list()),
            lapply(c("euclidean", "sqeuclidean", "cosine"), function(i) list(inner = i)),
            lapply(c("pearson", "kendall", "tau_b", "rho_a", "whitened_cosine", "whitened_pearson"),
                   function(o) list(outer = o)),
            list(list(inner = "euclidean", outer = "cosine"))),
    rsm_difference = list(list(), list(norm = "spectral")),
    mutual_knn = do.call(with_k, c(metrics, list(random))),
    knn_jaccard = with_k(metrics[[1]], random),
    rank_similarity = with_k(metrics[[1]], average), cycle_knn = with_k(average),
    cknna = with_k(list(normalize = FALSE), list(centering = "full"), list(estimator = "unbiased"),
                   average, list(centering = "full", normalize = FALSE),
                   list(centering = "full", ties = "random")),
    second_order_cosine = with_k(list(of = "distance"), average),
    lcs_knn = with_k(average), edit_distance_knn = with_k(average), mka = with_k(random),
    kcka = with_k(list(self = FALSE), list(squared = TRUE), list(centering = "double"),
                  list(squared = TRUE, centering = "double"), random,
                  list(centering = "double", ties = "average")),
    imd = with_k(), rtd = list(list()),
    magnitude_difference = list(list()), concentricity_difference = list(list()),
    uniformity_difference = list(list(), list(t = 0.5), list(normalize = TRUE))
  )
}

# What MEASURES.md and the formulas say; O rotation, S scaling, T translation, C column
# permutation, L invertible linear maps, of one side.
expected_invariances <- c(
  cca = "OSTCL", svcca = "OSTC", pwcca = "STC", procrustes = "OSTC", procrustes_size_shape = "OTC",
  bures = "OSTC", bures_distance = "OTC", riemann = "OSTC",
  procrustes_similarity = "OTC", angular_shape = "OSTC", shape_distance = "OSTC",
  permutation_procrustes = "C", soft_matching = "STC", soft_matching_correlation = "STC",
  aligned_cosine = "OSC", hard_correlation_match = "STC", soft_correlation_match = "STC",
  linear_regression = "OSTC", cka = "OSTC", angular_cka = "OSTC", rv = "OSTC",
  distance_correlation = "OSTC",
  eigenspace_overlap = "OSCL", gulp = "OSTCL", rsa = "SC", rsm_difference = "OTC",
  mutual_knn = "OSC",
  cycle_knn = "OSC", cknna = "OSC", knn_jaccard = "OSC", rank_similarity = "OSC",
  second_order_cosine = "OSC", lcs_knn = "OSC", edit_distance_knn = "OSC", mka = "OSTC",
  kcka = "OSTC", imd = "OSTC", rtd = "OSTC", magnitude_difference = "OC",
  concentricity_difference = "OSC", uniformity_difference = "OTC"
)
letters_of <- c(O = "orthogonal", S = "scaling", T = "translation", C = "column permutation",
                L = "invertible linear")

# Those with exact moments of the null, because the rows of their forms' matrices add up to 0.
moment_settings <- function() {
  list(
    cka = list(list(), list(estimator = "stimulus"), list(kernel = "rbf"),
               list(kernel = "rbf", estimator = "stimulus")),
    rv = list(list()), angular_cka = list(list()),
    cca = list(list(summary = "mean_squared"), list(summary = "yanai")),
    distance_correlation = list(list(), list(squared = TRUE), list(estimator = "unbiased")),
    rsa = lapply(whitened_outer, function(outer) list(inner = "euclidean", outer = outer)),
    linear_regression = list(list()), gulp = list(list(), list(lambda = 0.1))
  )
}

# Grids of these are products of matrices.
product_ids <- c("cka", "angular_cka", "rv", "rsa", "distance_correlation", "mutual_knn",
                 "knn_jaccard", "mka", "kcka", "cknna")

# Permutations say nothing of these, which do not know which stimulus is which.
unpaired_ids <- c("imd", "magnitude_difference", "concentricity_difference",
                  "uniformity_difference")

# Measures that refuse rows of zeros, which have no direction.
cosine_neighbours <- c("mutual_knn", "knn_jaccard", "rank_similarity", "cycle_knn", "cknna",
                       "second_order_cosine", "lcs_knn", "edit_distance_knn")

needs_row_lengths <- function(id, args) {
  if (id == "cknna") return(!identical(args$normalize, FALSE))
  if (id %in% cosine_neighbours) return(is.null(args$metric) ||
                                        args$metric %in% c("cosine", "correlation"))
  (id == "aligned_cosine" && is.null(args$center)) || id == "concentricity_difference" ||
    (id == "uniformity_difference" && isTRUE(args$normalize)) ||
    (id == "rsa" && (is.null(args$inner) || args$inner %in% c("cosine", "correlation")))
}

# Where a measure lacks, a line for each place that should name it. riemann() has tests of its own
# (plain_measures()).
lacking_places <- function(id) {
  own <- id == "riemann"
  set <- lapply(registered_settings()[[id]], function(args) settled_measure(measure_with(id, args)))
  any_of <- function(f) any(vapply(set, f, NA))
  exact <- any_of(function(m) {
    identical(m$null$kernel, "inner") && isTRUE(m$null$centered) && is.null(m$null$correction)
  })
  product <- any_of(function(m) !is.null(m$dot) && !m$averaged)
  lacks <- function(good, ...) if (!good) paste0(...)
  tests <- function(good, ...) lacks(good, "tests/testthat/helper-measures.R: ", ...)
  c(lacks(id %in% getNamespaceExports("repalign"), "R/: ", id, "() with @export"),
    lacks(own || exists(paste0("def_", id)), "tests/testthat/helper-definitions.R: def_", id,
          "(x, y, ...), the definition in plain R"),
    tests(own || id %in% names(settings()), "settings(), parameters to try"),
    tests(id %in% names(expected_invariances), "expected_invariances"),
    tests(exact == id %in% names(moment_settings()), "moment_settings(), if the null is centred"),
    lacks(!exact || in_moments_message(id), "R/null-inner.R: the message of moments_null()"),
    tests(product == id %in% product_ids, "product_ids, if it has `dot`"),
    tests(declaration(id)$pairing != id %in% unpaired_ids, "unpaired_ids, if `pairing = FALSE`"),
    tests(own || refuses_zeros(id) == needs_row_lengths(id, list()),
          "needs_row_lengths(), if it refuses rows of zeros"),
    if (!is.null(source_folder())) lacking_sources(id, lacks))
}

# The message names those with exact moments, with blanks in their ids.
in_moments_message <- function(id) {
  p <- contract_pair()
  said <- once("moments", tryCatch(calibrate(p$x, p$y, "svcca", engine = "moments"),
                                   error = conditionMessage))
  grepl(gsub("_", " ", id), gsub("_", " ", said))
}

refuses_zeros <- function(id) {
  p <- contract_pair()
  p$x[9, ] <- 0
  inherits(tryCatch(contract_value(id, p$x, p$y), error = identity), "error")
}

# The sources of the package, where the tests run within them; NULL in a check of the package alone.
source_folder <- function() {
  folder <- normalizePath(".")
  for (step in 1:6) {
    if (file.exists(file.path(folder, "_pkgdown.yml"))) return(folder)
    folder <- dirname(folder)
  }
  NULL
}

source_lines <- function(...) {
  path <- file.path(source_folder(), ...)
  once(path, readLines(path, warn = FALSE))
}

source_contains <- function(text, ...) any(grepl(text, source_lines(...), fixed = TRUE))

lacking_sources <- function(id, lacks) {
  all <- dir(file.path(source_folder(), "man"), "[.]Rd$")
  alias <- sprintf("\\alias{%s}", id)
  pages <- Filter(function(page) source_contains(alias, "man", page), all)
  page <- if (length(pages)) source_lines("man", pages[1])
  topics <- sub("^\\\\alias[{](.*)[}]$", "\\1", grep("^\\\\alias[{]", page, value = TRUE))
  listed <- any(paste("  -", topics) %in% source_lines("_pkgdown.yml"))
  parts <- c("\\value{", "\\references{", "\\examples{", "\\details{")
  fuzz <- once("parameters of make fuzz", {
    sys.source(file.path(source_folder(), "tools/fuzz/parameters.R"), fuzz <- new.env())
    fuzz$parameters
  })
  drawn <- id %in% names(fuzz) && setequal(names(fuzz[[id]]), names(measure_parameters(id)))
  c(lacks(all(vapply(parts, function(part) any(startsWith(page, part)), NA)), "man/: a help page ",
          "(`make document`) with @return, @details, @references and @examples"),
    lacks(listed, "_pkgdown.yml: ", id, ", with the measures of its family"),
    lacks(drawn, "tools/fuzz/parameters.R: values for its parameters"),
    lacks(source_contains(dQuote(id, FALSE), "bench/inference.R"), "bench/inference.R: families"),
    lacks(source_contains(paste0("`", id, "()`"), "NEWS.md"), "NEWS.md: `", id, "()`"))
}

# Files that tell users how many measures there are, and tell another number.
miscounting_files <- function() {
  told <- paste(nrow(measures()), c("measures", "similarity measures"), sep = " ")
  Filter(function(file) {
    !any(vapply(told, function(text) source_contains(text, file), NA))
  }, if (!is.null(source_folder())) c("README.md", "DESCRIPTION", "NEWS.md"))
}

# A pair of two matrices, as measures get it.
representation_pair <- function(x, y) as_pair(representation(x, "x"), representation(y, "y"))
