// Check that in tiles that lack points, steps that have none are left out as a
// whole, before anything is loaded, and that points are not asked for them again.
// RUN: %cetane build %s -DM=200 -DN=260 --arch=sm_80 --emit=llvm -o - \
// RUN:   | FileCheck %s
// CHECK:      {{^}}part:
// CHECK:      {{^}}for.kk.body:
// CHECK-NEXT: %[[K:[0-9]+]] = add nsw i32 %{{[0-9]+}}, %kk
// CHECK-NEXT: %[[IS:[0-9]+]] = icmp sle i32 %[[K]], 199
// CHECK-NEXT: br i1 %[[IS]], label %inside, label %inside.end
// CHECK:      {{^}}inside:
// CHECK:      load double
// CHECK-NOT:  icmp sle i32 %[[K]], 199
// CHECK:      {{^}}whole:
param M, N;
tensor f64 A(M,M), B(M,N);
out D(i,j) = B(i,j) + sum(k for i < k, k < M: A(k,i) * B(k,j));
