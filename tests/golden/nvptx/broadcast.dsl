// Check that a broadcast row is read by its own index only (FEATURES D11): the
// address of V does not depend on the row.
// RUN: %cetane build %s --emit=llvm -o - | FileCheck %s
// CHECK:     %A, i64
// CHECK:     getelementptr inbounds float, ptr addrspace(1) {{.*}}, i32 [[J:%.*]], !dbg
// CHECK:     getelementptr inbounds float, ptr addrspace(1) %V, i32 [[J]], !dbg
Params M, N;
Matrix A(M,N); Matrix V(1,N);
B = A + V;
CodeGen(FLOAT, {B});
