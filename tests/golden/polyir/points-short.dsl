# Check that points of two short loops have threads along a third one as well, if they are
# many in all.
# RUN: %cetane build %s -DA=128 -DB=4096 -DC=2 -DD=3 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DA=2 -DB=87382 -DC=2 -DD=3 --device=host
# RUN: %cetane run %s -DA=3 -DB=3 -DC=2 -DD=58300 --device=host
# CHECK: at "{ [y0, y1, y3] -> Y_def[(y3), (floor((y0)/2)), ((y0) mod 2), (y1)] }"
# CHECK: kernel points_short_Y tiled thread 64 4 tile 64 4 {{.*}}batch "{ [(128)] }"
param A, B, C, D;
tensor f32 x(A,B,C,D), s(D,C);
out Y(i,j,k,l) = x(i,j,k,l) * s(l,k) + 1.0;
