// Check that a reduction of what a product computes begins in the product's tiles,
// which then need not be stored: a part of each line of a tile, from the registers of
// the line's threads.
// RUN: %cetane build %s -D M=4096 -D N=4096 -D K=1024 --arch=sm_90a --emit=poly \
// RUN:   -o %t.poly
// RUN: FileCheck %s < %t.poly
// CHECK:      array C f32 temp register
// CHECK:      array r_part f32 temp global "[M, N] -> { r_part[((1 + floor((-1 + N)/128))
// CHECK:      write r_part "{ r_max_fold[i, j] -> r_part[(floor((j)/128)), (i)] }" reduce max fold
// CHECK-NEXT: value (abs (add (read C
// CHECK:      value (read r_part
// CHECK:      member r_max_fold
// CHECK:      kernel {{.*}}_C tiled {{.*}} tile 128 128
// CHECK-NEXT: kernel {{.*}}_r naive
// CHECK-NOT:  {{^}}kernel
// Threads of a line that are in one warp need no barrier behind the product.
// RUN: %cetane build %s -D M=4096 -D N=4096 -D K=1024 --arch=sm_90a --emit=ptx \
// RUN:   -o - | FileCheck %s --check-prefix=ROWS
// ROWS:          entry {{.*}}_C(
// ROWS:          shfl.sync.bfly.b32 {{.*}}, 8, 31, -1;
// ROWS-NOT:      bar.sync
// ROWS-COUNT-16: st.global.b32
// ROWS-NOT:      st.global
// ROWS:          entry {{.*}}_r(
// What goes through several warps does, once for all columns of a thread.
// RUN: sed -e 's/max= abs.*/= sum(i: C(i,j));/; s/r(i)/r(j)/' %s > %t.dsl
// RUN: %cetane build %t.dsl -D M=4096 -D N=4096 -D K=1024 --arch=sm_90a --emit=ptx \
// RUN:   -o - | FileCheck %s --check-prefix=COLUMNS
// COLUMNS:         entry {{.*}}_C(
// COLUMNS:         shfl.sync.bfly.b32 {{.*}}, 16, 31, -1;
// COLUMNS-COUNT-8: st.shared.b32
// COLUMNS:         bar.sync
// COLUMNS-NOT:     bar.sync
// COLUMNS-COUNT-8: st.global.b32
// COLUMNS-NOT:     st.global
// COLUMNS:         entry {{.*}}_r(
// Not where what is reduced is read again in any case, or in an order that counts;
// where the rows of a tile are not whole; where sizes are not known.
// RUN: sed -e "\$a out D(i,j) = C(i,j) - r(i);" %s > %t.dsl
// RUN: %cetane build %t.dsl -D M=4096 -D N=4096 -D K=1024 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=APART
// RUN: sed -e 's/max= abs(/+= (/' %s > %t.dsl
// RUN: %cetane build %t.dsl -D M=4096 -D N=4096 -D K=1024 --fp=strict --emit=poly \
// RUN:   -o - | FileCheck %s --check-prefix=APART
// RUN: sed -e 's/ max= .*/ = sum(j for 0<=i<M, 0<=j<N, j>=i: C(i,j));/' %s > %t.dsl
// RUN: %cetane build %t.dsl -D M=4096 -D N=4096 -D K=1024 --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=APART
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=APART
// RUN: env CETANE_DEBUG=unfolded %cetane build %s -D M=4096 -D N=4096 -D K=1024 \
// RUN:   --emit=poly -o - | FileCheck %s --check-prefix=APART
// APART-NOT: fold{{$}}
// The checks see parts of another width than the tile's, two lines with one part,
// a line that does not begin with its tile, and a fold of what is no temporary.
// RUN: sed -e '/write r_part.*fold$/s/128/64/' %t.poly > %t.narrow.poly
// RUN: not %cetane build %t.narrow.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWNER
// RUN: sed -e '/write r_part.*fold$/s/128/256/' %t.poly > %t.wide.poly
// RUN: not %cetane build %t.wide.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWNER
// RUN: sed -e '/write r_part.*fold$/s/, (i)\]/, (floor((i)\/2))]/' %t.poly > %t.two.poly
// RUN: not %cetane build %t.two.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWNER
// RUN: sed -e '/r_max_fold\[/s/0 <= j < N/0 < j < N/' %t.poly > %t.late.poly
// RUN: not %cetane build %t.late.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWNER
// RUN: sed -e 's/reduce max across 8 down/reduce max across 8 down fold/' %t.poly > %t.odd.poly
// RUN: not %cetane build %t.odd.poly --from=poly --emit=ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ODD
// OWNER: error[E310]: {{.*}}r_max_fold
// ODD:   r_max_end is no fold
param M, N, K;
tensor f32 A(M,K), B(K,N), b(N);
C(i,j) = sum(k: A(i,k) * B(k,j));
out r(i) max= abs(C(i,j) + b(j));
