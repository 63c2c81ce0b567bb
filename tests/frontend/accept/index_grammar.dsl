// Every form of index notation.
param N, M;
Params K;
tensor f32 A(N,M), x(N), alpha, beta();
tensor i32 k(N);  tensor u8 c(2*N+1, M);
tensor bool flag(N);
assume N >= 4, M >= 1 and not K == 3;

y(i) = alpha * sum(j: A(i,j)) - beta() * x(i);
s() = sum(i: x(i)) + prod(i: x(i)) - min(i: x(i)) / max(i: x(i));
t(i,j) for 0 <= j <= i < N += x(i) * x(j);  # triangular
gram(i,j) += A(i,l) * A(j,l);
p(i) *= A(i,j);
lo(i) min= A(i,j);
hi(i) max= A(i,j);
u(n,i) for 0<=n<=K, 0<=i<N = case { n == 0: x(i); i == 0 or i == N-1: u(n-1,i); // REMARK[R239] 51: an earlier piece counts for
	else: 0.25*u(n-1,i-1) + 0.5*u(n-1,i) + 0.25*u(n-1,i+1); };
parity(i) = case { i % 2 == 0 && !(i < 1): x(i/2); else: -x(i); };
z(i) = x(i) > 0 ? x(i) : 0.;
w(i) = select(flag(i) or x(i) < 1, f32(k(i) % 3), 1e-3);
bits(i) = xor(k(i) & 7 | 1 << 3, ~k(i) >> 1);
far(i) for 0 <= i < N = f64(i * i + N) + f64(i32(c(2*i+1, 0)));
fun(i) = relu(sin(x(i))) + atan2(x(i), 2) + floor(pow(x(i), x(i)));
left(i) = sum(j, l for 0 <= j < i, j <= l <= i: A(i,0) * x(l) * f32(j+l));
conv(i) = sum(r for -1 <= r <= 1: x(i+r));
unsigned(i,j) = c(2*i,j) + 255;
same(i) = flag(i) == true and not (x(i) != x(i)) || false;
gathered(i) = x(k(i)) + A(k(i) + 1, k(k(i)) % 2) * f32(c(2*i, k(i)));
strided(i) for 0 <= 2*i < N = x(2*i) .* x(N-1-2*i);
out all(i) = y(i) + s() + t(i,0) + gram(i,i) + p(i) + lo(i) + hi(i) + u(K,i) + parity(i) + z(i) + w(i);
out rest(i) = f32(bits(i)) + f32(far(i)) + fun(i) + left(i) + f32(unsigned(i,0)) + gathered(i);
out odd(i) = same(i) ? conv(i) : strided(i/2);
