# Rows of which no element is the greatest, since all are NaN, and rows of which one is.
param M, N;
tensor f32 X(M, N);
out none(i) = argmax(j: sqrt(0 - 1 - X(i, j) * X(i, j)));
out some(i) = argmin(j: sqrt(X(i, j)));
