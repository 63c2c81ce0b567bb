# Check that blocks have several tiles where each takes a warp and there are many: of blocks of one
# warp a multiprocessor has room for half as many warps. Each warp has a tile of its own, and
# those behind the last leave; a few tiles have a block each.
# RUN: %cetane inspect %s -DA=8449 -DB=3 -DC=8 --arch=sm_90a | FileCheck %s --check-prefix=MANY
# RUN: %cetane inspect %s -DA=2200 -DB=3 -DC=8 --arch=sm_90a | FileCheck %s --check-prefix=TWO
# RUN: %cetane inspect %s -DA=2100 -DB=3 -DC=8 --arch=sm_90a | FileCheck %s --check-prefix=ONE
# RUN: %cetane build %s -DA=8449 -DB=3 -DC=8 --arch=sm_90a --emit=ptx -o - | FileCheck %s
# RUN: %cetane run %s -DA=8449 -DB=3 -DC=8 --arch=sm_90a --device=host
# RUN: %cetane run %s -DA=2201 -DB=4 -DC=5 --arch=sm_90a --device=host --semantics=ring
# MANY:      grid {{.*}}: 1 x 1057
# MANY:      block 8 x 32 threads
# MANY:      tile {{.*}} points, 8 tiles a block
# TWO:       grid {{.*}}: 1 x 1100
# TWO:       block 8 x 8 threads
# ONE:       grid {{.*}}: 1 x 2100
# ONE:       block 8 x 4 threads
# ONE:       tile {{.*}} points{{$}}
# CHECK:     shr.u32 [[TILE:%r[0-9]+]], {{%r[0-9]+}}, 2;
# CHECK:     mov.u32 [[BLOCK:%r[0-9]+]], %ctaid.y;
# CHECK:     shl.b32 [[FIRST:%r[0-9]+]], [[BLOCK]], 3;
# CHECK:     {{add.s32|or.b32}} [[MINE:%r[0-9]+]], [[FIRST]], [[TILE]];
# CHECK:     setp.gt.u32 {{%p[0-9]+}}, [[MINE]], 8448;
param A, B, C;
tensor f32 x(A,B,C);
m(i,k) = max(j: x(i,j,k));
out Y(i,j,k) = x(i,j,k) - m(i,k);
