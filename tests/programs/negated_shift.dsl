# Positions that become i + floor(-i/4) and the like: a negation that is shifted.
param N;
tensor f32 B(2);
out near(i) for 0 <= i < N = B((3 * i) / 4 % 2);
out far(i, j) for 0 <= i < 3, 0 <= j < N = B((7 * i) / 8 % 2);
out between(i) for 0 <= i < 5 = B((15 * i) / 16 % 2);
