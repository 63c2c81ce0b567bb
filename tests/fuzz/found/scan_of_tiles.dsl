# -DN=20000 --host-seed=3
# Tiles of a long row go on from one another, those of a linear recurrence, too.
param N;
tensor i32 x(N);
out y(i) for 0 <= i < N = case { i == 0: x(i); else: y(i-1) + x(i); };
out z(i) for 0 <= i < N = case { i == 0: x(i); else: x(i) * z(i-1) - y(i); };
