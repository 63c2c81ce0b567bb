# Check that lanes of a sum in parts go along two loops as one where the rows of the inner one are
# short and lie beside one another in memory: 12 rows of 7 are 84 cells side by side.
# RUN: %cetane build %s -DA=262144 -DB=12 -DC=7 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DA=8209 -DB=12 -DC=7 --device=host --sanitize=all
# CHECK: kernel grid_beside_m_part_part {{.*}} thread 8 32 {{.*}} grid "{ [(128)] }" "[B, C] -> { [(1 + floor((-8 + 7B + C)/32))] }"
#
# Rows of a warp cost no more by themselves; neither do those that are elsewhere in memory.
# RUN: %cetane build %s -DA=65536 -DB=12 -DC=29 --emit=poly -o - | FileCheck %s --check-prefix=WARP
# WARP: kernel grid_beside_m_part_part {{.*}} grid "{ [({{[0-9]+}})] }" "[C] -> {{.*}} batch "[B]
# RUN: sed 's/m(j)/m(j,l)/; s/x(i,j,k)/x(i,l,j,k)/; s/x(A,B,C)/x(A,8,B,C)/' %s > %t.dsl
# RUN: %cetane build %t.dsl -DA=32768 -DB=12 -DC=7 --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=APART
# APART: kernel {{.*}}m_part_part naive {{.*}} "[C] -> {{.*}} batch "[B]
param A, B, C;
tensor f32 x(A,B,C);
out m(j) = max(i, k: abs(x(i,j,k)));
