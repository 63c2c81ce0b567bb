# --host-seed=624 --fp=strict --no-contract -DN=778
# u8(1) + u8(255) is 0 before the greatest of it and the updates is found.
param N;
assume N >= 1;
tensor u32 l(N);
tensor u8 v(N);
out d0(b) for 0 <= b < 300 = (u8(1) + u8(b));
d0((l(i))) for 0 <= i < N max= u8(v(i));
