# Check that what adds the parts of a sum, once a row, stands with the rest that does, in a
# kernel whose rows follow it.
# RUN: %cetane inspect %s -DB=384 -DC=4 -DD=512 --arch=sm_90a | FileCheck %s
# RUN: %cetane run %s -DB=384 -DC=4 -DD=64 --arch=sm_90a --sanitize=all
# CHECK: computes {{.*}}s_sum_part
# CHECK: computes {{.*}}s_sum_add_end {{.*}}d_max
# CHECK-NOT: computes
param B, C, D;
tensor f32 x(B,D);
tensor f32 y(B,C);
s(k,l) = sum(b: x(b,l) * y(b,k)) / sqrt(f32(B));
t(k,l) = tanh(max(sigmoid(s(k,l)) + s(k,l), 0.0));
u(k,l) = max(exp(-abs(t(k,l))) - s(k,l), 0.0);
v(j,k,l) = tanh(y(j,k) * u(k,l));
out d(k,l) max= v(j,k,l);
