# Check that rows which are short, begin anywhere, and lie beside those of another loop are one
# with them: a block goes through a piece of memory, and other blocks have no sectors of it.
# RUN: %cetane inspect --explain %s -DA=131072 -DB=8 -DC=17 --arch=sm_90a | FileCheck %s
# RUN: %cetane run %s -DA=7919 -DB=8 -DC=17 --device=host --sanitize=all
# CHECK: block 32 x 8 threads
# CHECK: tile 160 x 16 points
# CHECK: reads x bf16 sectors 2, at least 2
# CHECK: writes y bf16 sectors 2, at least 2
#
# Rows whose runs begin with them, or that are no neighbours, stay as they are.
# RUN: %cetane build %s -DA=131072 -DB=8 -DC=16 --emit=poly -o - | FileCheck %s --check-prefix=RUNS
# RUNS: kernel {{.*}} vec 1 4 {{.*}} batch "[B]
# RUN: sed 's/x(i,j,k)/x(j,i,k)/; s/x(A,B,C)/x(B,A,C)/' %s > %t.dsl
# RUN: %cetane build %t.dsl -DA=131072 -DB=8 -DC=17 --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=APART
# APART-NOT: floor((y1)
param A, B, C;
tensor bf16 x(A,B,C);
tensor f32 c(C);
out y(i,j,k) = bf16(f32(x(i,j,k)) + c(k));
