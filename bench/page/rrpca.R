# rrpca.R FOLDER ITERATIONS: rrpca of the package rsvd on FOLDER/x.bin (column-major, sizes in FOLDER/size), its
# processor time and the relative error of the low-rank part against FOLDER/truth.bin where there is one.
suppressPackageStartupMessages(library(rsvd))
args <- commandArgs(trailingOnly = TRUE)
size <- scan(file.path(args[1], "size"), quiet = TRUE)
take <- function(name) matrix(readBin(file.path(args[1], name), "double", prod(size)), size[1], size[2])
A <- take("x.bin")
set.seed(1)
time <- system.time(found <- rrpca(A, maxiter = as.integer(args[2]), tol = 1e-5))
truth <- file.path(args[1], "truth.bin")
error <- if (file.exists(truth)) { L <- take("truth.bin"); norm(found$L - L, "F") / norm(L, "F") } else NaN
cat(sprintf("{\"cpu\": %.4f, \"wall\": %.4f, \"value\": %s}\n", time[["user.self"]] + time[["sys.self"]], time[["elapsed"]],
            if (is.nan(error)) "NaN" else sprintf("%.6g", error)))
