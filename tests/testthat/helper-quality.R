# The benchmark's quality figures from their definitions, in plain loops; and the real instance of
# the benchmark, whose scores and figures were published.

# Average precision of `hit` among all, the largest values first; what is tied comes together.
def_precision <- function(value, hit) {
  sum(vapply(sort(unique(value), decreasing = TRUE), function(level) {
    mean(hit[value >= level]) * sum(hit[value == level]) / sum(hit)
  }, 0))
}

# likeness: a matrix, larger is more alike. Values of one group, as in the published code.
def_published_group <- function(likeness, groups, group) {
  inside <- which(groups == group)
  outside <- which(groups != group)
  within <- unlist(lapply(inside, function(i) likeness[i, inside[inside > i]]))
  across <- as.vector(likeness[inside, outside])
  within <- within[!is.na(within)]
  across <- across[!is.na(across)]
  if (!length(within)) return(c(auprc = NA, conformity = NA))
  c(auprc = def_precision(c(within, across),
                          rep(c(TRUE, FALSE), c(length(within), length(across)))),
    conformity = mean(outer(within, across, `>`)))
}

def_paper_triples <- function(likeness, groups, anchors = seq_along(groups)) {
  conforms <- c()
  for (i in anchors) {
    for (j in setdiff(which(groups == groups[i]), i)) {
      for (k in which(groups != groups[i])) {
        conforms <- c(conforms, likeness[i, k] <= likeness[i, j])
      }
    }
  }
  mean(conforms, na.rm = TRUE)
}

def_silhouettes <- function(away, groups) {
  vapply(seq_along(groups), function(i) {
    own <- setdiff(which(groups == groups[i]), i)
    if (!length(own)) return(0)
    others <- vapply(setdiff(groups, groups[i]), function(g) {
      mean(away[i, groups == g], na.rm = TRUE)
    }, 0)
    a <- mean(away[i, own], na.rm = TRUE)
    b <- min(others, na.rm = TRUE)
    (b - a) / max(a, b)
  }, 0)
}

# All figures of all groups together.
def_group_quality <- function(likeness, groups, definition, best, symmetric) {
  at <- if (symmetric) upper.tri(likeness) else diag(length(groups)) == 0
  at <- at & !is.na(likeness)
  same <- outer(groups, groups, `==`)[at]
  value <- likeness[at]
  each <- vapply(unique(groups), function(g) def_published_group(likeness, groups, g), c(0, 0))
  published <- definition == "published"
  wins <- outer(value[same], value[!same], function(a, b) (a > b) + (a == b) / 2)
  c(auprc = if (published) mean(each[1, ], na.rm = TRUE) else def_precision(value, same),
    conformity = if (published) mean(each[2, ], na.rm = TRUE) else
      def_paper_triples(likeness, groups),
    dprime = (mean(value[same]) - mean(value[!same])) /
      sqrt((var(value[same]) + var(value[!same])) / 2),
    silhouette = mean(def_silhouettes(best - likeness, groups)), auc = mean(wins))
}

def_nested_tuples <- function(likeness) {
  layers <- nrow(likeness)
  conforms <- c()
  for (i in seq_len(layers)) for (j in i:layers) for (k in seq_len(layers)) for (l in k:layers) {
    if (j < k) conforms <- c(conforms, likeness[i, l] <= likeness[j, k])
  }
  mean(conforms, na.rm = TRUE)
}

# The tables of the instance, read once.
resi_table <- function(name) {
  path <- shared_file("data", "resi_cora", name)
  if (is.null(read_tables[[path]])) read_tables[[path]] <- read.csv(path)
  read_tables[[path]]
}

# What the package calls the measures of the published code.
resi_names <- c(
  PWCCA = "PWCCA", SVCCA = "SVCCA", AlignCos = "AlignedCosineSimilarity",
  AngShape = "OrthogonalAngularShapeMetricCentered", HardCorr = "HardCorrelationMatch",
  LinReg = "LinearRegression", OrthProc = "OrthogonalProcrustesCenteredAndNormalized",
  PermProc = "PermutationProcrustes", ProcDist = "ProcrustesSizeAndShapeDistance",
  SoftCorr = "SoftCorrelationMatch", CKA = "CKA", DistCorr = "DistanceCorrelation",
  EOS = "EigenspaceOverlapScore", GULP = "Gulp", RSA = "RSA", RSMDiff = "RSMNormDifference",
  `2nd-Cos` = "SecondOrderCosineSimilarity", Jaccard = "JaccardSimilarity",
  RankSim = "RankSimilarity", IMD = "IMDexact", RTD = "RTDsub500",
  ConcDiff = "ConcentricityDifference", MagDiff = "MagnitudeDifference",
  UnifDiff = "UniformityDifference"
)

# The models of a test, in the order of the manifest: their names in the table of scores.
resi_models <- function(test, layer = NULL, seed = NULL) {
  manifest <- resi_table("manifest.csv")
  rows <- manifest$test == test
  if (!is.null(layer)) rows <- rows & manifest$layer == layer
  if (!is.null(seed)) rows <- rows & manifest$seed == seed
  manifest <- manifest[rows, ]
  names <- sub("[.]npy$", "", manifest$file)
  structure(names, group = manifest$group)
}

# The published scores of a measure among models. Those of symmetric measures stand there once.
published_matrix <- function(measure, models, test) {
  scores <- resi_table("scores.csv.gz")
  rows <- scores[scores$measure == measure & scores$test == test, ]
  score <- matrix(NA_real_, length(models), length(models), dimnames = list(models, models))
  rows <- rows[rows$rep_a %in% models & rows$rep_b %in% models, ]
  back <- cbind(rows$rep_b, rows$rep_a)
  score[back] <- rows$value
  score[cbind(rows$rep_a, rows$rep_b)] <- rows$value
  score
}
