// Check that products of 8-bit floats run on matrix units: mma of sm_89, which sm_90 has for
// f16 alone, so that operands are converted there; or, where sums may be cut and the rows of
// both operands go along the steps, warpgroups of sm_90a; that operands of different types
// are not exchanged; and that the hardware converts, saturating.
// REQUIRES: ptxas
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --fp=relaxed --emit=ptx \
// RUN:   -o - | FileCheck %s
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --fp=relaxed --emit=cubin \
// RUN:   -o %t.cubin 2>&1 | FileCheck %s --check-prefix=CUBIN
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=TURNED
// RUN: %cetane build %s -DM=1024 -DN=1024 -DK=1024 --arch=sm_90a --emit=cubin \
// RUN:   -o %t.cubin 2>&1 | FileCheck %s --check-prefix=CUBIN
// RUN: sed 's/B(N,K)/B(K,N)/; s/B(j,k)/B(k,j)/' %s > %t.dsl
// RUN: %cetane build %t.dsl -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --fp=relaxed --emit=ptx \
// RUN:   -o - | FileCheck %s --check-prefix=TURNED
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_89 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=OTHER
// CHECK:         cvt.rn.satfinite.e4m3x2.f32
// CHECK:         wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.f32.e5m2.e4m3 {{.*}}, p, 1, 1; }
// CHECK-NOT:     wgmma.mma_async
// CHECK:         wgmma.commit_group.sync.aligned
// CUBIN:         0 bytes stack, 0 bytes spill stores
// TURNED-NOT:    wgmma
// TURNED-DAG:    cvt.rn.f16x2.e5m2x2
// TURNED-DAG:    cvt.rn.f16x2.e4m3x2
// TURNED:        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// TURNED-NOT:    m16n8k32
// OTHER:         ldmatrix.sync.aligned.m8n8.x4.shared.b16
// OTHER:         mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32
param M, N, K;
tensor f8e5m2 A(M,K);
tensor f8e4m3 B(N,K);
tensor f32 s(M), t(N);
out C(i,j) = f8e4m3(s(i) * t(j) * sum(k: f32(A(i,k)) * f32(B(j,k))));
