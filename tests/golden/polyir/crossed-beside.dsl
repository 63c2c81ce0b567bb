# Check that rows of less than a line of memory are one with those of the next loop where what
# is read lies across them: a block writes whole lines.
# RUN: %cetane inspect --explain %s -DA=64 -DB=32 -DC=32 -DD=32 -DE=64 --arch=sm_90a \
# RUN:   | FileCheck %s
# RUN: %cetane build %s -DA=64 -DB=32 -DC=32 -DD=32 -DE=64 --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=LOOPS
# RUN: %cetane run %s -DA=3 -DB=32 -DC=6 -DD=32 -DE=64 --device=host --sanitize=all
# RUN: %cetane run %s -DA=3 -DB=29 -DC=7 -DD=31 -DE=61 --device=host --sanitize=all
# CHECK: tile 64 x 64 points
# CHECK: shared 8448 bytes
# CHECK: reads x bf16 sectors 2, at least 2
# CHECK: writes y bf16 sectors 2, at least 2
# LOOPS: {{floor\(\(y1\)/32\)}}
#
# Rows of a line are those of a loop.
# RUN: %cetane build %s -DA=64 -DB=64 -DC=32 -DD=32 -DE=64 --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=LINES
# LINES-NOT: floor((y1)
param A, B, C, D, E;
tensor bf16 x(A,B,C,D,E);
out y(e,c,a,d,b) = x(a,b,c,d,e);
