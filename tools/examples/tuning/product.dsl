# A product whose blocks are chosen by a model, by hand, or by measuring.
param M, N, K;
tensor f32 A(M,K), B(K,N);
out C(i,j) += A(i,k) * B(k,j);

# test: M=5 N=7 K=9
