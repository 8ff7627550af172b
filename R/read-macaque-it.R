# Real recordings, fetched on request and never shipped.

#' Macaque inferior temporal recordings
#'
#' Spike counts of 132 units in the inferior temporal cortex of macaques, for 7
#' objects at 3 positions and about 20 repeats (Zhang et al. 2011). The recordings
#' come with the CRAN package NeuroDecodeR, whose source tarball is downloaded once
#' and kept in R's user cache.
#'
#' @param download may the tarball be downloaded when the recordings are not in the
#'   cache? By default only when the environment variable `REPALIGN_DOWNLOAD` is
#'   `"true"`.
#' @param cache folder to keep the recordings in; by default R's user cache for this
#'   package ([tools::R_user_dir()]).
#' @return A data frame with a row per unit and trial: `neuron` (1 to 132), `session`
#'   (units of one session were recorded together), `object`, `position`, `condition`
#'   (object and position), `rep` (occurrence number of the condition for the unit),
#'   `count` (spikes 100 to 500 ms after stimulus onset). An error of class
#'   `repalign_error_download` when the recordings are neither cached nor to be had.
#' @references Zhang, Meyers, Bichot, Serre, Poggio and Desimone (2011), PNAS 108.
#' @examples
#' \dontrun{
#' it <- macaque_it(download = TRUE)
#' trials <- trial_array(it, "condition", "neuron", "rep", "count")
#' dim(trials)
#' }
#' @seealso [trial_array()]
#' @export
macaque_it <- function(download = identical(Sys.getenv("REPALIGN_DOWNLOAD"), "true"),
                       cache = NULL) {
  check_flag(download, "download")
  if (!is.null(cache) && (!is.character(cache) || length(cache) != 1 || is.na(cache))) {
    abort("`cache` must be one folder name.", class = "repalign_error_value", arg = "cache")
  }
  if (is.null(cache)) cache <- tools::R_user_dir("repalign", "cache")
  kept <- file.path(cache, "macaque_it.rds")
  # a broken file counts as none
  recordings <- if (file.exists(kept)) tryCatch(readRDS(kept), error = function(e) NULL)
  if (!is.null(recordings)) return(recordings)
  if (!download) {
    abort("The recordings are not in the cache (", cache, "): call macaque_it(download = TRUE) ",
          "once with a network.", class = "repalign_error_download", arg = "download")
  }
  recordings <- tidy_recordings(fetch_recordings())
  dir.create(cache, recursive = TRUE, showWarnings = FALSE)
  # written aside first, so that an interrupted write leaves no broken cache
  aside <- tempfile("macaque_it", cache, ".rds")
  saveRDS(recordings, aside)
  file.rename(aside, kept)
  recordings
}

recordings_file <- "NeuroDecodeR/inst/extdata/ZD_400bins_400sampled_start100_end500.Rda"

fetch_recordings <- function() {
  folder <- tempfile("NeuroDecodeR")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  repos <- getOption("repos")
  if (!length(repos) || identical(unname(repos["CRAN"]), "@CRAN@")) {
    repos <- c(CRAN = "https://cloud.r-project.org")
  }
  loaded <- new.env()
  told <- character()
  failure <- tryCatch(withCallingHandlers({
    got <- utils::download.packages("NeuroDecodeR", folder, repos = repos, type = "source",
                                    quiet = TRUE)
    if (!nrow(got)) stop("no copy of it was found")
    utils::untar(got[1, 2], files = recordings_file, exdir = folder)
    load(file.path(folder, recordings_file), envir = loaded)
    NULL
  }, warning = function(w) {
    # not a failure by itself (a mirror may lack one format of its index), but the reason
    told <<- c(told, conditionMessage(w))
    invokeRestart("muffleWarning")
  }), error = conditionMessage)
  if (!is.null(failure)) {
    abort("The recordings could not be downloaded from CRAN (package NeuroDecodeR): ",
          paste(c(failure, utils::tail(told, 1)), collapse = "; "), ".",
          class = "repalign_error_download", arg = "download")
  }
  as.data.frame(unclass(loaded$binned_data))
}

# The file holds mean spikes per millisecond over a window of 400 ms.
tidy_recordings <- function(binned) {
  sites <- unique(binned$siteID)
  neuron <- match(binned$siteID, sites)
  object <- as.character(binned$labels.stimulus_ID)
  position <- as.character(binned$labels.stimulus_position)
  condition <- paste(object, position, sep = "_")
  data.frame(
    neuron = neuron, session = as.integer(as.character(binned$site_info.session_ID)),
    object = object, position = position, condition = condition,
    rep = occurrence(factor(neuron), factor(condition)),
    count = as.integer(round(400 * binned$time.100_500))
  )
}
