# The estimators of CKA and HSIC, and the formula that the corrected ones share.

estimators <- c("naive", "stimulus", "stimulus_neuron")

# These two need responses to several trials, whose noise they correct for.
trial_estimators <- c("stimulus_trial", "stimulus_neuron_trial")

# These correct for few neurons by leaving out the pairs of a neuron with itself.
corrects_neurons <- function(estimator) {
  any(c("stimulus_neuron", "stimulus_neuron_trial") %in% estimator)
}

corrects_trials <- function(estimator) any(trial_estimators %in% estimator)

corrects_stimuli <- function(estimator) estimator != "naive"

# The unbiased estimate of Song et al. (2012) for two kernels of n stimuli without their diagonals.
# `dot` is the sum of the products of their entries, `rows` the sum of the products of their row
# sums, and `totals` the product of the sums of all their entries. Vectors give one value for each
# element. `diagonal` says that `dot` includes the products of the diagonals, which must then add up
# to `rows`. That is so for two centred columns phi and psi with the kernels phi phi' and psi psi':
# `dot` is (phi' psi)^2, the row sums without the diagonal are -phi_i^2 and -psi_i^2, and `totals`
# is |phi|^2 |psi|^2.
song_estimate <- function(dot, rows, totals, n, diagonal = FALSE) {
  (dot - rows * (diagonal + 2 / (n - 2)) + totals / ((n - 1) * (n - 2))) / (n * (n - 3))
}

# From sums over two, three and four different stimuli (or clusters) the corrected estimate.
combine_terms <- function(t1, t2, t3, n) {
  n <- as.double(n)
  t1 / falling(n, 2) - 2 * t2 / falling(n, 3) + t3 / falling(n, 4)
}

# n (n - 1) (n - 2) ..., k factors: how many tuples of k different stimuli there are.
falling <- function(n, k) prod(n - seq_len(k) + 1)
