# Rows of a fixed length are one kernel, however many there are.
# RUN: %cetane build %s --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DM=1 --parametric --device=host --sanitize=all
# RUN: %cetane run %s -DM=39 --parametric --device=host --sanitize=all
# CHECK: kernel rows_any_number_Y tiled {{.*}}grid "[M] -> {{.*}}
# CHECK-NOT: {{^}}kernel
# CHECK: schedule
param M;
tensor f32 X(M,300);
top(i) = max(j: X(i,j));
e(i,j) = exp(X(i,j) - top(i));
out Y(i,j) = e(i,j) / sum(k: e(i,k));
