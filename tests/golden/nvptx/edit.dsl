// Check that --from=llvm goes on from an edited file: 2.5 in the source, 3.5
// after the edit, and nothing else changes.
// RUN: %cetane build %s --emit=llvm -o %t.ll
// RUN: %cetane build %t.ll --from=llvm --emit=ptx -o %t.same.ptx
// RUN: sed 's/2\.500000e+00/3.500000e+00/' %t.ll > %t.edited.ll
// RUN: %cetane build %t.edited.ll --from=llvm --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.same.ptx --check-prefix=SAME
// RUN: FileCheck %s < %t.ptx
// SAME: 0f40200000
// SAME-NOT: 0f40600000
// CHECK-NOT: 0f40200000
// CHECK: 0f40600000
Params M, N;
Matrix A(M,N);
B = 2.5 * A;
CodeGen(FLOAT, {B});
