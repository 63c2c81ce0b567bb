# Check that kernels are taken for one another only if each name stands for another in all
# places: layers 1 and 2 differ in the last factor alone, layers 2 and 3 in which of two arrays
# the program has first. The last two are alike.
# RUN: %cetane run %s -DN=140 --device=host --arch=sm_90a
# RUN: %cetane run %s -DN=132 --device=host --semantics=ring
param N;
tensor f32 X(N,N), F(N,N);
g(i,j) = (X(i,j) - F(j,i)) / 8;
a0(i,j) = sum(k: X(i,k) * g(k,j)) * F(i,j);
a1(i,j) = sum(k: a0(i,k) * g(k,j)) * a0(i,j) - g(i,j) * a0(i,j);
a2(i,j) = sum(k: a1(i,k) * g(k,j)) * a1(i,j) - g(i,j) * g(i,j);
a3(i,j) = sum(k: g(i,k) * a2(k,j)) * g(i,j);
a4(i,j) = sum(k: g(i,k) * a3(k,j)) * g(i,j);
out Y(i,j) = sum(k: a4(i,k) * F(k,j));
