# Check that a map that only a store needs comes behind the sums of a row, unless that
# keeps more rows than it makes.
# RUN: %cetane build %s -DA=4096 -DB=8192 --stop-after=rows --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DA=5 -DB=300 --device=host --sanitize=all
# CHECK: {{^}}schedule
# CHECK: filter "{ x_load[i, j] }"
# CHECK: filter "{ d_add[i, j] }"
# CHECK: filter "{ e_def[i, j] }"
# CHECK: filter "{ E_def[i, j] }"
# CHECK: filter "{ z_load[i, j] }"
# CHECK: filter "{ y_load[i, j] }"
# CHECK: filter "{ g_def[i, j] }"
# CHECK: filter "{ f_add[i, j] }"
# CHECK: filter "{ G_def[i, j] }"
param A, B;
tensor f32 x(A,B);
tensor f32 y(A,B);
tensor f32 z(A,B);
d(i) = sum(j: abs(x(i,j)));
out D(i) = d(i);
e(i,j) = exp(-abs(x(i,j)));
out E(i,j) = e(i,j) + e(i,j) * e(i,j);
f(i) = sum(j: y(i,j) * y(i,j) + abs(z(i,j)));
out F(i) = f(i);
g(i,j) = exp(y(i,j) * z(i,j));
out G(i,j) = g(i,j) + g(i,j) * g(i,j);
