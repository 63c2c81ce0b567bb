# Check that layers which differ in their arrays and in which index of the weights they read
# are one kernel, launched with the addresses of these; that what reads two such indices, or
# parts that would not be aligned, counts from the whole array; that all of it is right; and
# that each launch of the kernel is told.
# RUN: %cetane build %s -DN=300 -DM=256 -DK=5 --arch=sm_90a --emit=llvm -o - | FileCheck %s
# RUN: %cetane run %s -DN=70 -DM=64 -DK=5 --device=host --semantics=ring
# RUN: %cetane inspect %s -DN=300 -DM=256 -DK=5 --arch=sm_90a | FileCheck %s --check-prefix=TWICE
# RUN: %cetane run %s -DN=37 -DM=33 -DK=7 --device=host
# RUN: %cetane run %s -DN=300 -DM=256 -DK=5 --device=host --arch=sm_90a
# RUN: %cetane run %s -DN=300 -DM=255 -DK=5 --device=host --arch=sm_90a
param N, M, K;
tensor f32 X(N,M), F(3,M,M), A(3,M), G(3,K), P(N,K);
assume 1 <= K;
y0(i,j) = sum(k: X(i,k) * F(0,k,j));
u0(i,j) = max(y0(i,j) + A(0,j), 0);
y1(i,j) = sum(k: u0(i,k) * F(1,k,j));
u1(i,j) = max(y1(i,j) + A(1,j), 0);
y2(i,j) = sum(k: u1(i,k) * F(2,k,j));
out Y(i,j) = max(y2(i,j) + A(2,j), 0);
out Z(i,j) = P(i,j) * G(1,j);
out W(i,j) = A(2,j) - A(1,j) * P(i,0);
# CHECK:     define ptx_kernel void @layers_y0_part(
# CHECK-NOT: define
# CHECK:     define ptx_kernel void @layers_u0(
# CHECK-NOT: define
# CHECK:     define ptx_kernel void @layers_y1_part(
# CHECK-NOT: {{65536|define}}
# CHECK:     define ptx_kernel void @layers_W(
# CHECK-NOT: define
# CHECK:     define ptx_kernel void @layers_Z(
# CHECK:     add nsw i32 5,
# CHECK-NOT: define
# TWICE:       kernel layers_y1_part
# TWICE-NEXT:  computes {{.*}} y1_add y1_part_store
# TWICE:       kernel layers_y1_part
# TWICE-NEXT:  computes {{.*}} y2_add y2_part_store
