// Check that a loop that does not begin at 0 is not merged with others of its axis: the axis
// would have turns without points.
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s
// RUN: %cetane run %s --device=host
// CHECK: stmt C_add point
// CHECK: at "{ [y0, y1, y2, y5] -> C_add[(floor((y0)/8)), (floor((y1)/16)), ((y0) mod 8), ((y1) mod 16), (y5), (y2)] }"
tensor f32 A(9,12,8,20), B(20,10,12,16);
out C(i,j,p,q) for 3 <= k < 12 += A(i,k,p,l) * B(l,j,k,q);
