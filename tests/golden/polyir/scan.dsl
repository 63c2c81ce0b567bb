// Check that a running sum along rows is one kernel: a row is loaded once, threads scan
// what they have of it, runs go to those threads that take them side by side, lanes
// exchange in pairs, and warps leave what they have in shared memory. A warp that has a
// row has no barrier.
// RUN: %cetane build %s -D N=4096 -D M=4096 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=BLOCK
// BLOCK:          .reqntid 256, 1, 1
// BLOCK-COUNT-4:  ld.global.nc.v4.b32
// BLOCK-COUNT-4:  st.shared.b32
// BLOCK:          bar.sync
// BLOCK:          ld.shared.v4.b32
// BLOCK-COUNT-5:  shfl.sync.bfly.b32
// BLOCK:          st.shared
// BLOCK:          bar.sync
// BLOCK-COUNT-5:  shfl.sync.bfly.b32
// BLOCK:          st.shared.v4.b32
// BLOCK:          bar.sync
// BLOCK-COUNT-4:  ld.shared.b32
// BLOCK-COUNT-4:  st.global.v4.b32
// BLOCK-NOT:      {{shfl|bar.sync|.local|ld.global|.entry}}
// RUN: %cetane build %s -D N=8192 -D M=1024 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=WARP
// WARP-NOT:       bar.sync
// WARP-COUNT-8:   st.global.v4.b32
//
// The operation, and what it begins with.
// RUN: %cetane build %s -D N=64 -D M=128 --emit=poly -o - | FileCheck %s --check-prefix=POLY
// POLY:       array y_row f32 temp register
// POLY:       stmt y_def_1_scan scan
// POLY-NEXT:  member y_def_1
// POLY:       along 1
//
// A row that no block has room for goes on from tile to tile, in one kernel: a block takes
// the next tile, hands on what its tile does, looks at what others have handed on, and
// rests before it looks again.
// RUN: %cetane build %s -D N=1 -D M=67108864 --emit=poly -o - | FileCheck %s --check-prefix=LONG
// LONG:       array y_tile f32 temp register "{ y_tile[(1), (8192), (8192)] }"
// LONG:       stmt y_def_1_scan scan
// LONG:       {{^}}kernel
// LONG-NOT:   {{^}}kernel
// RUN: %cetane build %s -D N=1 -D M=67108864 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=TURN
// TURN:       .entry
// TURN:       atom.global.add.u32
// TURN:       st.relaxed.gpu.global.b64
// TURN:       ld.relaxed.gpu.global.b64
// TURN:       nanosleep
// TURN-NOT:   {{.local|.entry|membar|fence}}
//
// Where the order of sums is fixed, or sizes are not, it is a recurrence.
// RUN: %cetane inspect %s -D N=64 -D M=128 --fp=strict --explain | FileCheck %s --check-prefix=STRICT
// STRICT:     y_def_1: no scan: --fp=strict keeps the order of its operations
// RUN: %cetane inspect %s -D N=64 --explain | FileCheck %s --check-prefix=OPEN
// OPEN:       y_def_1: no scan: sizes are not fixed
// RUN: %cetane inspect %s -D N=64 -D M=128 --explain | FileCheck %s --check-prefix=SCAN
// SCAN:       y_def_1: a scan, by the threads of a row
param N, M;
tensor f32 x(N,M);
out y(i,j) for 0 <= i < N, 0 <= j < M = case { j == 0: x(i,0); else: y(i,j-1) + x(i,j); };
