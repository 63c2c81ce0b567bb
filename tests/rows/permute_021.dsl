# Dimensions in the order 0 2 1.
param A, B, C;
tensor f16 X(A,B,C);
out Y(a,c,b) = X(a,b,c);
