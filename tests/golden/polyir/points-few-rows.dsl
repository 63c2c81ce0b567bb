# Check that a block has no more threads than there are squares of points for: 64 rows of
# small elements are those of eight threads, and 32 columns those of four.
# RUN: %cetane inspect --explain %s -DA=16 -DB=32 -DC=64 -DE=64 --arch=sm_90a | FileCheck %s
# RUN: %cetane run %s -DA=5 -DB=32 -DC=103 -DE=64 --device=host --sanitize=all
# CHECK: block 4 x 8 threads
# CHECK: reads x bf16 sectors 16, at least
# CHECK: writes y bf16 sectors 16, at least 16, 8 elements at once
param A, B, C, E;
tensor bf16 x(A,B,C,E);
out y(e,a,c,b) = x(a,b,c,e);
