# Dimensions in the order 4 2 0 3 1.
param A, B, C, D, E;
tensor f16 X(A,B,C,D,E);
out Y(e,c,a,d,b) = X(a,b,c,d,e);
