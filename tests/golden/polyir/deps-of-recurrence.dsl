// What a recurrence reads of itself is a dependence.

// RUN: %cetane build %s --emit=deps -o - | FileCheck %s
param N, M;
tensor f32 x(N,M);
out h(i,j) for 0 <= i < N, 0 <= j < M = case { i == 0 or j == 0: x(i,j);
	else: h(i-1,j) + h(i,j-1); };

// CHECK: RAW h_def -> h_def_1
// CHECK: RAW h_def_1 -> h_def_1 = { h_def_1[i, j] -> h_def_1[i', j' = 1 + i + j - i'] : i <= i' <= 1 + i }
