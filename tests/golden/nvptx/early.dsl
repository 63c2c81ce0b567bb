// Check that kernels for sm_90 and later wait first of all for the launch in front of
// them, and then let the one behind begin; both of the two that this sum in parts has.
// Older targets have no such thing.
// RUN: %cetane build %s -DM=64 -DN=64 -DK=4736 --arch=sm_90a --emit=ptx -o - | FileCheck %s
// RUN: %cetane build %s -DM=64 -DN=64 -DK=4736 --arch=sm_100 --emit=ptx -o - | FileCheck %s
// RUN: %cetane build %s -DM=64 -DN=64 -DK=4736 --arch=sm_89 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=OLDER
// RUN: %cetane build %s -DM=64 -DN=64 -DK=4736 --arch=sm_90a --emit=llvm -o %t.ll
// RUN: %cetane build %t.ll --from=llvm --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s
// CHECK:      .entry
// CHECK-NOT:  ld.
// CHECK:      griddepcontrol.wait;
// CHECK-NEXT: griddepcontrol.launch_dependents;
// CHECK:      .entry
// CHECK-NOT:  ld.
// CHECK:      griddepcontrol.wait;
// CHECK-NEXT: griddepcontrol.launch_dependents;
// CHECK:      ld.global
// CHECK-NOT:  griddepcontrol
// OLDER:      .entry
// OLDER-NOT:  griddepcontrol
param M, N, K;
tensor bf16 A(M,K), B(K,N);
out C(i,j) += f32(A(i,k)) * f32(B(k,j));
