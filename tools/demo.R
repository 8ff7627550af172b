# Runs the analyses of the package on the recordings that it ships and leaves tables, figures
# and a report in demo-output/. From the root of the repository: Rscript tools/demo.R

suppressPackageStartupMessages(library(repalign))
for (part in c("recordings", "analyses", "noise", "v4", "larvae", "rdms", "figures", "report")) {
  source(file.path("tools", "demo", paste0(part, ".R")))
}

seed <- 2011
set.seed(seed)
output <- "demo-output"
unlink(output, recursive = TRUE)
dir.create(output)
started <- proc.time()[["elapsed"]]
step <- function(...) message("demo: ", ...)

# Undefined values are counted in the tables and told in the report.
counted <- function(code) {
  withCallingHandlers(code, repalign_undefined = function(w) invokeRestart("muffleWarning"))
}

recordings <- it_recordings()
step(recordings$description)

step("brain-to-brain, random halves")
halves <- counted(run_halves(recordings))
step("brain-to-brain, by session")
sessions <- counted(run_sessions(recordings))
step("trial-to-trial")
trials <- counted(run_trials(recordings))
step("object disentanglement")
objects <- counted(run_objects(recordings))
step("V4 and the layers of a network")
layers <- counted(run_layers())
layer_grid <- calibrate_layers()
step("noise of trials")
noise <- counted(run_noise())
step("fly larvae")
larva_table <- counted(run_larvae())
step("92 images")
rdms <- calibrate_rdms()
models <- rdm_models()
step("controls")
controls <- counted(rbind(run_controls(recordings), v4_controls(layers), larva_controls()))

tables <- list(
  "brain-to-brain-halves" = halves, "brain-to-brain-sessions" = sessions,
  "trial-to-trial" = trials, "object-disentanglement" = objects,
  "brain-to-model" = for_settings(function(normalize) layers[[which(settings == normalize)]]),
  "layers-calibrated" = as.data.frame(layer_grid), "noise" = noise, "larvae" = larva_table,
  "rdms-calibrated" = as.data.frame(rdms$all),
  "rdms-calibrated-within" = as.data.frame(rdms$within),
  "rdm-models" = models, "controls" = controls
)
results <- list(layers = layers, layer_grid = layer_grid, rdms = rdms)
for (name in names(tables)) {
  write.csv(tables[[name]], file.path(output, paste0(name, ".csv")), row.names = FALSE)
}

lacking <- character()
if (requireNamespace("ggplot2", quietly = TRUE)) {
  step("figures")
  draw_figures(recordings, tables, results, output)
} else {
  lacking <- "no figures and no report, because the R package ggplot2 is not installed"
}
elapsed <- proc.time()[["elapsed"]] - started

if (!length(lacking)) {
  step("report")
  lacking <- write_report(output)
}

options(width = 140)
cat("\n", recordings$description, "\n\n", sep = "")
print(short_table(tables), row.names = FALSE, right = FALSE)
cat("\nPooled CKA of all neurons (halves: half of them), 95% intervals over stimuli in brackets.\n",
    "Raw responses, and each neuron divided by its SD.\n",
    "Tables: ", output, "/*.csv (", round(elapsed), " s)\n", sep = "")
if (length(lacking)) cat("NOT COMPLETE: ", lacking, ".\n", sep = "") else
  cat("Report: ", file.path(output, "report.html"), "\n", sep = "")
