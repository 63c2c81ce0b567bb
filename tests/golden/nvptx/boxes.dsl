// Check copies of boxes: maps are arguments of 128 bytes, which are looked up before the
// first barrier; the bytes of a tile, and each column of 128 bytes, started by one
// thread; blocks that take one tile after another, whose next copies start behind the
// last wait and a barrier, before sums are stored, which are exchanged two at a time.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=SUMS < %t.ptx
// RUN: printf 'cetane-config 1\ncopies async\n' > %t.cfg
// RUN: %cetane build %s --config=%t.cfg --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=ASYNC
// CHECK:         .param .align 64 .b8 {{.*}}[128],
// CHECK-NEXT:    .param .align 64 .b8 {{.*}}[128]
// CHECK-COUNT-2: prefetch.tensormap [
// CHECK-COUNT-8: mbarrier.init.shared.b64
// CHECK:         bar.sync
// CHECK:         mbarrier.arrive.expect_tx
// CHECK:         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
// CHECK:         mbarrier.arrive.expect_tx
// CHECK-COUNT-4: cp.async.bulk.tensor.2d
// CHECK-NOT:     fence.proxy.async
// CHECK:         mbarrier.try_wait.parity
// CHECK:         wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK:         wgmma.wait_group.sync.aligned 0
// CHECK:         bar.sync
// CHECK:         cp.async.bulk.tensor.2d
// SUMS-COUNT-64: shfl.sync.bfly.b32
// SUMS-NOT:      shfl.sync
// SUMS:          st.global.v4.b32
// ASYNC-NOT:     tensor
// ASYNC:         fence.proxy.async
Matrix A(4096,4096); Matrix B(4096,4096);
C = A * B;
CodeGen(BFLOAT16, {C});
