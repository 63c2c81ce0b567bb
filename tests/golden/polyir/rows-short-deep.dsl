# Check that a thread has as many of short rows as it takes to keep memory busy: what it
# loads of a row of three is three elements, whatever room it has for them.
# RUN: %cetane build %s -DB=64 -DC=128 -DN=8193 --arch=sm_90a --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DB=2 -DC=3 -DN=4099 --device=host --sanitize=all
# CHECK: kernel rows_short_deep_Y tiled thread 256 1 tile 2048 8
param B, C, N;
tensor f32 X(B,C,N);
out Y(b,c,i) for 0 <= i < (N-1)/2 = max(p for 0 <= p < 3: X(b,c,2*i+p));
