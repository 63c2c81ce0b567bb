# Two products in a row of the matrices of a batch with two indices.
param B, C, M, N;
tensor f16 X(B,C,M,N), Z(B,C,N,M), V(B,C,M,N);
E(b,c,i,j) += X(b,c,i,k) * Z(b,c,k,j);
out Y(b,c,i,j) += E(b,c,i,k) * V(b,c,k,j);
