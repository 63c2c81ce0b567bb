# Check that blocks have slices of an array that no block has room for a copy of, each block
# those of its row, that all look at each update, and that lanes that have nothing to update
# do not meet; that few updates go to memory; and that an array too long for slices has none.
# RUN: %cetane build %s -D N=4000000 --emit=ptx -o - | FileCheck %s
# RUN: %cetane build %s -D N=4000000 --emit=poly -o - | FileCheck %s --check-prefix=POLY
# RUN: %cetane build %s -D N=4000000 --emit=poly -o %t.poly
# RUN: %cetane build %t.poly --from=poly --emit=poly -o - | diff %t.poly -
# RUN: sed 's/slice 21846/slice 21845/' %t.poly > %t.wrong
# RUN: not %cetane build %t.wrong --from=poly --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: %cetane build %s -D N=5000 --emit=poly -o - | FileCheck %s --check-prefix=LESS
# RUN: %cetane run %s -D N=400003 --seed=3 --sanitize=bounds,race
param N;
tensor i32 bin(N), image(300,700);
long(b) for 0 <= b < 65536 = i32(3);
out long(bin(i)) += 1;
longer(b) for 0 <= b < 1000000 = i32(0);
out longer(bin(i)) += 1;
two(a,b) for 0 <= a < 300, 0 <= b < 299 = i64(7);
out two(bin(i) / 7 % 300, bin(i) % 299) max= i64(bin(i));
all(b) for 0 <= b < 65536 = i32(0);
out all(image(i,j)) += 1;
# CHECK-LABEL: .entry slices_longer2(
# CHECK-NOT:   atom.shared
# CHECK:       atom.global.add.u32
# CHECK-LABEL: .entry slices_long2(
# CHECK:       bar.sync
# CHECK:       mul{{.*}}21846
# CHECK:       ld.global.nc.b32
# CHECK-NOT:   bra
# CHECK:       atom.shared.add.u32
# CHECK:       bar.sync
# CHECK:       atom.global.add.u32
# POLY-DAG:    kernel slices_two2 naive thread 1 1024 tile 1 1024 0 near slice 43 grid "{ [(7)] }"
# POLY-DAG:    kernel slices_all2 naive thread 1 1024 tile 1 1024 0 near slice 21846
# POLY-DAG:    kernel slices_long2 naive thread 1 1024 tile 1 1024 0 near slice 21846 grid "{ [(3)] }"
# WRONG:       does more than update a few cells that data tell
# LESS-NOT:    kernel slices_{{l|t}}{{.*}} near
