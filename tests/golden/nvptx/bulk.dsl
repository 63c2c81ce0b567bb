// Check copies in bulk: a barrier for each slot, made before it is used; the bytes of
// a tile, and each row with its own; a wait for the phase that the tile tells, beside
// that for the copies of A, which are of elements. With A transposed all rows go so.
// RUN: printf 'cetane-config 1\ncopies bulk\n' > %t.cfg
// RUN: %cetane build %s --config=%t.cfg --arch=sm_90a --emit=ptx -o - | FileCheck %s
// RUN: sed 's/A \* B/A^T * B/' %s > %t.dsl
// RUN: %cetane build %t.dsl --config=%t.cfg --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: %cetane build %t.dsl --config=%t.cfg --arch=sm_90 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=NONE
// CHECK-COUNT-3: mbarrier.init.shared.b64 [shared+{{.*}}], %r
// CHECK-NEXT:  fence.mbarrier_init.release.cluster;
// CHECK-NEXT:  fence.proxy.async.shared::cta;
// CHECK:       bar.sync
// CHECK:       mbarrier.arrive.expect_tx.shared::cta.b64 _, [
// CHECK:       cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [
// CHECK:       mbarrier.try_wait.parity.shared::cta.b64 p, [
// CHECK:       cp.async.wait_group {{.*}}1;
// CHECK-NEXT:  bar.sync
// CHECK:       cp.async.bulk
// CHECK:       bar.warp.sync
// CHECK:       cp.async.ca
// BOTH-NOT:    cp.async.{{c|wait}}
// BOTH:        mbarrier.try_wait
// BOTH-NEXT:   @!p bra WAIT
// BOTH:        mbarrier.try_wait
// BOTH:        bar.sync
// BOTH-NOT:    cp.async.{{c|wait}}
// NONE-NOT:    mbarrier
// NONE:        cp.async.cg
// NONE-NOT:    mbarrier
Matrix A(2048,2048); Matrix B(2048,2048);
C = A * B;
CodeGen(FLOAT, {C});
