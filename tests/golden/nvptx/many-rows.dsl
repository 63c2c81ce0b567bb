# Check that rows of two dimensions, each of which is short, are found in an array that may
# have more than 2^32 elements, as how many there are is not known yet: 49,152 bytes a row,
# in 64 bits.
# RUN: %cetane build %s -DN=128 -DM=96 --arch=sm_90a --emit=ptx -o - | FileCheck %s
# RUN: %cetane run %s -DB=5 -DN=12 -DM=8 --device=host
# CHECK-NOT: , 12288;
# CHECK:     mul.wide.u32 {{.*}}, 49152;
# CHECK-NOT: , 12288;
# CHECK:     ld.global.nc.v4
param B, N, M;
tensor f32 F(B,N,M);
out m(b) = sum(i, j: F(b,i,j));
