# Products of the matrices of a batch with two indices.
param B, C, M, N, K;
tensor f16 X(B,C,M,K), Z(B,C,K,N);
out Y(b,c,i,j) += X(b,c,i,k) * Z(b,c,k,j);
