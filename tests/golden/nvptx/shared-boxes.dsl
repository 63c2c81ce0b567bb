// Check blocks of a cluster that copy rows of A for one another: each sends one half of a
// tile of A to both, and the whole of its tile of B to itself; a slot of A is free when the
// warpgroups of both blocks have said so, one of B when its own have. Blocks begin and end
// together.
// RUN: printf 'cetane-config 1\nkernel shared_boxes_C thread 32 4 tile 64 64 64 ' > %t.cfg
// RUN: printf 'vec 1 8 steps 8 stages 8 unit wgmma.m64k16.bf16 cluster 1 2\n' >> %t.cfg
// RUN: %cetane build %s --config=%t.cfg --arch=sm_90a --emit=ptx -o - | FileCheck %s
// CHECK:         .reqnctapercluster 2, 1, 1
// CHECK:         barrier.cluster.arrive.aligned
// CHECK-NEXT:    barrier.cluster.wait.aligned
// CHECK:         mbarrier.try_wait.parity
// CHECK:         mbarrier.arrive.expect_tx.shared::cta.b64 _, [{{.*}}], [[BYTES:.*]];
// CHECK:         cp.async.bulk.tensor.2d.{{.*}}.multicast::cluster
// CHECK:         mbarrier.arrive.expect_tx.shared::cta.b64 _, [{{.*}}], [[BYTES]];
// CHECK:         complete_tx::bytes [
// CHECK:         barrier.cluster.wait.aligned
// CHECK-NEXT:    bra.uni
// CHECK-COUNT-2: mapa.shared::cluster.u32
// CHECK:         mbarrier.arrive.shared::cta.b64
// CHECK:         wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// CHECK:         barrier.cluster.wait.aligned
Matrix A(896,2432); Matrix B(2432,512);
C = A * B;
CodeGen(BFLOAT16, {C});
