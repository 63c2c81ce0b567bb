# Correlation and covariance of columns.
param N, M;
tensor f32 X(N,M);
assume N >= 2;
mean(j) = sum(i: X(i,j)) / f32(N);
dev(j) = sqrt(sum(i: (X(i,j) - mean(j)) * (X(i,j) - mean(j))) / f32(N));
sd(j) = dev(j) <= 0.1 ? 1 : dev(j);
Z(i,j) = (X(i,j) - mean(j)) / (sqrt(f32(N)) * sd(j));
out corr(i,j) = i == j ? 1 : sum(k: Z(k,i) * Z(k,j));
out cov(i,j) = sum(k: (X(k,i) - mean(i)) * (X(k,j) - mean(j))) / f32(N - 1);
