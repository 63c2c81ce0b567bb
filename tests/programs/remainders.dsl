# A condition with so many remainders that each point asks them.
param N;
tensor f32 x(N);
out y(i) for 0 <= i < N = case {
	i % 3 != 1 and i % 5 != 1 and i % 7 != 1 and i % 11 != 1: x(i);
	else: 2.0;
};
