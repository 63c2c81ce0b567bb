# BLAS level 3.
param M, N, K;
tensor f32 A(M,K), B(K,N), C(M,N), S(M,M), alpha, beta;
out gemm(i,j) = alpha * sum(k: A(i,k) * B(k,j)) + beta * C(i,j);
out gemmt(i,j) = sum(k: A(k,i) * C(k,j));
out symm(i,j) = sum(k for 0<=k<=i: S(i,k) * C(k,j)) + sum(k for i<k<M: S(k,i) * C(k,j));
out syrk(i,j) for 0<=j<=i<M = alpha * sum(k: A(i,k) * A(j,k)) + beta * S(i,j);
out syr2k(i,j) for 0<=j<=i<M += A(i,k) * S(j,0) * A(j,k) + A(j,k) * S(i,0) * A(i,k);
out trmm(i,j) = sum(k for 0<=k<=i: S(i,k) * C(k,j));
out trsm(i,j) for 0<=i<M, 0<=j<N = C(i,j) - sum(k for 0<=k<i: S(i,k) * trsm(k,j));
