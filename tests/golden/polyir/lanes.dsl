// Check sums along rows: the lanes of a warp share a row, 16 bytes each at a
// time, with several loads under way, and put their sums together.
// RUN: %cetane build %s -D M=4096 -D N=1920 --emit=ast -o - | FileCheck %s
// CHECK-NOT:  kernel:
// CHECK:      // kernel:lanes_y
// CHECK:        if (t1 == 0)
// CHECK-NEXT:     y_init(8 * b0 + t0);
// CHECK-NEXT:   y_add_begin(8 * b0 + t0, t1);
// CHECK-NEXT:   for (int [[K:c[0-9]+]] = 0; [[K]] <= 14; [[K]] += 1) {
// CHECK-NEXT:     y_add(8 * b0 + t0, t1, [[K]], 0);
// CHECK:          y_add(8 * b0 + t0, t1, [[K]], 3);
// CHECK-NEXT:   }
// CHECK-NEXT:   y_add_end(8 * b0 + t0, t1);
// CHECK-NOT:  kernel:
// RUN: %cetane build %s -D M=4096 -D N=1920 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=PTX
// PTX-COUNT-8: ld.global.nc.v4.b32
// PTX:         bra
// PTX-COUNT-5: shfl.sync.bfly.b32 {{.*}}, -1;
// PTX-NOT:     {{shfl|bar.sync|.local}}
//
// A row of two rounds is no loop, and its loads stay whole.
// RUN: %cetane build %s -D M=16384 -D N=1024 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=TWICE
// TWICE-NOT:      ld.global.nc.b32
// TWICE-COUNT-16: ld.global.nc.v4.b32
// TWICE-NOT:      ld.global
//
// Rows of an odd length: single elements, still side by side, and more of them
// under way, also at the end, which is no loop. Short rows have fewer lanes, whose groups do not wait for others.
// RUN: %cetane build %s -D M=4096 -D N=2047 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=ODD
// ODD-COUNT-32: ld.global.nc.b32
// ODD:          bra
// ODD-COUNT-30: ld.global.nc.b32
// ODD-NOT:      bra
// ODD-COUNT-5:  shfl.sync.bfly.b32
// RUN: %cetane build %s -D M=4096 -D N=32 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=SHORT
// SHORT:     .reqntid 8, 32, 1
// SHORT:     mov.b32 [[ALL:%r[0-9]+]], 255;
// SHORT:     shl.b32 [[MASK:%r[0-9]+]], [[ALL]],
// SHORT:     shfl.sync.bfly.b32 {{.*}}, 4, 31, [[MASK]];
// SHORT:     shfl.sync.bfly.b32 {{.*}}, 2, 31, [[MASK]];
// SHORT:     shfl.sync.bfly.b32 {{.*}}, 1, 31, [[MASK]];
// SHORT-NOT: shfl
//
// Where sums must keep their order, and where rows are few, there are no lanes.
// RUN: %cetane build %s -D M=4096 -D N=1920 --fp=strict --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: %cetane build %s -D M=4 -D N=8192 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE-NOT: across
// NONE:     have {{.*}} mapping
//
// The checks see a group that is cut in two, one with a lane too few, and a
// value that is put together in another thread than it was made in.
// RUN: %cetane build %s -D M=4096 -D N=1920 --emit=poly -o %t.poly
// RUN: sed 's/ across 32/ across 16/' %t.poly > %t.two.poly
// RUN: not %cetane build %t.two.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// TWO: error[E309]: {{.*}} y_init[0] and y_add_end[0, 16]
// RUN: sed '/y_add_end/s/_part <= 31/_part <= 30/g' %t.poly > %t.lane.poly
// RUN: not %cetane build %t.lane.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LANE
// LANE: error[E310]: {{.*}} y_add_end
// RUN: sed -e '/y_add_end.*b1/s/_part = 32b1 + t1/_part = 31 - 32b1 - t1/' \
// RUN:   -e 's/\(y_add_end.*\), (\(j_part\))\]/\1, (31 - \2)]/' \
// RUN:   %t.poly > %t.thread.poly
// RUN: not %cetane build %t.thread.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=THREAD
// THREAD: error[E306]: {{.*}} y_add_begin[0, 16] {{.*}} y_add_end[0, 16]
param M, N;
tensor f32 A(M,N), x(N);
out y(i) = sum(j: A(i,j) * x(j));
