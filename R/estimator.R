# The estimators of CKA and HSIC, and the formula of the corrected ones.

estimators <- c("naive", "stimulus", "stimulus_neuron")

# Leaving out pairs of a neuron with itself is what corrects for few neurons.
corrects_neurons <- function(estimator) "stimulus_neuron" %in% estimator

corrects_stimuli <- function(estimator) estimator != "naive"

# The unbiased estimate of Song et al. (2012) for kernels K and L of n stimuli whose diagonals are
# left out: dot, the sum of the products of their entries; rows, the sum of the products of their
# row sums; totals, the product of the sums of all entries. Vectors give one value an element.
# diagonal: `dot` counts the products of the diagonals, too, which add up to `rows`. That is so for
# centred columns phi and psi, with kernels phi phi' and psi psi': `dot` is (phi' psi)^2, row sums
# without the diagonal are -phi_i^2 and -psi_i^2, and `totals` is |phi|^2 |psi|^2.
song_estimate <- function(dot, rows, totals, n, diagonal = FALSE) {
  (dot - rows * (diagonal + 2 / (n - 2)) + totals / ((n - 1) * (n - 2))) / (n * (n - 3))
}
