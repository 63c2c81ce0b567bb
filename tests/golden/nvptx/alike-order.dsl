# Check that a kernel is launched for another one only if its arguments come in the same order:
# the products x and y have one text, but the program has the factors of x the other way round.
# RUN: %cetane run %s -DN=132 --device=host --arch=sm_90a
param N;
tensor f32 X(N,N), F(N,N);
b(i,j) = sum(k: X(i,k) * F(k,j)) / 8;
a(i,j) = sum(k: b(i,k) * X(k,j)) / 8;
x(i,j) = sum(k: a(i,k) * b(k,j)) / 8;
y(i,j) = sum(k: b(i,k) * x(k,j)) / 8;
out z(i,j) = sum(k: y(i,k) * F(k,j));
