// Check copies of boxes: maps are arguments of 128 bytes, which are looked up before the
// first barrier. Of blocks that take one tile after another a warp of its own waits until
// a slot is free, expects the bytes of a tile and starts its columns of 128 bytes; the
// others wait for them, and free the slot before behind the next product, and the last one
// before they store their sums, which are exchanged two at a time. They meet at no barrier
// of the block but the first.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=SUMS < %t.ptx
// RUN: printf 'cetane-config 1\ncopies async\n' > %t.cfg
// RUN: %cetane build %s --config=%t.cfg --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=ASYNC
// CHECK:         .param .align 64 .b8 {{.*}}[128],
// CHECK-NEXT:    .param .align 64 .b8 {{.*}}[128]
// CHECK-COUNT-2: prefetch.tensormap [
// CHECK-COUNT-16: mbarrier.init.shared.b64
// CHECK:         bar.sync
// CHECK-NOT:     bar.sync
// CHECK:         elect.sync
// CHECK-NOT:     bar.sync
// CHECK:         mbarrier.try_wait.parity
// CHECK:         mbarrier.arrive.expect_tx
// CHECK:         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
// CHECK:         mbarrier.try_wait.parity
// CHECK:         mbarrier.arrive.expect_tx
// CHECK-COUNT-4: cp.async.bulk.tensor.2d
// CHECK-NOT:     fence.proxy.async
// CHECK-NOT:     bar.sync
// CHECK:         ret
// CHECK-NOT:     cp.async.bulk
// CHECK-NOT:     bar.sync
// CHECK:         st.global.v4.b32
// CHECK-NOT:     bar.sync
// CHECK:         mbarrier.try_wait.parity
// CHECK:         mbarrier.try_wait.parity
// CHECK:         wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK:         wgmma.wait_group.sync.aligned 1
// CHECK-COUNT-2: mbarrier.arrive.shared::cta.b64
// SUMS-COUNT-64: shfl.sync.bfly.b32
// SUMS-NOT:      shfl.sync
// SUMS:          st.global.v4.b32
// ASYNC-NOT:     tensor
// ASYNC:         fence.proxy.async
Matrix A(4096,4096); Matrix B(4096,4096);
C = A * B;
CodeGen(BFLOAT16, {C});
