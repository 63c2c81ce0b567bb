// Check that rows whose lengths are data have as many lanes as leave a warp 96 steps in the
// mean, and that rows are long from four times the mean on.
// RUN: %cetane inspect %s --arch=sm_90a -DM=2097152 -DZ=16778899 \
// RUN:   | FileCheck %s --check-prefix=EIGHT
// RUN: %cetane inspect %s --arch=sm_90a -DM=2097152 -DZ=33554432 \
// RUN:   | FileCheck %s --check-prefix=SIXTEEN
// RUN: %cetane inspect %s --arch=sm_90a -DM=262144 -DZ=16760039 \
// RUN:   | FileCheck %s --check-prefix=SIXTY
// RUN: %cetane build %s --arch=sm_90a -DM=262144 -DZ=16760039 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=LONG-SIXTY
// RUN: %cetane build %s --arch=sm_90a -DM=16384 -DZ=16825051 --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=LONG-THOUSAND
// EIGHT:         kernel rows_lanes_y{{$}}
// EIGHT:         block {{ *}}2 x 128 threads
// SIXTEEN:       kernel rows_lanes_y{{$}}
// SIXTEEN:       block {{ *}}4 x 64 threads
// SIXTY:         kernel rows_lanes_y{{$}}
// SIXTY:         block {{ *}}16 x 16 threads
// LONG-SIXTY:    .entry rows_lanes_y(
// LONG-SIXTY:    setp.lt.u64 {{.*}}, 769;
// LONG-THOUSAND: .entry rows_lanes_y(
// LONG-THOUSAND: setp.lt.u64 {{.*}}, 4108;
param M, Z;
tensor i32 row(M+1), col(Z);
tensor f32 val(Z), x(M);
assume 0 <= col < M;
out y(i) = sum(j for row(i) <= j < row(i+1): val(j) * x(col(j)));
