# Check that a block has rows along an axis that has as many as it has room for, where the
# last one has few.
# RUN: %cetane build %s -DA=1000 -DB=60 -DC=2 -DD=16 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DA=70 -DB=3 -DC=2 -DD=16 --device=host --sanitize=all
# CHECK: kernel rows_beside_Y tiled thread 128 2 tile 128 16 0 vec 1 4 grid "[A] ->
param A, B, C, D;
tensor f32 x(A,B,C,D);
s(i,j,k) = sum(l: exp(x(i,j,k,l)));
out Y(i,j,k,l) = exp(x(i,j,k,l)) / s(i,j,k);
