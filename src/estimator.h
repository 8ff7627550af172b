/* The two estimators of HSIC, as one formula of three sums over pairs of samples.

   For kernel matrices K and L over n samples, sums over i != j only, with r and q their row
   sums without the diagonal:

       products = sum_ij K_ij L_ij,   rows = sum_i r_i q_i,   totals = (sum_i r_i) (sum_i q_i).

   The corrected estimator is the U-statistic of Song, Smola, Gretton, Bedo and Borgwardt
   (Feature selection via dependence maximization, JMLR 2012, equation 5):

       (products - 2 rows / (n - 2) + totals / ((n - 1) (n - 2))) / (n (n - 3)).

   The naive one, tr(K H L H) / n^2 with H the centring, is the same expression with
   n, n^2 and n^2 in the place of n - 2, (n - 1)(n - 2) and n (n - 3), once the sums include the
   diagonals. For K = phi phi' and L = psi psi' of centred phi and psi the row sums with the
   diagonal vanish, so that without it r_i = -phi_i^2 and q_i = -psi_i^2: with c = sum phi psi,
   dd = sum phi^2 psi^2, s = sum phi^2 and t = sum psi^2

       products = c^2 - dd,   rows = dd,   totals = s t    (corrected),
       products = c^2,        rows = 0,    totals = 0      (naive). */
#ifndef REPALIGN_ESTIMATOR_H
#define REPALIGN_ESTIMATOR_H

/* What the three sums are multiplied with, for one number of samples. */
typedef struct {
    double rows, totals, scale;
} estimator;

static inline estimator naive_estimator(double n)
{
    const estimator e = {2.0 / n, 1.0 / (n * n), 1.0 / (n * n)};
    return e;
}

static inline estimator corrected_estimator(double n)
{
    const estimator e = {2.0 / (n - 2.0), 1.0 / ((n - 1.0) * (n - 2.0)), 1.0 / (n * (n - 3.0))};
    return e;
}

static inline double estimate(estimator e, double products, double rows, double totals)
{
    return (products - e.rows * rows + e.totals * totals) * e.scale;
}

/* The corrected estimate of linear kernels of centred features, from their own sums. */
static inline double estimate_linear(estimator corrected, double c2, double dd, double st)
{
    return estimate(corrected, c2 - dd, dd, st);
}

#endif
