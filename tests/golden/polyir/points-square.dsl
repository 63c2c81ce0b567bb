# Check that a warp has as many bytes of a line along both axes where arrays lie along both: what
# lies along axis 0 is no run of 16 bytes in each of 32 lines, half of a sector.
# RUN: %cetane inspect --explain %s -DA=4096 -DB=8192 --arch=sm_90a | FileCheck %s
# RUN: %cetane inspect --explain %s -DA=4093 -DB=8192 --arch=sm_90a | FileCheck %s --check-prefix=ODD
# RUN: %cetane run %s -DA=512 -DB=264 --device=host --sanitize=all
# RUN: %cetane run %s -DA=519 -DB=264 --device=host --sanitize=all
# CHECK: block 8 x 32 threads
# CHECK: reads x f32 sectors 16,
# CHECK: writes y f32 sectors 16, at least 16, 4 elements at once
# ODD: block 16 x 16 threads
# ODD: reads x f32 sectors 16, at least 16, 4 elements at once
# ODD: writes y f32 sectors 5,
param A, B;
tensor f32 x(A,B);
out y(j,i) = x(i,j);
