param N;
tensor f32 x(N);
a(i) = sine(x(i)); // ERROR[E201] 8: 'sine' is not defined
b(i) for 0 <= i < N = x(i + foo); // ERROR[E201] 29: 'foo' is not defined
c(i) for 0 <= i < N/bar = x(i); // ERROR[E201] 21: 'bar' is not defined
d(i) for 0 <= i < N = x(2 * baz(i) + 1); // ERROR[E201] 29: 'baz' is not defined
e(i) for 0 <= i < N, i < qux(x(i)) = x(i); // ERROR[E201] 26: 'qux' is not defined
tensor f32 z(2 * quux); // ERROR[E201] 18: 'quux' is not defined
