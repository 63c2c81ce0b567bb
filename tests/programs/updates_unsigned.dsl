# Updates by minima and maxima of unsigned numbers on both sides of the largest signed ones,
# at positions that data tell.
param N, B;
assume B >= 1, N >= 1;
tensor i32 bin(N), v(N);
m(b) for 0 <= b < B = u64(9007199254740992) * u64(1024) + u64(1);
m(bin(i)) min= u64(v(i)) + u64(9007199254740992) * u64(1024) - u64(4);
t(b) for 0 <= b < B = u64(9007199254740992) * u64(1024) - u64(1);
t(bin(i)) max= u64(v(i)) + u64(9007199254740992) * u64(1024) - u64(4);
w(b) for 0 <= b < B = u32(2147483649);
w(bin(i)) min= u32(v(i)) + u32(2147483644);
out r(b) = m(b);
out s(b) = t(b);
out q(b) = w(b);
