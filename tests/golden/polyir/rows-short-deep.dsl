# Check that a thread has as many of short rows as it takes to keep memory busy: what it
# loads of a row of three is three elements, whatever room it has for them.
# RUN: %cetane build %s -DB=64 -DC=128 -DN=8193 --arch=sm_90a --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DB=2 -DC=3 -DN=4099 --device=host --sanitize=all
# CHECK: kernel rows_short_deep_Y tiled thread 256 1 tile 2048 8
#
# What all rows share is in the cache, whatever its elements: a thread has four rows.
# RUN: sed -n 's/^#SHARED: //p' %s > %t.dsl
# RUN: %cetane build %t.dsl -DM=262144 -DN=128 --arch=sm_90a --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=CACHE
# RUN: %cetane run %t.dsl -DM=1031 -DN=128 --device=host --sanitize=all
# CACHE: kernel {{.*}} tiled thread 32 8 tile 64 128
#SHARED: param M, N;
#SHARED: tensor bf16 x(M,N);
#SHARED: tensor f32 w(N);
#SHARED: out s(i) = sum(j: exp(-abs(f32(x(i,j)) * w(j))));
param B, C, N;
tensor f32 X(B,C,N);
out Y(b,c,i) for 0 <= i < (N-1)/2 = max(p for 0 <= p < 3: X(b,c,2*i+p));
