// Check that of loops that are alike otherwise, tiles go along the longer ones,
// which fill them: i and q, not p and q.
// RUN: %cetane inspect %s -D I=600 -D J=67 -D P=33 -D Q=601 -D K=59 \
// RUN:   -D L=37 --arch=sm_90a | FileCheck %s
// CHECK: grid {{.*}}*67*33:
// Long loops are alike.
// RUN: %cetane inspect %s -D I=900 -D J=67 -D P=600 -D Q=600 -D K=59 \
// RUN:   -D L=37 --arch=sm_90a | FileCheck %s --check-prefix=LONG
// LONG: grid {{.*}}*900*67:
param I, J, P, Q, K, L;
tensor f32 A(I,K,P,L), B(L,J,K,Q);
out C(i,j,p,q) += A(i,k,p,l) * B(l,j,k,q);
