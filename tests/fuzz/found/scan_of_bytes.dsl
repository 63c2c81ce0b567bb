# -DN=30011 --host-seed=2
# Bytes are computed in 32 bits and cut again; sums of them are scans all the same.
param N;
tensor i8 x(N);
out y(i) for 0 <= i < N = case { i == 0: x(0); else: y(i-1) - x(i); };
out z(i) for 0 <= i < N = case { i == 0: x(0); else: x(i) * z(i-1) + 3; };
