# --host-seed=223 --fp=reassoc -DA=2047 -DB=4
# Bytes that the blocks of a cluster put together: others read whole words.
param A, B;
tensor i8 x0(A,B);
out d0(i,j) for 0 <= i < A, 0 <= j < B = case { i == 0: (x0(i,j) * x0(i,j)); else: d0(i-1,j) + (x0(i,j) * x0(i,j)); };
