// Check sums whose lanes are more than a warp has: the threads of a block share a
// row where rows are long or few, and put what their warps have got into shared
// memory. What the row held before is not read again.
// RUN: %cetane build %s -D M=1024 -D N=16384 --emit=ptx -o - | FileCheck %s
// CHECK:         .reqntid 512, 1, 1
// CHECK-COUNT-8: ld.global.nc.v4.b32
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK:         st.shared
// CHECK:         bar.sync
// CHECK:         ld.shared.v4.b32
// CHECK-NOT:     {{shfl|bar.sync|.local|ld.global}}
//
// A row is long if each of 128 threads has as much to load as it has under way at
// one time: four runs, or sixteen elements where rows begin anywhere.
// RUN: %cetane build %s -D M=4096 -D N=2048 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=LONG
// RUN: %cetane build %s -D M=4096 -D N=2049 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=LONG
// LONG: .reqntid 128, 1, 1
// RUN: %cetane build %s -D M=4096 -D N=2044 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=WARPS
// RUN: %cetane build %s --emit=ptx -o - | FileCheck %s --check-prefix=WARPS
// WARPS: .reqntid 32, 8, 1
//
// Sums of one kernel have the same lanes, whatever else they read, where rows are too
// long for the registers of a block, and there are no clusters (rows.dsl).
// RUN: sed -e 's/^out y/y/' -e '$a tensor f64 v(N);' \
// RUN:   -e '$a out z(i) = sum(j: f64(A(i,j)) * v(j)) + f64(y(i));' %s > %t.two.dsl
// RUN: %cetane build %t.two.dsl -D M=4096 -D N=40960 --arch=sm_80 --emit=poly \
// RUN:   -o - | FileCheck %s --check-prefix=SAME
// SAME-DAG: write y {{.*}} across 512{{$}}
// SAME-DAG: write z_sum {{.*}} across 512{{$}}
//
// Sums across memory have lanes that go down: neighbouring threads go through
// neighbouring columns, and the rows of a block share each of them. A block with
// fewer columns has all of its threads at the barrier.
// RUN: sed 's/A(i,j) . x(j)/A(j,i) * x(j)/; s/A(M,N)/A(N,M)/' %s > %t.down.dsl
// RUN: %cetane build %t.down.dsl -D M=1000 -D N=3001 --emit=poly -o %t.poly
// RUN: FileCheck %s --check-prefix=DOWN < %t.poly
// DOWN: write y {{.*}} reduce add across 128 down
// DOWN: naive thread 128 8
// RUN: %cetane run %t.down.dsl -D M=70 -D N=301 --sanitize=all --verify=full \
// RUN:   | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: verified against the interpreter
//
// The checks see groups of another size than the block's, those that lie along
// t1, and a column that would not come to the barrier, in front or between others.
// RUN: sed 's/ across 128 down/ across 64 down/' %t.poly > %t.two.poly
// RUN: not %cetane build %t.two.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: sed 's/ across 128 down/ across 128/' %t.poly > %t.along.poly
// RUN: not %cetane build %t.along.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALONG
// RUN: sed '/y_add_end\[/s/< M/< M - 1/g' %t.poly > %t.lone.poly
// RUN: not %cetane build %t.lone.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LONE
// RUN: sed '/ y_[a-z_]*\[i/s/0 <= i\(0\?\) < M/0 <= i\1 < M and (i\1) mod 3 <= 1/' \
// RUN:   %t.poly > %t.hole.poly
// RUN: not %cetane build %t.hole.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LONE
// TWO: error[E309]
// ALONG: error[E306]
// LONE: error[E310]
param M, N;
tensor f32 A(M,N), x(N);
out y(i) = sum(j: A(i,j) * x(j));
