# Check that two instances are found where loops over a prime number of elements are cut
# into parts: all coordinates at once took longer than a compile may.
# RUN: %cetane inspect %s --explain -DA=33554393 | FileCheck %s
# CHECK: _s and {{.*}}_t_part stay two kernels:
# CHECK-SAME: [A = 8193] s_init[] must come before s_load[1]
param A;
tensor f32 x(A);
s() += x(i);
out t() = max(i: x(i) * s());
