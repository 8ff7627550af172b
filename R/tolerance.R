# These tolerances say how much rounding may change, so that numbers still count as equal or zero.

# A null score counts as equal to the observed one when they differ by less than this share of their
# scale.
equal_share <- 1e-10

# Other numbers count as equal when they differ by less than this share.
tie_share <- 1e-12

# A sum counts as zero when it is a smaller share of its terms than this.
rounding_share <- 1e-14

# A corrected H value is a difference of large terms: one of rounding size counts as zero.
is_positive <- function(h) h$value > rounding_share * h$magnitude

# The factor that brings numbers up to `largest` to the size of 1. As a power of two it changes no
# digits, and its exponent is bounded so that it stays a normal double.
power_of_two_below <- function(largest) 2^-max(min(floor(log2(largest)), 1000), -1000)

# Takes back what rounding may have added beyond the bounds.
clip_to_range <- function(value, low, high) pmin(pmax(value, low), high)

# Is a square matrix its transpose, up to rounding? Missing values must stand on both sides.
equals_transpose <- function(a) {
  a <- unname(a)
  identical(is.na(a), is.na(t(a))) &&
    all(abs(a - t(a)) <= 1e-8 * max(abs(a), 0, na.rm = TRUE), na.rm = TRUE)
}
