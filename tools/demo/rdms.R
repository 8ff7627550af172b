# Dissimilarities of 92 images in brains, models and judgements.

image_categories <- attr(rdm92, "images")$category

# The mean of the human RDMs contains each of them, so it is not compared with them.
single_rdms <- rdm92[names(rdm92) != "human_mean"]
models_of <- function(rdms) rdms[startsWith(names(rdms), "model_") | names(rdms) == "judgements"]

# All pairs, with the images shuffled freely and within their categories.
calibrate_rdms <- function() {
  run <- function(blocks) {
    calibrate(single_rdms, measure = "rsa", permutations = 4999, p_adjust = "holm",
              blocks = blocks)
  }
  list(all = run(NULL), within = run(image_categories))
}

# Mean human and monkey against the models: a row per model.
rdm_models <- function() {
  run <- function(blocks) {
    calibrate(rdm92[c("human_mean", "monkey")], models_of(rdm92), measure = "rsa",
              permutations = 4999, p_adjust = "holm", blocks = blocks)
  }
  free <- run(NULL)
  within <- run(image_categories)
  data.frame(x = free$x, y = free$y, rsa = free$score, chance = free$null_mean,
             p_adjusted = free$p_adjusted, chance_within = within$null_mean,
             p_adjusted_within = within$p_adjusted)
}

# Mean RSA of pairs of humans: two sessions of one subject, and different subjects.
human_pairs <- function(calibration) {
  rows <- as.data.frame(calibration)
  rows <- rows[startsWith(rows$x, "human") & startsWith(rows$y, "human"), ]
  same <- sub("_s.$", "", rows$x) == sub("_s.$", "", rows$y)
  c(same = mean(rows$score[same]), different = mean(rows$score[!same]))
}

# A row per model, mean human and monkey side by side.
model_columns <- function(table) {
  side <- function(x) {
    rows <- table[table$x == x, ]
    data.frame(number(rows$rsa), p_text(rows$p_adjusted), p_text(rows$p_adjusted_within))
  }
  data.frame(unique(table$y), side("human_mean"), side("monkey"))
}

p_text <- function(p) vapply(p, function(value) format(signif(value, 2)), "")
