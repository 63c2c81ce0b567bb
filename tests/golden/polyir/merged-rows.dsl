// Check that the innermost of the loops that are merged goes along the rows of what
// is read anew for each tile of steps (B), not of what is read once (U).
// RUN: %cetane build %s --emit=poly -DM=32 -DN=2 -DP=32 -DK=32 -o - | FileCheck %s
// CHECK: operand B_shared {{.*}}(p + 32n) mod 64
param M, N, P, K;
tensor i8 A(M,K);
tensor i8 B(N,K,P);
tensor i8 U(P,N);
T(p,n,m) max= A(m,k) + B(n,k,p) + U(p,n);
out D(p,n,m) = max(T(p,n,m), 0);
