# Pieces of a definition are one kernel, though one of them has several parts, and its
# tiles have rows along what is long and near, not along b.
# RUN: %cetane build %s -DB=8 -DM=200 -DN=512 -DP=3 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DB=2 -DM=19 -DN=37 -DP=3 --device=host --sanitize=all
# RUN: %cetane run %s -DB=1 -DM=5 -DN=3 -DP=0 --device=host --sanitize=all
# CHECK: kernel margin_Y tiled thread 8 32 tile 8 128 {{.*}}grid "[M, P] -> {{.*}}batch "[B] -> { [(B)] }"
# CHECK-NOT: {{^}}kernel
# CHECK: schedule
param B, M, N, P;
tensor f32 X(B,M,N);
out Y(b,i,j) for 0 <= i < M + 2*P, 0 <= j < N + 2*P = case {
	i >= P and i < P + M and j >= P and j < P + N: X(b,i-P,j-P);
	else: 0; };
