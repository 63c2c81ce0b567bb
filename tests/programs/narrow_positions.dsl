# Positions as values of narrow types: they wrap as these do.
param N;
tensor u8 a(N);  tensor i16 b(N);
out largest(i) = max(a(i), i);
out quotient(i) = i / (a(i) | 1);
out least(i) = min(b(i), 300*i);
