// Check that steps that lie side by side are loaded 16 bytes at a time: more of
// them would only wait in registers.
// RUN: %cetane build %s -DM=2048 -DN=2048 -DK=256 --arch=sm_80 --emit=llvm -o - \
// RUN:   | FileCheck %s
// CHECK:     {{^}}for.kk.body:
// CHECK:     load <2 x double>, {{.*}} align 16
// CHECK:     load <2 x double>, {{.*}} align 16
// CHECK:     load <2 x double>, {{.*}} align 16
// CHECK-NOT: load <8 x double>
param M, N, K;
tensor f64 A(M,K), B(N,K);
out D(i,j) += A(i,k) * B(j,k);
