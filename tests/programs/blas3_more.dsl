# BLAS level 3, the other cases: transposed factors, the right side, the upper
# triangle, a diagonal of ones.
param M, N, K;
tensor f32 A(M,K), At(K,M), B(K,N), Bt(N,K), C(M,N), S(M,M), R(N,N), alpha, beta;
out gemm_nt(i,j) = alpha * sum(k: A(i,k) * Bt(j,k)) + beta * C(i,j);
out gemm_tn(i,j) = alpha * sum(k: At(k,i) * B(k,j)) + beta * C(i,j);
out gemm_tt(i,j) = alpha * sum(k: At(k,i) * Bt(j,k)) + beta * C(i,j);
out symm_right(i,j) = sum(k for 0<=k<=j: C(i,k) * R(j,k)) + sum(k for j<k<N: C(i,k) * R(k,j));
out symm_upper(i,j) = sum(k for i<=k<M: S(i,k) * C(k,j)) + sum(k for 0<=k<i: S(k,i) * C(k,j));
out syrk_t(i,j) for 0<=j<=i<M = alpha * sum(k: At(k,i) * At(k,j)) + beta * S(i,j);
out syrk_upper(i,j) for 0<=i<=j<M = alpha * sum(k: A(i,k) * A(j,k)) + beta * S(i,j);
out syr2k_t(i,j) for 0<=j<=i<M = alpha * sum(k: At(k,i) * A(j,k) + At(k,j) * A(i,k)) + beta * S(i,j);
out trmm_upper(i,j) = sum(k for i<=k<M: S(i,k) * C(k,j));
out trmm_right(i,j) = sum(k for j<=k<N: C(i,k) * R(k,j));
out trmm_transposed(i,j) = sum(k for i<=k<M: S(k,i) * C(k,j));
out trmm_unit(i,j) = C(i,j) + sum(k for 0<=k<i: S(i,k) * C(k,j));
out trsm_upper(i,j) for 0<=i<M, 0<=j<N = (C(i,j) - sum(k for i<k<M: S(i,k) * trsm_upper(k,j))) / (2 + abs(S(i,i)));
out trsm_right(i,j) for 0<=i<M, 0<=j<N = C(i,j) - sum(k for 0<=k<j: trsm_right(i,k) * R(k,j));
out trsm_transposed(i,j) for 0<=i<M, 0<=j<N = C(i,j) - sum(k for i<k<M: S(k,i) * trsm_transposed(k,j));
