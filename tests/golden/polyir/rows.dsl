// Check that a softmax is one kernel: a row is loaded once, stays in registers, and the
// threads that have it put together what they have along it. Where one warp has a row,
// there is no barrier; where a block has one, one for each reduction.
// RUN: %cetane build %s -D N=8192 -D M=1024 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=WARP
// WARP:           .reqntid 32, 8, 1
// WARP-COUNT-8:   ld.global.nc.v4.b32
// WARP-COUNT-5:   shfl.sync.bfly.b32
// WARP-COUNT-5:   shfl.sync.bfly.b32
// WARP-COUNT-8:   st.global.v4.b32
// WARP-NOT:       {{shfl|bar.sync|.local|ld.global|ld.shared|.entry}}
// RUN: %cetane build %s -D N=8192 -D M=4096 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=BLOCK
// BLOCK:          .reqntid 256, 1, 1
// BLOCK-COUNT-4:  ld.global.nc.v4.b32
// BLOCK-COUNT-5:  shfl.sync.bfly.b32
// BLOCK:          st.shared
// BLOCK:          bar.sync
// BLOCK:          ld.shared
// BLOCK-COUNT-3:  shfl.sync.bfly.b32
// BLOCK:          st.shared
// BLOCK:          bar.sync
// BLOCK-COUNT-4:  st.global.v4.b32
// BLOCK-NOT:      {{shfl|bar.sync|.local|ld.global|.entry}}
//
// The operations, and where their members stand.
// RUN: %cetane build %s -D N=8192 -D M=4096 --arch=sm_90a --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=POLY
// POLY:       array x_row f32 temp register
// POLY:       at "{ [{{.*}}] -> m_init[(i0)] }"
// POLY:       stmt {{.*}}_once group
// POLY-NEXT:  member m_init s_init
// POLY:       along 1
// POLY:       stmt m_max_line reduce
// POLY-NEXT:  member m_max
// POLY:       along 1
// POLY:       kernel {{.*}}_y tiled thread 1 256 tile 1 4096 0 vec 1 4
// POLY-NOT:   {{^}}kernel
//
// Two sums of one matrix are one kernel, too; the matrix is read once.
// RUN: echo 'param N, M; tensor f32 A(N,M), u(M), v(M); out y(i) = sum(j: A(i,j) * u(j)); \
// RUN:   out z(i) = sum(j: A(i,j) * v(j));' > %t.two.dsl
// RUN: %cetane build %t.two.dsl -D N=4096 -D M=256 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=TWO
// TWO:            .entry
// TWO-NOT:        .entry
//
// Sizes that are not fixed, or rows that no block has room for, are several kernels.
// RUN: %cetane build %s --arch=sm_90a --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=OPEN
// OPEN-NOT:   along
param N, M;
tensor f32 x(N,M);
m(i) max= x(i,j);
e(i,j) = exp(x(i,j) - m(i));
s(i) += e(i,j);
out y(i,j) = e(i,j) / s(i);
