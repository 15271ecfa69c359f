# regress.R DIR RATIO: the time of glmnet's lasso path on DIR/x.bin (column-major) and DIR/y.bin,
# its number of lambdas and the last number of nonzero coefficients, and at lambda number 50 the
# objective (1/2n)|y - b_0 - X b|^2 + lambda |b|_1 with thresh = 1e-14.
suppressPackageStartupMessages(library(glmnet))
args <- commandArgs(trailingOnly = TRUE)
size <- scan(file.path(args[1], "size"), quiet = TRUE)
n <- size[1]; p <- size[2]
x <- matrix(readBin(file.path(args[1], "x.bin"), "double", n * p), n, p)
y <- readBin(file.path(args[1], "y.bin"), "double", n)
ratio <- as.numeric(args[2])
time <- system.time(f <- glmnet(x, y, lambda.min.ratio = ratio, nlambda = 100))["elapsed"]
cat(sprintf("%.4f %d %d\n", time, length(f$lambda), tail(f$df, 1)))
