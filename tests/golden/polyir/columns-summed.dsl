# Check that a thread has twice as many elements of columns that it adds up as of those that it
# keeps: of a line of memory then, where a cluster would have half of one.
# RUN: %cetane build %s -DM=4096 -DN=32768 --arch=sm_90a --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DM=4096 -DN=130 --device=host --sanitize=all
# CHECK: kernel columns_summed_Y tiled thread 16 32 tile 512 64
#
# RUN: sed -n 's/^#DIVIDED //p' %s > %t.dsl
# RUN: %cetane build %t.dsl -DM=4096 -DN=32768 --arch=sm_90a --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=KEPT
# KEPT: tiled thread 32 16 tile 512 32
#DIVIDED param M, N;
#DIVIDED tensor bf16 X(M,N);
#DIVIDED s(j) = sum(i: f32(X(i,j)));
#DIVIDED out Y(i,j) = bf16(f32(X(i,j)) / s(j));
param M, N;
tensor bf16 X(M,N);
out Y(j) = bf16(sum(i: f32(X(i,j))));
