# Check that the loads of an unrolled loop stand before its first division, past which ptxas moves
# none: else a thread waits for memory once for each element.
# RUN: %cetane build %s -DA=262144 -DB=84 --arch=sm_90a --emit=ptx -o - \
# RUN:   | sed -n '/nounroll/,/bra/p' | grep -o 'ld.global.nc\|div.rn\|sqrt.rn' | uniq -c \
# RUN:   | FileCheck %s
# RUN: sed 's/ \/ f32(A) \/ 7.0/ + sqrt(abs(x(i,j)))/' %s > %t.dsl
# RUN: %cetane build %t.dsl -DA=262144 -DB=84 --arch=sm_90a --emit=ptx -o - \
# RUN:   | sed -n '/nounroll/,/bra/p' | grep -o 'ld.global.nc\|div.rn\|sqrt.rn' | uniq -c \
# RUN:   | FileCheck %s
# RUN: %cetane run %s -DA=1031 -DB=84 --device=host --sanitize=all
# CHECK: {{^ *8}} ld.global.nc
# CHECK-NEXT: {{^ *8}} {{div|sqrt}}.rn
param A, B;
tensor f32 x(A,B);
out d(j) = sum(i: x(i,j) / f32(A) / 7.0);
