#' repalign: how alike are two representations?
#'
#' A representation is a matrix whose rows are stimuli and whose columns are
#' neurons (or electrodes, voxels, network units). Give two of them, or named
#' lists of them, to [similarity()]; ask [measures()] what can be computed.
#'
#' For recordings, start with the analyses: [brain_to_brain()],
#' [trial_to_trial()], [brain_to_model()] and [object_disentanglement()]. They
#' correct for few stimuli and few neurons and say how uncertain the result is.
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
