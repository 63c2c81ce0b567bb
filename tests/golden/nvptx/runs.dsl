// Check kernels that memory limits: threads move 16 bytes at once where rows
// begin at multiples of that, along both axes where arrays lie along both, and
// no load waits for another.
// RUN: %cetane build %s -D M=4096 -D N=4096 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=POLY
// POLY: kernel runs_S tiled thread 8 32 tile 16 128 0 vec 1 4
// POLY: kernel runs_T tiled thread 8 32 tile 64 128 0 vec 4 4
// RUN: %cetane build %s -D M=4096 -D N=4096 --emit=ptx -o - | FileCheck %s
// CHECK:         .entry runs_S
// CHECK-NOT:     ld.global{{.*}}.b32 %
// CHECK-COUNT-4: ld.global.nc.v4.b32
// CHECK-NOT:     ld.global{{.*}}.b32 %
// CHECK:         .entry runs_T
// CHECK-COUNT-8: ld.global.nc.v4.b32
// CHECK:         st.global.v4.b32
// CHECK-NOT:     {{ld|st}}.global{{.*}}.b32 %
// CHECK-NOT:     .local
//
// Rows of an odd length: one by one, neighbours side by side, and whole tiles
// have code of their own without conditions.
// RUN: %cetane build %s -D M=4097 -D N=4095 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=ODD
// ODD: kernel runs_S tiled thread 8 32 tile 16 128 0 grid
// ODD: kernel runs_T tiled thread 8 32 tile 64 32 0 grid
// RUN: %cetane build %s -D M=4097 -D N=4095 --emit=llvm-opt -o - \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// WHOLE:          define ptx_kernel void @runs_S
// WHOLE:        {{^}}whole:
// WHOLE-NOT:      {{ br |^if}}
// WHOLE-COUNT-16: load float
// WHOLE:          br label
//
// What is narrow has blocks that are narrow, too.
// RUN: %cetane build %s -D M=131072 -D N=4 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=NARROW
// NARROW: kernel runs_S tiled thread 256 1 tile 256 4 0 vec 1 4
Params M, N;
Matrix X(M,N); Matrix Z(M,N);
S = ReLU(X + Z) .* Z;
T = X^T;
CodeGen(FLOAT, {S, T});
