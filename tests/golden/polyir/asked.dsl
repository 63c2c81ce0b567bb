# Check that of remainders by which points are left out, those after the first are asked
# where the points run: as sets, the points of the last definition have 128 pieces, and isl
# did not come to an end with them. What is asked leaves 0, as what stands in no range
# does; a sum over it adds what changes nothing; and a definition whose reads need a
# condition keeps all of them as sets.
# RUN: %cetane build %s --emit=poly --stop-after=cut -o - | FileCheck %s
# RUN: for out in a b c s u e; do \
# RUN:   sed -n "/^param/p;/^tensor/p;/^t(/p;/^out $out(/p" %s >%t.$out.dsl || exit 1; \
# RUN:   %cetane run %t.$out.dsl -D N=41 -D M=37 --arch=sm_90a --device=host \
# RUN:     --sanitize=bounds,uninit,race || exit 1; done | FileCheck %s --check-prefix=RIGHT
# RUN: %cetane inspect %t.e.dsl --arch=sm_90a 2>&1 | FileCheck %s --check-prefix=GRID
# CHECK:      stmt a_rest point "[N] -> { a_rest[i] : (-1 + i) mod 3 = 0 and 0 < i < N }"
# CHECK:      stmt a_def
# CHECK-NEXT:   write a
# CHECK-NEXT:   value (branch (ne (index i64 "{ a_def[i] -> [((i) mod 7)] }") {{.*}} (add (read x {{.*}} (const f32 0))
# CHECK:      stmt b_def
# CHECK-NEXT:   write b
# CHECK-NEXT:   value (read x
# CHECK:      stmt c_init
# CHECK-NEXT:   write c
# CHECK-NEXT:   value (const f32 0)
# CHECK-NEXT: stmt c_add
# CHECK-NEXT:   write c {{.*}} reduce add
# CHECK-NEXT:   value (branch (and (ne {{.*}} (le {{.*}} (read y {{.*}} (const f32 0))
# CHECK:      stmt d_min
# CHECK-NEXT:   write d {{.*}} reduce min
# CHECK-NEXT:   value (branch (and (ne {{.*}} (const f32 inf))
# CHECK:      stmt s_prod_mul
# CHECK-NEXT:   write s_prod {{.*}} reduce mul
# CHECK-NEXT:   value (branch {{.*}} (const f32 1))
# CHECK:      stmt m_max
# CHECK-NEXT:   write m {{.*}} reduce max
# CHECK-NEXT:   value (read x
# GRID-NOT:   R323
# GRID:       block 32 x 8 threads
# RIGHT-COUNT-6: verified
param N, M;
tensor f32 x(N), y(N,M);
out a(i) for 0 <= i < N, i%3 != 1, i%7 != 2 = x(i) + 1.0;
out b(i) for 0 <= i < N, i%2 != 1, i%5 != 0 = x(i - 1);
out c(i) for 0 <= i < N, i%3 != 1, 0 <= j < M, j%4 != 0, (i + j)%7 <= 4 += y(i,j);
out d(i) for 0 <= i < N = min(j for 0 <= j < M, j%3 != 1, j%5 != 1, (i + j)%6 >= 2: y(i,j));
out s(i) for 0 <= i < N = 2*prod(j for 0 <= j < 5, (i + j)%3 != 1, (i + 2*j)%5 != 1: x(i));
out m(i) for 0 <= i < N, i%3 != 1, i%5 != 1, 0 <= j < i max= x(j);
t(i) for 0 <= i < N, i%3 != 1, i%4 != 1 = x(i) * 2.0;
out u(i) for 0 <= i < N, i%3 != 1, i%4 != 1, i%5 != 1 = t(i);
out e(i,j) for 0 <= i < N, 0 <= j < M, (i+j)%2 != 1, (i+j)%3 != 1, (i+j)%5 != 1, (i+j)%7 != 1, (i+j)%11 != 1, (i+j)%13 != 1, (i+j)%17 != 1, (i+j)%19 != 1 += y(i,j);
