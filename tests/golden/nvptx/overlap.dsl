// Elements that must be copied one by one (the rows of A have the steps) are
// started while the product runs, in a loop of bodies of four steps; copies of
// 16 bytes are started before it. What is stored four at a time is a copy of
// the accumulators. Of doubles, and of what an epilogue computes, it is not.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// RUN: sed s/FLOAT/DOUBLE/ %s >%t.dsl
// RUN: %cetane build %t.dsl --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: sed 's/A . B/relu(A * B)/' %s >%t.dsl
// RUN: %cetane build %t.dsl --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// CHECK:       bar.sync
// CHECK-NOT:   cp.async.ca
// CHECK:       cp.async.cg
// CHECK-NOT:   cp.async.ca
// CHECK:       nounroll
// CHECK:       fma.rn.f32
// CHECK-COUNT-4: cp.async.ca
// CHECK-NOT:   cp.async.c{{[ag]}}
// CHECK:       cp.async.commit_group
// CHECK:       lanemask
// CHECK:       or.b32
// CHECK:       st.global.v4
// PLAIN-NOT:   lanemask
Matrix A(2048,2048); Matrix B(2048,2048);
C = A * B;
CodeGen(FLOAT, {C});
