// Check that a feeder's warpgroup leaves its registers to three others, which store what a long
// epilogue computes: with one warp more than three groups threads have no more than 128.
// RUN: %cetane build %s --arch=sm_90a --emit=ptx -o - | FileCheck %s
// CHECK:     .reqntid 4, 128, 1
// CHECK:     setmaxnreg.dec.sync.aligned.u32 24;
// CHECK:     cp.async.bulk.tensor.2d
// CHECK:     setmaxnreg.inc.sync.aligned.u32 160;
// CHECK:     wgmma.mma_async
tensor f16 A(7040,2048), B(2048,1280), c(1280);
x(i,j) = sum(k: f32(A(i,k)) * f32(B(k,j))) + f32(c(j));
out H(i,j) = f16(0.5 * x(i,j) * (1 + tanh(0.7978845608 * (x(i,j) + 0.044715 * x(i,j) * x(i,j) * x(i,j)))));
