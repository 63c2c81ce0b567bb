# The shortest ways of one step more.
param M, N, K;
tensor f32 A(M,K), B(K,N);
out C(i,j) min= A(i,k) + B(k,j);
