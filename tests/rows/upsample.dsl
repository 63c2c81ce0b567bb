# Images of twice the width and height, each point four times.
param B, M, N;
tensor f16 X(B,M,N);
out Y(b,i,j) for 0 <= i < 2*M, 0 <= j < 2*N = X(b,i/2,j/2);
