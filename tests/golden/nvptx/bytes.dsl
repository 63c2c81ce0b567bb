// Check that products of bytes run on matrix units, in any order of sums, since these
// wrap: fragments of operands whose rows go along the steps are loaded by ldmatrix, and
// no byte is loaded alone; and that no register is spilled. Columns of such an operand are
// no pairs, which the unit of bytes-pairs.dsl loads.
// REQUIRES: ptxas
// RUN: %cetane build %s -DM=1024 -DN=1024 -DK=1024 --arch=sm_90 --fp=strict --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=UNIT
// RUN: %cetane build %s -DM=1024 -DN=1024 -DK=1024 --arch=sm_90 --fp=strict --emit=ptx -o - \
// RUN:   | FileCheck %s
// RUN: %cetane build %s -DM=1024 -DN=1024 -DK=1024 --arch=sm_90 --emit=cubin -o %t.cubin 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CUBIN
// UNIT:      kernel {{.*}} vec 1 2 {{.*}} unit mma.m16n8k32.s8
// CHECK:     cp.async.cg.shared.global {{.*}}, 16
// CHECK-NOT: ld.shared
// CHECK:     ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT: ld.shared
// CHECK:     mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK-NOT: ld.shared
// CHECK:     st.global
// CHECK-NOT: ld.shared
// CUBIN:     0 bytes stack, 0 bytes spill stores
param M, N, K;
tensor i8 A(M,K), B(N,K);
out C(i,j) = sum(k: i32(A(i,k)) * i32(B(j,k)));
