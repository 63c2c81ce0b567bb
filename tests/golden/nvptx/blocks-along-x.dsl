# Check that a column of more blocks than a grid has along y lies along x, where none is left
# over: along y and z 65,537 blocks would be 131,070.
# RUN: %cetane inspect %s -DA=65537 -DB=2 -DC=33 --arch=sm_90a | FileCheck %s --check-prefix=GRID
# RUN: %cetane inspect %s -DA=65535 -DB=2 -DC=33 --arch=sm_90a | FileCheck %s --check-prefix=LESS
# RUN: %cetane build %s -DA=65537 -DB=2 -DC=33 --arch=sm_90a --emit=ptx -o - | FileCheck %s
# RUN: %cetane run %s -DA=65537 -DB=2 -DC=33 --arch=sm_90a --device=host
# GRID:      grid {{.*}}: 65537 x 1
# LESS:      grid {{.*}}: 1 x 65535
# CHECK:     mov.u32 {{.*}}, %ctaid.x;
# CHECK-NOT: %ctaid
param A, B, C;
tensor f32 x(A,B,C);
m(i,k) = max(j: x(i,j,k));
out Y(i,j,k) = x(i,j,k) - m(i,k);
