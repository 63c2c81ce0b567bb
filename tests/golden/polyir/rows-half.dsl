# Check that columns which only a block of the most threads has room for, 32 of them side by
# side, are those of two blocks of half the threads with two sectors each: one loads while
# the other one waits. Longer ones, and those of smaller elements, stay as they are.
# RUN: %cetane inspect --explain %s -DA=700 -DB=8192 --arch=sm_90a | FileCheck %s
# RUN: %cetane run %s -DA=700 -DB=83 --device=host --sanitize=all
# CHECK: block 16 x 32 threads
# CHECK: tile 16 x 704 points
# RUN: %cetane inspect --explain %s -DA=500 -DB=8192 --arch=sm_90a \
# RUN:   | FileCheck %s --check-prefix=SHORT
# SHORT: block 32 x
param A, B;
tensor f32 x(A,B);
m(j) max= x(i,j);
out Y(i,j) = exp(x(i,j) - m(j));
