# Dimensions in the order 0 2 3 1.
param A, B, C, D;
tensor f16 X(A,B,C,D);
out Y(a,c,d,b) = X(a,b,c,d);
