# --host-seed=791 --fp=reassoc -DA=4991 -DB=3
# A maximum whose tiles begin with -inf, which is the least element of the ring.
param A, B;
tensor f32 x0(A,B);
d0(i,j) for 0 <= i < A, 0 <= j < B = case { j == 0: (x0(i,j) + x0(i,j)); else: d0(i,j-1) + (x0(i,j) + x0(i,j)); };
out d1(i,j) for 0 <= i < A, 0 <= j < B = case { i == 0: d0(i,j); else: max(d0(i,j), d1(i-1,j)); };
out d2(i,j) for 0 <= i < A, 0 <= j < B = case { j == 0: (d1(i,j) + d1(i,j)); else: (0.5 * min(x0(i,j), d0(i,j))) * d2(i,j-1) + (d1(i,j) + d1(i,j)); };
