# Dimensions in the order 0 2 1 3.
param A, B, C, D;
tensor f16 X(A,B,C,D);
out Y(a,c,b,d) = X(a,b,c,d);
