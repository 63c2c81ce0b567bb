# Check that LLVM knows how many threads a block has: of 251 elements lanes have eight, and the last
# alone may be none: no element but that is asked for.
# RUN: %cetane build %s -DM=131072 -DN=251 --arch=sm_90a --emit=ptx -o - | FileCheck %s
# RUN: %cetane run %s -DM=61 -DN=251 --device=host --sanitize=all
# CHECK: .reqntid 32, 8, 1
# CHECK-NOT: setp
# CHECK: setp.gt.u32 {{.*}}, 26;
# CHECK-NOT: setp.lt.u32 {{.*}}, 59;
# CHECK: sqrt.rn.f32
param M, N;
tensor f16 X(M,N);
out Y(i,j) = f16(f32(X(i,j)) / sqrt(sum(k: f32(X(i,k)) * f32(X(i,k)))));
