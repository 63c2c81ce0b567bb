# What begins a run is known from how its index is written, and only then.
# RUN: %cetane build %s -DM=512 -DN=784 -DB=64 --emit=ptx -o - | FileCheck %s
# CHECK-LABEL: .entry run_begins_Y(
# CHECK-NOT: ld.global.nc.v
# CHECK: st.global.v4
# CHECK-LABEL: .entry run_begins_Z(
# CHECK: st.global.v4
# CHECK-NOT: st.global.b16
# CHECK: ret;
param B, M, N;
tensor bf16 X(M,N+8), V(B,M,N);
out Y(i,j) for 0 <= j < N = X(i,j+1);
top(m) = max(b, n: V(b,m,n));
out Z(b,m,n) = bf16(V(b,m,n) - top(m));
