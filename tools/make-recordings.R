# Makes data/*.rda, the recordings that the package ships, from the tables of the folder
# shared/data. From the root of the repository: Rscript tools/make-recordings.R [folder]
# Values are taken over as they are; R/base-package.R says where they come from.

folder <- commandArgs(trailingOnly = TRUE)
if (!length(folder)) folder <- file.path(Sys.getenv("REPALIGN_SHARED", "../shared"), "data")
table <- function(name) read.csv(file.path(folder, name), check.names = FALSE)

# Conditions x units x repeats, NA where a repeat is missing. Counts of 100 to 500 ms.
make_macaque_it <- function() {
  long <- table("zd_it_trials.csv.gz")
  units <- table("zd_it_neurons.csv")
  condition <- paste(long$object, long$position, sep = "_")
  conditions <- sort(unique(condition), method = "radix")
  counts <- array(NA_integer_, c(length(conditions), nrow(units), max(long$rep)),
                  list(conditions, paste0("u", units$neuron), seq_len(max(long$rep))))
  bins <- c("c100_200", "c200_300", "c300_400", "c400_500")
  counts[cbind(match(condition, conditions), match(long$neuron, units$neuron), long$rep)] <-
    as.integer(rowSums(long[bins]))
  first <- match(conditions, condition)
  list(counts = counts, session = units$session, object = long$object[first],
       position = long$position[first])
}

make_macaque_v4 <- function() {
  long <- table("v4_210325_trials.csv.gz")
  units <- setdiff(names(long), c("image", "rep"))
  images <- sort(unique(long$image))
  trials <- array(NA_integer_, c(length(images), length(units), max(long$rep)),
                  list(images, units, seq_len(max(long$rep))))
  for (rep in seq_len(max(long$rep))) {
    rows <- long[long$rep == rep, ]
    trials[match(rows$image, images), , rep] <- as.matrix(rows[units])
  }
  other <- table("v4_210322_shared600.csv.gz")
  other_day <- as.matrix(other[-1])
  dimnames(other_day) <- list(other$image, names(other)[-1])
  list(trials = trials, other_day = other_day)
}

make_v4_layers <- function() {
  wide <- table("v4_model_layers.csv.gz")
  layer <- sub("_.*", "", names(wide)[-1])
  sapply(unique(layer), function(name) {
    units <- as.matrix(wide[-1][layer == name])
    rownames(units) <- wide$image
    units
  }, simplify = FALSE)
}

make_larval_orn <- function() {
  rows <- table("larval_orn.csv.gz")
  stimulus <- paste0(rows$odor, " 1e", rows$log10_dilution)
  cbind(stimulus = stimulus, rows)
}

make_rdm92 <- function() {
  pairs <- table("rdm92.csv.gz")
  images <- table("rdm92_images.csv")
  new <- c(hIT_BE = "human1", hIT_KO = "human2", hIT_SN = "human3", hIT_TI = "human4",
           hIT_mean_fig1 = "human_mean", mIT_674neurons = "monkey",
           behav_simjudge_mean16 = "judgements")
  # dist() stores the lower triangle by columns, which are the pairs i < j by i
  pairs <- pairs[order(pairs$i, pairs$j), ]
  labels <- paste(images$image, images$category)
  rdms <- lapply(pairs[-(1:2)], function(values) {
    structure(as.double(values), Size = nrow(images), Labels = labels, Diag = FALSE, Upper = FALSE,
              class = "dist")
  })
  for (old in names(new)) names(rdms) <- sub(paste0("^", old), new[[old]], names(rdms))
  structure(rdms, images = images)
}

macaque_it <- make_macaque_it()
macaque_v4 <- make_macaque_v4()
v4_layers <- make_v4_layers()
larval_orn <- make_larval_orn()
rdm92 <- make_rdm92()
dir.create("data", showWarnings = FALSE)
for (name in c("macaque_it", "macaque_v4", "v4_layers", "larval_orn", "rdm92")) {
  file <- file.path("data", paste0(name, ".rda"))
  save(list = name, file = file, compress = "xz", version = 2)
  cat(file, file.size(file), "bytes\n")
}
