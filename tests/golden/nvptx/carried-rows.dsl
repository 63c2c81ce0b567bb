// The rows of A are not equally far apart for all sizes: a copy in a turn of the
// product's loop goes from the first row of the turn, which the loop carries, to
// the others; LLVM is kept from counting with each of them.
// RUN: %cetane build %s --arch=sm_90a --versions=1 --emit=llvm -o - | FileCheck %s
// RUN: sed "/Params/d;s/[MNK],/2048,/g;s/,[MNK]/,2048/g" %s >%t.dsl
// RUN: %cetane build %t.dsl --arch=sm_90a --emit=llvm -o - \
// RUN:   | FileCheck %s --check-prefix=FIXED
// CHECK:       for.kk:
// CHECK:       [[ROW:%.*]] = phi ptr addrspace(1) [ {{.*}} ], [ [[NEXT:%.*]], %for.kk.body ]
// CHECK:       getelementptr {{.*}}[[ROW]]
// CHECK:       [[NEXT]] = call ptr addrspace(1) asm "", "=l,0"
// FIXED:       for.kk:
// FIXED-NOT:   phi ptr addrspace(1)
// FIXED-NOT:   asm "", "=l,0"
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
