library(testthat)
library(repalign)

test_check("repalign")
