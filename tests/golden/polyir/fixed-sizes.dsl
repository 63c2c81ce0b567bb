// Check that fixed sizes leave no guard and no size parameter, and that the
// tree is that of the symbolic sizes (FEATURES D34).
// RUN: %cetane build %s --emit=ast -o - -D M=128 -D N=128 -D K=128 \
// RUN:   | FileCheck %s --check-prefix=FIXED
// RUN: %cetane build %s --emit=ptx -o - -D M=128 -D N=128 -D K=128 \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: %cetane build %s --emit=ptx -o - | FileCheck %s --check-prefix=SYMBOLIC
// FIXED-NOT: if (
// FIXED:     c2 <= 2;
// PTX:       .entry
// PTX:       param_2
// PTX-NOT:   param_3
// SYMBOLIC:  .entry
// SYMBOLIC:  param_5
// SYMBOLIC-NOT: param_6
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
