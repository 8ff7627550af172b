# What counts as equal, and as zero: the shares that rounding may change.

# The share of its scale below which a null value counts as equal to the observed one.
equal_share <- 1e-10

# What differs by less than this share is equal up to rounding.
tie_share <- 1e-12

# The share of its terms below which a sum is taken for zero.
rounding_share <- 1e-14

# A difference of large terms that comes out at rounding size is zero.
is_positive <- function(h) h$value > rounding_share * h$magnitude

# The inverse scale; exponents are bounded so that it stays a normal number.
power_of_two_below <- function(largest) 2^-max(min(floor(log2(largest)), 1000), -1000)
