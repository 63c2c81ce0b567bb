# Check that a sum over a long loop and a short one beside it is divided into parts enough for
# both: parts of the long loop alone would have a block each that goes through all of the
# short one.
# RUN: %cetane inspect --explain %s -DA=32 -DB=32768 --arch=sm_90a | FileCheck %s
# RUN: %cetane run %s -DA=5 -DB=32768 --device=host --sanitize=all
# CHECK: s_add_begin s_add
# CHECK-NEXT: grid 256 x 1
# CHECK: computes {{.*}}s_add_end
param A, B;
tensor f32 x(A,B);
tensor f32 y(B);
out s() = sum(i, j: abs(x(i,j)) * y(j));
