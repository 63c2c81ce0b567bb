// Check that copies ask for each element only in tiles that have an edge of the
// arrays, where there is a loop of its own for the others, by a condition that
// LLVM leaves as it is, and that the last tile runs only the steps that there are, in whole bodies of four.
// RUN: %cetane build %s -DM=300 -DN=301 -DK=101 --arch=sm_90a --emit=llvm -o - \
// RUN:   | FileCheck %s
// CHECK:      icmp sle i32 %{{[0-9]+}}, 2,
// CHECK-NEXT: icmp sle i32 %b0, 8,
// CHECK:      icmp sle i32 %b1, 8,
// CHECK:      br i1 %{{[0-9]+}}, label %inside, label %inside.end
// CHECK:      {{^}}inside:
// CHECK:      icmp ult i32 %kk{{[0-9]*}}, 32,
// CHECK-NOT:  select
// CHECK:      cp.async.ca.shared.global.4.s({{.*}}, i32 4)
// CHECK-NOT:  select
// CHECK:      {{^}}edge:
// CHECK:      icmp ult i32 %kk{{[0-9]*}}, 32,
// CHECK:      [[IN:%[0-9]+]] = call i1 asm "", "=b,0"(i1 %{{[0-9]+}})
// CHECK:      select i1 [[IN]], i32 4, i32 0
// CHECK:      cp.async.ca.shared.global.4.s(
// CHECK:      {{^}}edge.end:
// CHECK:      icmp ult i32 %kk{{[0-9]*}}, 8,
//
// Whole tiles, whatever the block: one loop.
// RUN: %cetane build %s -DM=256 -DN=256 -DK=128 --arch=sm_90a --emit=llvm -o - \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: {{^(inside|edge):}}
// WHOLE:     icmp ult i32 %kk{{[0-9]*}}, 32,
// WHOLE-NOT: {{^(inside|edge):}}
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
