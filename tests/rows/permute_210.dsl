# Dimensions in the order 2 1 0.
param A, B, C;
tensor f16 X(A,B,C);
out Y(c,b,a) = X(a,b,c);
