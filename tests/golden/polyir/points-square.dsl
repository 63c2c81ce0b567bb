# Check that a warp has as many bytes of a line along both axes where arrays lie along both, and
# what lies along axis 0 is written: that is no run of 16 bytes in each of 32 lines, half of a
# sector. What is only read may be so.
# RUN: %cetane inspect --explain %s -DA=4096 -DB=8192 --arch=sm_90a | FileCheck %s
# RUN: %cetane run %s -DA=512 -DB=264 --device=host --sanitize=all
# RUN: %cetane run %s -DA=519 -DB=264 --device=host --sanitize=all
# CHECK: block 8 x 32 threads
# CHECK: reads x f32 sectors 16, at least 16, 4 elements at once
# CHECK: writes y f32 sectors 16,
param A, B;
tensor f32 x(A,B);
tensor f32 z(A,B);
out y(j,i) = max(x(i,j), z(i,j));
