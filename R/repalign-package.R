# This file has the help page of the package and what it takes from other packages.

#' repalign: how alike are two representations?
#'
#' A representation is a matrix whose rows are stimuli and whose columns are neurons (or
#' electrodes, voxels, units of a network).
#'
#' * From a table to a matrix: [response_matrix()], [trial_array()], [match_rows()].
#' * Two representations, or named lists of them: [similarity()], with the measures that
#'   [measures()] lists. [cka_interval()] gives the corrected CKA with its interval.
#' * More than chance? [calibrate()].
#' * Recordings: [brain_to_brain()], [trial_to_trial()], [brain_to_model()] and
#'   [object_disentanglement()] correct for few stimuli and few neurons and say how uncertain the
#'   result is.
#' * Results have `plot()`, `summary()`, [score_matrix()] and [rbind()][rbind.repalign].
#' * Recordings that come with the package: [macaque_it], [macaque_v4], [v4_layers],
#'   [larval_orn], [rdm92].
#'
#' `vignette("repalign")` is the place to start.
#'
#' @section Conditions:
#' Errors that the package raises have class `repalign_error` and name the argument, the
#' place and the remedy; its warnings have class `repalign_warning`, those about undefined
#' values (`NA`) also `repalign_undefined`.
#'
#' @section Options:
#' `repalign.threads`: threads of our own loops (never the BLAS's), see
#' [similarity()]. `repalign.max_memory`: bytes that one call may take; by
#' default half of what is free.
#'
#' @keywords internal
#' @useDynLib repalign, .registration = TRUE, .fixes = "C_"
#' @importFrom generics tidy glance
"_PACKAGE"

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance
