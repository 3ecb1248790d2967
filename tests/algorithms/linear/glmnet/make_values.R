# Writes path.csv and errors.csv: values of R's glmnet for test_penalty_path.py.
# Run in this folder: Rscript make_values.R (made with glmnet 4.1-6). glmnet leaves constants out.
library(glmnet)
glmnet.control(fdev = 0, devmax = 1)
table <- read.csv("table.csv")
x <- as.matrix(table[, paste0("x", 1:8)])
w <- table$w
deviation <- function(v) sqrt(weighted.mean((v - weighted.mean(v, w))^2, w))
y <- table$y / deviation(table$y)
z <- scale(x, apply(x, 2, weighted.mean, w), pmax(apply(x, 2, deviation), 1e-12))
largest <- max(abs(colSums(w * z * (y - weighted.mean(y, w))))) / sum(w)
lambda <- largest * 10^seq(0, -3, length.out = 10)
rows <- list()
for (ratio in c(1, 0.4)) {
  fit <- glmnet(x, y, weights = w, alpha = ratio, lambda = lambda / ratio, thresh = 1e-22,
                maxit = 1e7)
  for (k in seq_along(lambda)) rows[[length(rows) + 1]] <- data.frame(
    ratio, lambda = lambda[k] / ratio, feature = 1:8,
    coefficient = as.numeric(fit$beta[, k]) * apply(x, 2, deviation))
}
write.table(format(do.call(rbind, rows), digits = 15), "path.csv", sep = ",", quote = FALSE,
            row.names = FALSE)
cv <- cv.glmnet(x, y, weights = w, foldid = table$fold + 1, lambda = lambda, thresh = 1e-22,
                maxit = 1e7)
write.table(format(data.frame(lambda = cv$lambda, cvm = cv$cvm, cvsd = cv$cvsd, min = cv$lambda.min,
                              one = cv$lambda.1se), digits = 15),
            "errors.csv", sep = ",", quote = FALSE, row.names = FALSE)
