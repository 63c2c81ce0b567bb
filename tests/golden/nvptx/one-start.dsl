// Check that threads that wait for slots have the address of shared memory from the start: the
// loop has 48 steps in 6 slots, and each takes its slot from there alone.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// CHECK:     mov.b32 {{.*}}, shared;
// CHECK:     shfl.sync.idx.b32
// CHECK-NOT: , shared
// CHECK:     elect.sync
// CHECK-NOT: , shared
tensor bf16 A(1152,3072), B(3072,1280);
out C(i,j) = bf16(sum(k: f32(A(i,k)) * f32(B(k,j))));
