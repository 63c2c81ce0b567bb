// Check that updates at places that data tell have blocks of 256 threads where there are many,
// as the device begins with one block after another, and that an update counts once, not once
// for each cell that it might go to.
// RUN: %cetane build %s -D N=16777216 --arch=sm_90a --fp=relaxed --emit=poly -o - | FileCheck %s
// RUN: %cetane build %s -D N=1000000 --arch=sm_90a --fp=relaxed --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=LESS
// RUN: %cetane inspect %s -D N=16777216 --arch=sm_90a --fp=relaxed --explain \
// RUN:   | FileCheck %s --check-prefix=WORK
param N;
tensor i32 k(N); tensor f32 x(N), y0(1048576);
y(j) = y0(j);
out y(k(i)) += x(i);
// CHECK: kernel long_lines_y2 naive thread 1 256
// LESS:  kernel long_lines_y2 naive thread 1 64
// WORK:  computes     y_add
// WORK:  work         50331648 operations
// WORK-NEXT: bytes
// WORK:  predicted    {{[3-4][0-9]+}} cycles
