# glmnet.R FOLDER RATIO: glmnet's lasso path of 100 lambdas on FOLDER/x.bin (column-major, sizes in FOLDER/size) and
# FOLDER/y.bin: its processor time, and how many coefficients the last lambda has.
suppressPackageStartupMessages(library(glmnet))
args <- commandArgs(trailingOnly = TRUE)
size <- scan(file.path(args[1], "size"), quiet = TRUE)
x <- matrix(readBin(file.path(args[1], "x.bin"), "double", prod(size)), size[1], size[2])
y <- readBin(file.path(args[1], "y.bin"), "double", size[1])
time <- system.time(f <- glmnet(x, y, lambda.min.ratio = as.numeric(args[2]), nlambda = 100))
cat(sprintf("{\"cpu\": %.4f, \"wall\": %.4f, \"value\": %d}\n", time[["user.self"]] + time[["sys.self"]], time[["elapsed"]],
            tail(f$df, 1)))
