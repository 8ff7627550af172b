# The help pages of the package and of its recordings, and what it takes from other packages.

# ---- repalign package

# This file has the help page of the package and what it takes from other packages.

#' repalign: how similar are two representations?
#'
#' A representation is a matrix whose rows are stimuli (the inputs of a network) and whose columns
#' are neurons (or electrodes, voxels, units of a network).
#'
#' * From files and tables to matrices: [read_representation()], [response_matrix()],
#'   [match_rows()]. Trials, sessions and runs: [responses()].
#' * Which model, layer or area is closest to a recording, and is it more than chance?
#'   [evaluate_models()], and of RDMs [evaluate_rdms()]. [in_words()] says the result in a sentence.
#' * Two representations, or named lists of them: [similarity()], with the measures that
#'   [measures()] lists; [score_interval()] gives errors, [calibrate()] compares with chance.
#' * Recordings, corrected for few stimuli and neurons: [brain_to_brain()], [trial_to_trial()],
#'   [brain_to_model()], [object_disentanglement()].
#' * Results have `plot()`, `summary()`, [score_matrix()] and [rbind()][rbind.repalign].
#' * Data of the package: [macaque_it], [macaque_v4], [v4_layers], [larval_orn], [rdm92].
#'
#' `vignette("repalign")` is the place to start.
#'
#' @section Conditions: Errors have class `repalign_error` and name the argument, the place and the
#'   remedy; warnings have class `repalign_warning`, those about undefined values (`NA`) also
#'   `repalign_undefined`.
#'
#' @section Options: `repalign.threads` and `repalign.max_memory`, see [similarity()].
#'   `repalign.hints = FALSE` leaves out what is said once a session (see [cka()]).
#'
#' @keywords internal
#' @useDynLib repalign, .registration = TRUE, .fixes = "C_"
#' @importFrom generics tidy glance augment
"_PACKAGE"

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

# ---- data

# This file has the help pages of the recordings in the package; tools/make-recordings.R makes the
# files.

#' Macaque inferior temporal cortex: spike counts of 132 units
#'
#' Responses in the inferior temporal cortex of macaques to 7 objects at 3 positions, about 20
#' repeats each.
#'
#' @format A list of
#' \describe{
#'   \item{`counts`}{an integer array, 21 stimuli x 132 units x 20 repeats: spikes from 100 to
#'     500 ms after the stimulus came on. `NA` where a repeat is missing (7 units of one session
#'     have 19 repeats of one stimulus).}
#'   \item{`session`}{one label per unit: the units of a session were recorded together (21
#'     sessions).}
#'   \item{`object`, `position`}{one label per stimulus: what was shown and where.}
#' }
#' @details
#' Units of different sessions were never recorded together, so their repeats do not correspond.
#' @source The files of the R package NeuroDecodeR (Ethan Meyers; GPL-3), binned there per
#'   millisecond and turned back into counts; otherwise unchanged.
#' @references Zhang et al. (2011), PNAS 108.
#' @examples
#' responses <- apply(macaque_it$counts, 1:2, mean, na.rm = TRUE)
#' dim(responses)
"macaque_it"

#' Macaque V4: 640 images, 50 units, up to 10 repeats, another day, and layers of a network
#'
#' `macaque_v4`: spike counts of units in visual area V4 of one macaque, single trials of one day
#' and means of a recording three days before (Cowley et al. 2026). `v4_layers`: five layers of a
#' network for the same images.
#'
#' @format `macaque_v4`: a list of
#' \describe{
#'   \item{`trials`}{an integer array, 640 images x 50 units (recorded together) x 10 repeats, of
#'     which all images have 1 to 6; `NA` where a later one was not recorded.}
#'   \item{`other_day`}{a numeric matrix, 600 images x 59 units, means over repeats. Its images
#'     are images 1 to 600 of `trials`.}
#' }
#'
#' `v4_layers`: a named list of five numeric matrices, 640 images x 100 units each (a sample of
#' those of the layer), from the first layer (`L0`) to the last (`L4`), after rectification.
#' @details
#' Rows are named by numbers of images, so that [match_rows()] aligns all of them. The two days
#' share some of their neurons under other names, and it is not known which: a corrected CKA between
#' them is far above 1, which is no finding about V4 (see `vignette("brain-to-brain")`).
#' @source Repository cowleygroup/V4_compact_models (GPL-3), sessions 210325 and 210322.
#'   Arranged as an array; the values are unchanged. The layers were made from the same repository.
#' @references Cowley et al. (2026), Nature, \doi{10.1038/s41586-026-10150-1}; bioRxiv
#'   2023.11.22.568315.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)
#' cka(v4[1:100, ], v4_layers$L2[1:100, ], estimator = "stimulus_neuron")
"macaque_v4"

#' @rdname macaque_v4
#' @format NULL
"v4_layers"

#' Olfactory receptor neurons of fly larvae
#'
#' Calcium responses of the 21 olfactory receptor neurons of *Drosophila* larvae to odours at
#' five dilutions, in several animals per odour (Si et al. 2019).
#'
#' @format A data frame with 1015 rows, one for each odour, animal and dilution: `stimulus`
#'   (odour and dilution), `odor`, `exp_id` (the experiment), `larva` (numbers the animals within
#'   each odour), `log10_dilution` (-8 to -4), and 21 columns of responses named by the receptor
#'   of the neuron.
#' @details
#' The same column is the same neuron in all animals (`shared_neurons = TRUE`). Larva 1 of one odour
#' is in general not larva 1 of another. 31 of the odours were given to at least five larvae.
#' @source Repository samuellab/Larval-ORN (MIT licence, see the file COPYRIGHTS of the
#'   package). The column `stimulus` was added.
#' @references Si et al. (2019), Neuron 101.
#' @examples
#' neurons <- 6:26
#' first <- response_matrix(subset(larval_orn, larva == 1), "stimulus", neurons)
#' second <- response_matrix(subset(larval_orn, larva == 2), "stimulus", neurons)
#' both <- match_rows(first, second)
#' cka(both$x, both$y, estimator = "stimulus_neuron", shared_neurons = TRUE)
"larval_orn"

#' Dissimilarities of 92 images in human and monkey cortex and in models
#'
#' Representational dissimilarity matrices (RDMs) of 92 object images in human and monkey
#' inferior temporal cortex and in seven models (Kriegeskorte et al. 2008).
#'
#' @format A named list of 18 `dist` objects of size 92: `human1_s1` to `human4_s2` (four subjects,
#'   two sessions each), `human_mean`, `monkey` (674 neurons), seven models (names that start with
#'   "model_") and `judgements` (similarity judgements of 16 subjects). Labels are the number and
#'   category of the image. For brains, a dissimilarity is 1 minus the Pearson correlation of two
#'   response patterns. Models and judgements have scales of their own; `model_animacy` and
#'   `model_FaceBodyManmadeNatobj` are 0 within a category and 1 between categories. The attribute
#'   `images` is a data frame with one row per image: `image`, `category`, and `human`, `face`,
#'   `animal` and `natural`, which are 0 or 1.
#' @details
#' The images fall into categories, which dominate all brain RDMs; see `blocks` in [calibrate()].
#' @source Demonstration data of rsagroup/rsatoolbox (MIT licence, see the file COPYRIGHTS of the
#'   package). Turned into `dist` objects, with other names of the subjects; values unchanged.
#' @references Kriegeskorte et al. (2008), Neuron 60.
#' @examples
#' rsa(rdm92$human_mean, rdm92$monkey)
"rdm92"
