// Check that products of 16 bits run on warpgroups of sm_90a: operands are copied to
// swizzled rows, one tile less ahead than there are slots for; the product of a tile
// goes on while copies start, and is waited for before its results are turned and
// stored in runs of 16 bytes.
// RUN: %cetane build %s -DM=512 -DN=512 -DK=256 --arch=sm_90a --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=POLY
// RUN: %cetane build %s -DM=512 -DN=512 -DK=256 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s
// RUN: %cetane build %s -DM=512 -DN=512 -DK=256 --arch=sm_90 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=OTHER
// POLY:      array A_shared bf16 temp shared {{.*}} swizzled
// POLY:      wait {{.*}} ahead [[A:[0-9]+]]
// POLY:      kernel {{.*}} vec 1 8 {{.*}} unit wgmma.m64k16.bf16
// CHECK:     cp.async.cg.shared.global
// CHECK:     cp.async.wait_group
// CHECK:     fence.proxy.async.shared::cta
// CHECK:     bar.sync
// CHECK:     wgmma.fence.sync.aligned
// CHECK:     wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK:     wgmma.commit_group.sync.aligned
// CHECK:     cp.async.cg.shared.global
// CHECK:     wgmma.wait_group.sync.aligned 1
// CHECK:     wgmma.wait_group.sync.aligned 0
// CHECK:     shfl.sync.bfly.b32
// CHECK:     st.global.v4.b32
// OTHER-NOT: wgmma
// OTHER:     mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(BFLOAT16, {C});
