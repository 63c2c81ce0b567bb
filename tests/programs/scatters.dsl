# Sums, bits and extremes by cells that data tell, in any order: of few cells and of
# many, of several dimensions, with indices of each type.
param N, B, D;
tensor i32 bin(N), v(N), rows(N,D);  tensor i64 wide(N);  tensor u8 small(N);
out count(b) for 0 <= b < B += bin(i) == b ? i32(1) : 0;
out far(b) for 0 <= b < 300 += wide(i) + 20 == b ? v(i) : 0;
out few(b) for -2 <= b < 5 += i32(small(i)) == b + 2 ? v(i) : 0;
out cells(b,d) for 0 <= b < B += bin(i) + 4 == b ? rows(i,d) : 0;
out both(a,b) for 0 <= a < 9, 0 <= b < 70 += bin(i) + 4 == a and wide(i) + 30 == b ? v(i) : 0;
out floats(b) for 0 <= b < 300 += bin(i) + 4 == b ? f32(v(i)) : 0;
out other(b) for 0 <= b < 20 += bin(i) == b ? v(i) : 1;
