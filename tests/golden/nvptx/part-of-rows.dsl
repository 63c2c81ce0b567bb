# Rows of two dimensions, in the part of an array where the argument of their kernel begins,
# are numbered from there on: the part's own index does not count once more.
# RUN: %cetane run %s -DB=5 -DN=12 -DM=8 --device=host
# RUN: %cetane run %s -DB=3 -DN=56 -DM=20 --device=host --semantics=ring
param B, N, M;
tensor f32 F(3,B,N,M);
out m(b) = sum(i, j: F(2,b,i,j));
out Y(b,i,j) = F(1,b,i,j) / (1 + max(k, l: F(1,b,k,l)));
