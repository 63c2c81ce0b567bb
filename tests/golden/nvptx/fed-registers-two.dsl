// Check that a feeder's warpgroup leaves its registers to two others as well, which store what
// a long epilogue computes: with one warp more than two groups threads have no more than 168.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// CHECK:     .reqntid 4, 96, 1
// CHECK:     setmaxnreg.dec.sync.aligned.u32 24;
// CHECK:     cp.async.bulk.tensor.2d
// CHECK:     setmaxnreg.inc.sync.aligned.u32 240;
// CHECK:     wgmma.mma_async
tensor bf16 A(4096,1024), B(1024,4096), b(4096);
x(i,j) = sum(k: f32(A(i,k)) * f32(B(k,j))) + f32(b(j));
out H(i,j) = bf16(gelu(x(i,j)));
