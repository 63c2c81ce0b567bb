# BLAS level 2, the other cases: the upper triangle, transposed, with a diagonal
# of ones; symmetric and triangular band matrices by their diagonals.
param N, K;
tensor f32 S(N,N), B(K+1,N), x(N), y(N), alpha, beta;
out symv_upper(i) = alpha * (sum(j for i<=j<N: S(i,j) * x(j)) + sum(j for 0<=j<i: S(j,i) * x(j))) + beta * y(i);
out syr_upper(i,j) for 0<=i<=j<N = S(i,j) + alpha * x(i) * x(j);
out syr2_upper(i,j) for 0<=i<=j<N = S(i,j) + alpha * x(i) * y(j) + alpha * y(i) * x(j);
out trmv_upper(i) = sum(j for i<=j<N: S(i,j) * x(j));
out trmv_transposed(j) = sum(i for j<=i<N: S(i,j) * x(i));
out trmv_unit(i) = x(i) + sum(j for 0<=j<i: S(i,j) * x(j));
out trsv_upper(i) for 0<=i<N = (x(i) - sum(j for i<j<N: S(i,j) * trsv_upper(j))) / (2 + abs(S(i,i)));
out trsv_transposed(j) for 0<=j<N = x(j) - sum(i for j<i<N: S(i,j) * trsv_transposed(i));
out trsv_upper_transposed(j) for 0<=j<N = x(j) - sum(i for 0<=i<j: S(i,j) * trsv_upper_transposed(i));
out sbmv(i) for 0<=i<N = sum(d for 0<=d<=K, i-d>=0: B(d,i-d) * x(i-d)) + sum(d for 1<=d<=K, i+d<N: B(d,i) * x(i+d));
out tbmv(i) for 0<=i<N = sum(d for 0<=d<=K, i-d>=0: B(d,i-d) * x(i-d));
out tbmv_transposed(i) for 0<=i<N = sum(d for 0<=d<=K, i+d<N: B(d,i) * x(i+d));
out tbsv_lower(i) for 0<=i<N = x(i) - sum(d for 1<=d<=K, i-d>=0: B(d,i-d) * tbsv_lower(i-d));
