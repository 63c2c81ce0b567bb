// Check that products of tf32 run on matrix units: on warpgroups of sm_90a where the rows of
// both operands go along the steps, else on mma of sm_80 and later, whose fragments ldmatrix
// loads from such rows; and that the hardware rounds f32, once.
// REQUIRES: ptxas
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --emit=cubin \
// RUN:   -o %t.cubin 2>&1 | FileCheck %s --check-prefix=CUBIN
// RUN: sed 's/b(N,K)/b(K,N)/; s/B(i,k) = tf32(b(i,k))/B(k,i) = tf32(b(k,i))/; s/B(j,k)/B(k,j)/' \
// RUN:   %s > %t.dsl
// RUN: %cetane build %t.dsl -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=TURNED
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_80 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_80 --emit=cubin \
// RUN:   -o %t.cubin 2>&1 | FileCheck %s --check-prefix=CUBIN
// CHECK-DAG:     cvt.rna.tf32.f32
// CHECK-DAG:     cp.async.bulk.tensor
// CHECK:         wgmma.fence.sync.aligned
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {{.*}}, p, 1, 1; }
// CHECK-NOT:     wgmma.mma_async
// CHECK:         wgmma.commit_group.sync.aligned
// CUBIN:         0 bytes stack, 0 bytes spill stores
// TURNED-NOT:    wgmma
// TURNED:        mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// OTHER:         ldmatrix.sync.aligned.m8n8.x4.shared.b16
// OTHER:         mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
param M, N, K;
tensor f32 a(M,K), b(N,K);
A(i,k) = tf32(a(i,k));
B(i,k) = tf32(b(i,k));
out C(i,j) = f32(sum(k: A(i,k) * B(j,k)));
