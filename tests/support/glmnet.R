# glmnet.R DIR: glmnet's paths on DIR/X.csv and DIR/y.csv (c.csv: classes), as CSV files of
# (lambda, intercept, coefficients) by descending lambda.
suppressPackageStartupMessages(library(glmnet))
folder <- commandArgs(trailingOnly = TRUE)[1]
X <- as.matrix(read.csv(file.path(folder, "X.csv"), header = FALSE))
y <- scan(file.path(folder, "y.csv"), quiet = TRUE)
c <- scan(file.path(folder, "c.csv"), quiet = TRUE)
put <- function(name, f) {
  all <- cbind(f$lambda, f$a0, t(as.matrix(f$beta)))
  write.table(format(all, digits = 17), file.path(folder, name), sep = ",", quote = FALSE,
              row.names = FALSE, col.names = FALSE)
}
fit <- function(...) glmnet(X, ..., nlambda = 40, lambda.min.ratio = 0.01, thresh = 1e-14, maxit = 1e7)
put("lasso.csv", fit(y))
put("net.csv", fit(y, alpha = 0.5))
put("logistic.csv", fit(c, family = "binomial"))
