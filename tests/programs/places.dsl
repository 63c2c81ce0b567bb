# Places of extremes of types whose values are computed in wider ones: sums and
# products of u8 beyond 255, of i8 below -128, of i16 beyond 32767.
param N;
tensor i32 B(N), C(N, N);
out least(i) = argmin(r: (u8(C(i, r)) + 200) * (u8(B(r)) + 200));
out most(i) = argmax(r: i8(C(i, r) % 5) - 120 - 100 - i8(B(r) % 3));
out wide() = argmin(r: (i16(B(r)) + 30000) + (i16(C(r, 0)) + 30000));
out below(i) = argmax(r for 0 <= r, r <= i: 0 - u16(B(r)) * u16(C(r, i)) - 60000);
