# Check that sums over several loops into few cells are divided along all of them, and that
# no thread is left with thousands of parts. One along rows of all that lies side by side
# is a row program.
# RUN: %cetane build %s -DA=64 -DB=8192 -DC=16 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DA=3 -DB=61 -DC=257 --device=host --sanitize=all
# RUN: %cetane run %s -DA=64 -DB=64 -DC=64 --device=host --sanitize=all
# RUN: %cetane run %s -DA=2 -DB=300 -DC=12 --device=host --sanitize=all
# CHECK-NOT: array t_part
# CHECK: array s_part f32 temp global "{ s_part[(32), (2048)] }"
# CHECK: array s_part2 f32 temp global "{ s_part2[(1024)] }"
# CHECK: array u_part f32 temp global "[C] -> { u_part[(4), (2048), (C)] }"
# CHECK: array u_part2 f32 temp global "[C] -> { u_part2[(128), (C)] }"
param A, B, C;
tensor f32 x(A,B,C);
out s() = sum(i, j, k: abs(x(i,j,k)));
out t(i) = max(j, k: x(i,j,k) * 2.0);
out u(k) = sum(i, j: abs(x(i,j,k)));
