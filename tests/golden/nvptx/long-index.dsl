// Check that tiles number elements in 64 bits where 2^31 can be passed, and in
// 32 where it cannot.
//
// An index of 65536 * i, for any number of rows, for more than 2^31 elements,
// and for less.
// RUN: %cetane build %s --emit=llvm -o - | FileCheck %s --check-prefix=ANY
// RUN: %cetane build %s -DM=65536 -DK=65536 -DN=64 --emit=llvm -o - \
// RUN:   | FileCheck %s --check-prefix=LONG
// RUN: %cetane build %s -DM=32768 -DK=65536 -DN=64 --emit=llvm -o - \
// RUN:   | FileCheck %s --check-prefix=SHORT
// RUN: %cetane run %s -DM=3 -DK=70 -DN=33 --device=host --sanitize=all
//
// ANY:         mul nsw i64 %{{.*}}, 65536
// LONG:        mul nsw i64 %{{.*}}, 65536
// SHORT-NOT:   mul {{.*}}i64
param M; param N; param K;
tensor f32 A(65536 * M + K);
tensor f32 B(K, N);
out C(i, j) for 0 <= i < M += A(65536 * i + k) * B(k, j);
