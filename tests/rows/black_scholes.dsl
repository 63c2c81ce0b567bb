# European options by Black and Scholes.
param N;
tensor f32 S(N), X(N), T(N);
root(i) = sqrt(T(i));
a(i) = (log(S(i) / X(i)) + 0.065 * T(i)) / (0.3 * root(i));
b(i) = a(i) - 0.3 * root(i);
m(i) = 0.5 + 0.5 * erf(0.7071067812 * a(i));
n(i) = 0.5 + 0.5 * erf(0.7071067812 * b(i));
paid(i) = X(i) * exp(-0.02 * T(i));
out C(i) = S(i) * m(i) - paid(i) * n(i);
out P(i) = paid(i) * (1 - n(i)) - S(i) * (1 - m(i));
