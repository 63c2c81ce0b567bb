# Pieces that values decide: alone, beside indices, of the definition itself, with sums.
param N;
tensor f32 A(N), B(N);
tensor bool flag(N);
tensor i32 k(N);
out y(i) = case { A(i) > 0: B(i); else: 2 * A(i); };
out z(i) for 0 <= i < N = case { i > 0 and A(i-1) > 0.25: B(i); flag(i): 1; i == 0 or not flag(i-1): A(i); else: A(i-1); };
out w(i) = case { flag(i) and B(i) < A(i): 1; i == 0: 2; (k(i) & 1) == 0 or i % 2 == 1: 3; i * i > 7: 5; else: 4; };
out s(i) for 0 <= i < N = case { i == 0: A(0); s(i-1) > 0.75: s(i-1) * 0.5; else: s(i-1) + B(i); };
out r(i) for 0 <= i < N = case { sum(j for 0 <= j <= i: A(j)) > 0: max(j for 0 <= j < N: B(j)); i < 3 and (i == 1 or k(i) > 0): A(0); else: 0; };
out c(i,j) for 0 <= i < N, 0 <= j < N = case { i < j and A(i) < A(j): f16(A(i)); i < 5 and A(i) >= B(j): f16(B(j)); flag(j): 0.5; else: -1; };
