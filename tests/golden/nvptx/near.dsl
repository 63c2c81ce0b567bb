# Check that blocks update a copy of few cells in shared memory, without branches between
# the updates, and then each cell of the array once; that this pays for more updates
# than cells only; and that floats are so only if any order will do.
# RUN: %cetane build %s -D N=1000000 --emit=ptx -o - | FileCheck %s
# RUN: %cetane build %s -D N=1000000 --emit=poly -o - | FileCheck %s --check-prefix=POLY
# RUN: %cetane build %s -D N=900 --emit=poly -o - | FileCheck %s --check-prefix=LESS
# RUN: %cetane build %s -D N=1000000 --fp=relaxed --emit=poly -o - | FileCheck %s --check-prefix=ANY
param N;
tensor i32 bin(N);  tensor f32 x(N);
few(b) for 0 <= b < 10 = i32(3);
out few(bin(i)) += 1;
more(a,b) for 0 <= a < 4, 0 <= b < 64 = i64(0);
out more(bin(i) % 4, bin(i)) max= i64(bin(i));
sums(b) for 0 <= b < 256 = 0.0;
out sums(bin(i)) += x(i);
# CHECK-LABEL: .entry near_more2(
# CHECK:       atom.shared.max.s64
# CHECK:       atom.global.max.s64
# CHECK-LABEL: .entry near_few2(
# CHECK:       st.shared.b32
# CHECK:       bar.sync
# CHECK:       ld.global.nc.b32
# CHECK-NOT:   bra
# CHECK:       atom.shared.add.u32
# CHECK-NOT:   bra
# CHECK:       atom.shared.add.u32
# CHECK:       bar.sync
# CHECK:       atom.global.add.u32
# POLY-DAG:    write few {{.*}} reduce add atomic
# POLY-DAG:    write more {{.*}} reduce max atomic
# POLY-NOT:    write sums {{.*}} atomic
# POLY-DAG:    kernel near_few2 naive thread 1 256 tile 1 256 0 near
# LESS-NOT:    write few {{.*}} atomic
# LESS:        write more {{.*}} reduce max atomic
# LESS-NOT:    0 near
# ANY:         write sums {{.*}} reduce add atomic
# ANY:         0 near
