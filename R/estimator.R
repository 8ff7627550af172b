# The estimators of CKA and HSIC, and the formula of the corrected ones.

estimators <- c("naive", "stimulus", "stimulus_neuron")

# Leaving out pairs of a neuron with itself is what corrects for few neurons.
corrects_neurons <- function(estimator) "stimulus_neuron" %in% estimator

corrects_stimuli <- function(estimator) estimator != "naive"

# The unbiased estimate of Song et al. (2012) for kernels K and L of n stimuli, whose diagonals do
# not count: dot, the sum of the products of their entries; rows, the sum of the products of their
# row sums; totals, the product of the sums of all entries. Vectors give one value an element.
song_estimate <- function(dot, rows, totals, n) {
  (dot - rows * (2 / (n - 2)) + totals / ((n - 1) * (n - 2))) / (n * (n - 3))
}

# The same of centred columns phi and psi, whose kernels are phi phi' and psi psi' without the
# diagonals. squares: sum of (phi' psi)^2; products: sum of phi_i^2 psi_i^2; norms: product of the
# sums of squares of phi and of psi. Row sums of such kernels are minus squares, and their sums
# are minus the sums of squares.
song_estimate_columns <- function(squares, products, norms, n) {
  song_estimate(squares - products, products, norms, n)
}
