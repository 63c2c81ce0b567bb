// Check that a tree may say nothing about sizes that do not occur: for N < 0,
// of which the text of the domain speaks, points have no first one.
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s
// CHECK: context "[N, M] -> {  : N >= 0 and M >= 0 }"
// CHECK: stmt skewed_rest point {{.*}}7N
// CHECK: kernel outside_context_skewed2
param N, M;
tensor f32 A(N,M);
out skewed(t,i) for 0<=t-i<N, 0<=i<M, 0<=t<N+M = A(t-i,i);
