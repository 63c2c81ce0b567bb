# Check that short rows that begin anywhere are one with those of the next loop where what is read
# lies across them, too: it goes through shared memory.
# RUN: %cetane inspect --explain %s -DA=31 -DB=29 -DC=37 -DD=31 -DE=61 --arch=sm_90a \
# RUN:   | FileCheck %s
# RUN: %cetane build %s -DA=31 -DB=29 -DC=37 -DD=31 -DE=61 --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=LOOPS
# RUN: %cetane run %s -DA=3 -DB=29 -DC=7 -DD=31 -DE=61 --device=host --sanitize=all
# CHECK: shared {{[1-9][0-9]*}} bytes
# CHECK: reads x bf16 sectors 2, at least 2
# LOOPS: {{floor\(\(y1\)/29\)}}
#
# Rows whose runs begin with them are those of a loop.
# RUN: %cetane build %s -DA=64 -DB=32 -DC=32 -DD=32 -DE=64 --emit=poly -o - \
# RUN:   | FileCheck %s --check-prefix=LINES
# LINES-NOT: floor((y1)
param A, B, C, D, E;
tensor bf16 x(A,B,C,D,E);
out y(e,c,a,d,b) = x(a,b,c,d,e);
