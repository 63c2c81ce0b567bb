# No point meets all conditions, but for sizes that no size has; which isl finds out
# in numbers of more than 32 bits.
param N;
out d(i, j) for 0 <= i, i < N, 0 <= j, j < i, 3 * i + 1 <= 2 * j = 1.0;
out z(i) for 0 <= i < N = 2.0;
