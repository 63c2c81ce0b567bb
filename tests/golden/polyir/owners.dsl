// Check that cells own the terms of updates at places that data tell, where memory cannot
// make them at once in any order: sums of floats. Terms are sorted by their cells.
// RUN: %cetane build %s --emit=poly --stop-after=cut -o - | FileCheck %s
// CHECK:      stmt y_add_key point {{.*}} y_add_key[i] :
// CHECK:      (select (and (le (const i64 0) (cast i64 (read k {{.*}}))) (lt (cast i64 (read k
// CHECK-SAME: (cast i32 (index i64 "[M] -> { y_add_key[i] -> [(-1 + M)] }")))
// CHECK:      write y_place
// CHECK-NEXT: (read x "{ y_add_place[i] -> x[(i)] }") (const f32 -0))
// CHECK:      write y_key5
// CHECK-NEXT: (scatter 0 (read y_key4
// CHECK-SAME: (earlier (and (shr (read y_key4 {{.*}}) (const i32 24)) (const i32 255)) (const i32 4096))
// CHECK:      stmt y_add_begin point {{.*}} 0 <= i <= M }"
// CHECK:      (loop 0 1 (const i64 0) (const i64 31) (const i64 0) (select (and (le (add (carry i64 0)
// CHECK:      stmt y_add_own point {{.*}} 0 <= j < M }"
// CHECK-NEXT: write y "{ y_add_own[j] -> y[(j)] }" reduce add
// CHECK-NEXT: (loop 0 1 (read y_begin {{.*}} y_begin[(j)] }") (read y_begin {{.*}} y_begin[(1 + j)] }")
// CHECK-SAME: (const f32 -0) (add (carry f32 0) (gather y_place5 (step i64 0))))
// CHECK-NOT:  y_add point
// Rows stay where they are, and their numbers are sorted.
// CHECK:      write z_place
// CHECK-NEXT: (index i32 "{ z_add_place[i] -> [(i)] }") (const i32 -1))
// CHECK:      stmt z_add_own point {{.*}} z_add_own[j, d] :
// CHECK:      (add (carry f32 0) (select (le (const i64 0) (cast i64 (gather z_place5 (step i64 0))))
// CHECK-SAME: (gather g (add (mul (select {{.*}} (const i64 0)) (index i64 {{.*}} [(D)] }")) (index i64 {{.*}} [(d)] }"))) (const f32 -0))
// Of known sizes the keys have the bits that they need.
// RUN: %cetane build %s -D N=1000000 -D M=65536 -D D=8 --emit=poly --stop-after=cut -o - \
// RUN:   | FileCheck %s --check-prefix=FIXED
// FIXED:      write y_key3
// FIXED-NOT:  y_key4
// In the order of the text a cell goes on from what it begins with, which it computes.
// RUN: %cetane build %s --fp=strict --emit=poly --stop-after=cut -o - \
// RUN:   | FileCheck %s --check-prefix=STRICT
// STRICT-NOT: stmt y_start
// STRICT:     stmt y_add_own
// STRICT-NEXT: write y "{ y_add_own[j] -> y[(j)] }"{{$}}
// STRICT-NEXT: (loop 0 1 {{.*}} (read y0 "{ y_add_own[j] -> y0[(j)] }") (add (carry f32 0)
// Sums of integers, and floats of class relaxed, are made in memory at once; of few terms
// each cell asks.
// RUN: %cetane build %s --fp=relaxed --emit=poly --stop-after=cut -o - \
// RUN:   | FileCheck %s --check-prefix=ATOMIC
// ATOMIC-NOT: scatter
// RUN: %cetane build %s -D N=100 -D M=300 -D D=8 --emit=poly --stop-after=cut -o - \
// RUN:   | FileCheck %s --check-prefix=ATOMIC
// Numbers of terms and cells are those of 32 bits: of open sizes the text has to say so.
// RUN: sed '/^assume/d' %s > %t.dsl
// RUN: %cetane build %t.dsl --emit=poly --stop-after=cut -o - \
// RUN:   | FileCheck %s --check-prefix=ATOMIC
param N, M, D;
assume N <= 1073741824, M <= 1073741824;
tensor i32 k(N), c(N); tensor f32 x(N), y0(M), g(N,D);
y(j) = y0(j);
out y(k(i)) += x(i);
z(j,d) for 0 <= j < M, 0 <= d < D = f32(0);
out z(k(i),d) += g(i,d);
h(j) for 0 <= j < M = i32(0);
out h(k(i)) += c(i);
