# Check that points which arrays lie along both axes of have runs along the shorter one, where
# that has fewer values than a run: all that a thread stores is side by side, and so is what a
# warp reads and stores.
# RUN: %cetane inspect --explain %s -DA=65521 -DB=256 -DC=2 --arch=sm_90a | FileCheck %s
# RUN: %cetane run %s -DA=4096 -DB=256 -DC=2 --device=host --sanitize=all
# RUN: %cetane run %s -DA=2048 -DB=301 -DC=3 --device=host --sanitize=all
# CHECK: tile 2 x 256 points
# CHECK: reads x bf16 sectors 2, at least 2
# CHECK: writes y bf16 sectors 4, at least 4, 2 elements at once
param A, B, C;
tensor bf16 x(A,C,B);
out y(i,j,k) = bf16(abs(f32(x(i,k,j))) * 0.5);
