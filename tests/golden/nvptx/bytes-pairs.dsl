// Check that bytes of B that lie side by side are loaded by ldmatrix, two columns a lane,
// and put together by permutations of bytes, whose order is that of the lane's steps; no
// byte is loaded alone, a thread stores four sums at once, and no register is spilled.
// REQUIRES: ptxas
// RUN: %cetane build %s -DM=1024 -DN=1024 -DK=1024 --arch=sm_90a --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=UNIT
// RUN: %cetane build %s -DM=1024 -DN=1024 -DK=1024 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s
// RUN: %cetane build %s -DM=1024 -DN=1024 -DK=1024 --arch=sm_90a --emit=cubin -o %t.cubin 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CUBIN
// UNIT:      kernel {{.*}} vec 1 4 {{.*}} unit mma.m16n16k32.s8
// CHECK:     selp.b32 {{.*}}, 25632, 8292,
// CHECK:     selp.b32 {{.*}}, 30001, 12661,
// CHECK-NOT: ld.shared
// CHECK:     ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-NOT: ld.shared
// CHECK:     prmt.b32
// CHECK-NOT: ld.shared
// CHECK:     mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK-NOT: ld.shared
// CHECK:     st.global.v4
// CUBIN:     0 bytes stack, 0 bytes spill stores
param M, N, K;
tensor i8 A(M,K), B(K,N);
out C(i,j) = sum(k: i32(A(i,k)) * i32(B(k,j)));
