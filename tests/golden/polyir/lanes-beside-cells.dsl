// Check that lanes of a sum go along the array that the sum goes through, though what
// its cells have for themselves, m and s, lies along the cells; and across, where that
// array does.
// RUN: %cetane inspect %s --arch=sm_90a | FileCheck %s
// RUN: %cetane inspect %s --arch=sm_90a -D M=4096 -D N=65536 | FileCheck %s
// CHECK-NOT: _part{{$}}
// CHECK:     kernel lanes_beside_cells_c{{$}}
// CHECK:     reads X f32 sectors 4, at least 4
// CHECK-NOT: _part{{$}}
// CHECK:     kernel lanes_beside_cells_s{{$}}
// CHECK:     grid 1 x {{(4096|.M . 7. / 8)}}:
// CHECK:     reads X f32 sectors {{(4|16)}}, at least 4
param M, N;
tensor f32 X(M,N), m(M), k(N);
out s(i) = sum(j: exp(X(i,j) - m(i)));
out c(j) = sum(i: exp(X(i,j) - k(j)));
