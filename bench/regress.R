# regress.R DIR RATIO: the processor time of glmnet's lasso path on DIR/x.bin (column-major) and
# DIR/y.bin, its number of lambdas and the number of nonzero coefficients at the last.
suppressPackageStartupMessages(library(glmnet))
args <- commandArgs(trailingOnly = TRUE)
size <- scan(file.path(args[1], "size"), quiet = TRUE)
n <- size[1]; p <- size[2]
x <- matrix(readBin(file.path(args[1], "x.bin"), "double", n * p), n, p)
y <- readBin(file.path(args[1], "y.bin"), "double", n)
ratio <- as.numeric(args[2])
time <- system.time(f <- glmnet(x, y, lambda.min.ratio = ratio, nlambda = 100))
cat(sprintf("%.4f %d %d\n", time[["user.self"]] + time[["sys.self"]], length(f$lambda), tail(f$df, 1)))
