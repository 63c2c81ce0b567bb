# BLAS level 2: general, symmetric from a triangle, triangular.
param M, N;
tensor f32 A(M,N), S(N,N), x(N), z(M), alpha, beta;
out gemv(i) = alpha * sum(j: A(i,j) * x(j)) + beta * z(i);
out gemvt(j) = alpha * sum(i: A(i,j) * z(i)) + beta * x(j);
out ger(i,j) = A(i,j) + alpha * z(i) * x(j);
out symv(i) = sum(j for 0<=j<=i: S(i,j) * x(j)) + sum(j for i<j<N: S(j,i) * x(j));
out syr(i,j) for 0<=j<=i<N = S(i,j) + alpha * x(i) * x(j);
out syr2(i,j) for 0<=j<=i<N = S(i,j) + x(i) * gemvt(j) + gemvt(i) * x(j);
out trmv(i) = sum(j for 0<=j<=i: S(i,j) * x(j));
out trsv(i) for 0<=i<N = x(i) - sum(j for 0<=j<i: S(i,j) * trsv(j));
