# Dimensions in the order 1 0 2.
param A, B, C;
tensor f16 X(A,B,C);
out Y(b,a,c) = X(a,b,c);
