// Check that a reduction of whose reads threads share none keeps a thread a
// point: tiles would gain nothing.
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s
// CHECK-NOT: shared
// CHECK-NOT: contract
// CHECK:     kernel no_reuse_C naive
param M, N, K;
tensor f32 A(M,N,K), B(M,N,K);
out C(i,j) += A(i,j,k) * B(i,j,k);
