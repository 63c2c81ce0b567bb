// Check that of loops that are alike otherwise, tiles go along the longer ones,
// which fill them: i and q, not p and q.
// RUN: %cetane inspect %s -D I=61 -D J=67 -D P=33 -D Q=31 -D K=59 -D L=37 \
// RUN:   --arch=sm_90a | FileCheck %s
// CHECK: grid 1 x 1*67*33: 1 x 2211
// Long loops are alike.
// RUN: %cetane inspect %s -D I=96 -D J=67 -D P=64 -D Q=64 -D K=59 -D L=37 \
// RUN:   --arch=sm_90a | FileCheck %s --check-prefix=LONG
// LONG: grid 1 x 1*96*67: 1 x 6432
param I, J, P, Q, K, L;
tensor f32 A(I,K,P,L), B(L,J,K,Q);
out C(i,j,p,q) += A(i,k,p,l) * B(l,j,k,q);
