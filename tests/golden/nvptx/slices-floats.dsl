# Check that blocks have slices of an array of floats where these are few: shared memory adds
# floats by compare-and-swap, so that eight looks at each update take longer than memory does.
# RUN: %cetane build %s -D M=65536 --arch=sm_90a --fp=relaxed --emit=poly -o - | FileCheck %s
# RUN: %cetane build %s -D M=196608 --arch=sm_90a --fp=relaxed --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=MEMORY
param M;
tensor i32 k(16777216); tensor f32 x(16777216), y0(M);
y(j) = y0(j);
out y(k(i)) += x(i);
# CHECK:  kernel slices_floats_y2 naive thread 1 1024 {{.*}} near slice 21846
# MEMORY: kernel slices_floats_y2 naive thread 1 256 tile 1 256 0 grid
