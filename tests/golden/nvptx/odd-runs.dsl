// Check that results of 16 bits are stored as rows lie. Where these are whole runs of 16
// bytes each thread has one; where rows begin within one, threads keep the pairs of their
// fragments, of which even rows take one at a time. Runs of 8 that are asked for are
// stored in halves where rows are multiples of 8 bytes, however deep the sum is that tells
// their place.
// RUN: printf 'cetane-config 1\nkernel odd_runs_C thread 16 8 tile 64 128 64 vec 1 8 steps 8 stages 4 unit mma.m16n8k16.bf16\n' > %t.cfg
// RUN: %cetane build %s -DM=300 -DN=1696 --arch=sm_90a --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: %cetane build %s -DM=300 -DN=1692 --arch=sm_90a --emit=poly -o - \
// RUN:   | FileCheck %s --check-prefix=PAIRS
// RUN: %cetane build %s -DM=300 -DN=1690 --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=EVEN
// RUN: %cetane build %s -DM=300 -DN=1692 --config=%t.cfg --arch=sm_90a --emit=ptx -o - \
// RUN:   | FileCheck %s --check-prefix=HALVES
// RUN: %cetane run %s -DM=20 -DN=75 --arch=sm_90a --device=host --sanitize=all
// RUN: %cetane run %s -DM=20 -DN=76 --config=%t.cfg --arch=sm_90a --device=host --sanitize=all
// WHOLE:      kernel {{.*}} vec 1 8 steps 8 {{.*}} unit mma.m16n8k16.bf16
// PAIRS:      kernel {{.*}} vec 1 2 steps 8 {{.*}} unit mma.m16n8k16.bf16
// EVEN-NOT:   st.global.b16
// EVEN:       st.global.v2.b16
// EVEN-NOT:   st.global.b16
// HALVES-NOT: st.global.b16
// HALVES-COUNT-16: st.global.v2.b32
// HALVES-NOT: st.global.b16
param M, N;
tensor bf16 A(M,133), B(133,N);
out C(m,n) = bf16(sum(k: f32(A(m,k)) * f32(B(k,n))));
