# Dimensions in the order 0 3 1 2 4.
param A, B, C, D, E;
tensor f16 X(A,B,C,D,E);
out Y(a,d,b,c,e) = X(a,b,c,d,e);
