// Check the addresses of a product with 2^26 steps: rows of A are so long that
// those of one tile lie 2^31 elements and more apart.
// RUN: %cetane build %s -DM=128 -DN=128 -DK=67108864 --emit=llvm -o - \
// RUN:   | FileCheck %s
// RUN: %cetane build %s -DM=65536 -DN=65536 -DK=65536 --emit=llvm -o - \
// RUN:   | FileCheck %s --check-prefix=LARGE
// CHECK-NOT: getelementptr {{.*}}, i32 -
// CHECK:     getelementptr {{.*}}, i64 2147483648,
// CHECK-NOT: getelementptr {{.*}}, i32 -
// LARGE:     mul nsw i64 {{.*}}, 65536
param M; param N; param K;
tensor f32 A(M, K);
tensor f32 B(K, N);
out C(i, j) += A(i, k) * B(k, j);
