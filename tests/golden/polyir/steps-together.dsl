# The edges, which need nothing but themselves, go along with the steps of the inside:
# two rows are enough.
# RUN: %cetane build %s --emit=poly -o - | FileCheck %s
# CHECK: array u f32 temp global "[N] -> { u[(2), (N)] }"
param T, N;
tensor f32 x(N);
u(t,i) for 0<=t<=T, 0<=i<N = case {
	t == 0: x(i);
	i == 0 or i == N-1: u(t-1,i);
	else: 0.25*u(t-1,i-1) + 0.5*u(t-1,i) + 0.25*u(t-1,i+1); };
out y(i) = u(T,i);
