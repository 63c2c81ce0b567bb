// Check that products of bytes run on warpgroups of sm_90a where the rows of both operands
// go along the steps: four instructions for 128 steps, of signs and of turned operands none
// told; where one operand's rows do not, on warps, unless the text turns it before.
// REQUIRES: ptxas
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s
// RUN: %cetane build %s -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --emit=cubin -o %t.cubin 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CUBIN
// RUN: sed 's/B(N,K)/B(K,N)/; s/B(j,k)/B(k,j)/' %s > %t.dsl
// RUN: %cetane build %t.dsl -DM=4096 -DN=4096 -DK=4096 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=TURNED
// RUN: sed 's/B(N,K)/b(K,N)/; s/^out/B(j,k) = b(k,j);\nout/' %s > %t.dsl
// RUN: %cetane build %t.dsl -DM=1024 -DN=1024 -DK=1024 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// CHECK:         cp.async.bulk.tensor.2d
// CHECK:         wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {{.*}}, p; }
// CHECK-NOT:     wgmma.mma_async
// CHECK:         wgmma.commit_group.sync.aligned
// CHECK-NOT:     mma.sync
// CUBIN:         0 bytes stack, 0 bytes spill stores
// TURNED-NOT:    wgmma
// TURNED:        mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// BEFORE-COUNT-2: .visible .entry
// BEFORE-DAG:    wgmma.mma_async
// BEFORE-NOT:    mma.sync
param M, N, K;
tensor i8 A(M,K), B(N,K);
out C(i,j) = sum(k: i32(A(i,k)) * i32(B(j,k)));
