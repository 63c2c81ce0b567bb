# The exponentials of a row of a triangle are computed in the runs that have a part of it,
# 8 elements behind one branch.
# RUN: %cetane build %s --emit=ptx --arch=sm_90a -o - -DB=4 -DN=1024 | FileCheck %s
# CHECK: shfl
# CHECK: bra
# CHECK-COUNT-8: 0f4B400098
# CHECK: bra
# CHECK-COUNT-8: 0f4B400098
# CHECK: bra
# CHECK-COUNT-8: 0f4B400098
# CHECK: bra
# CHECK-COUNT-8: 0f4B400098
# CHECK-NOT: 0f4B400098
param B, N;
tensor bf16 X(B,N,N);
top(b,i) = max(j for 0 <= j <= i: f32(X(b,i,j)));
e(b,i,j) for 0 <= j <= i < N = exp(f32(X(b,i,j)) - top(b,i));
out Y(b,i,j) for 0 <= j <= i < N = bf16(e(b,i,j) / sum(k for 0 <= k <= i: e(b,i,k)));
