# European options by Black and Scholes; the normal distribution is a polynomial.
param N;
tensor f32 S(N), X(N), T(N);
root(i) = sqrt(T(i));
a(i) = (log(S(i) / X(i)) + 0.065 * T(i)) / (0.3 * root(i));
b(i) = a(i) - 0.3 * root(i);
u(i) = 1 / (1 + 0.2316419 * abs(a(i)));
v(i) = 1 / (1 + 0.2316419 * abs(b(i)));
p(i) = 0.3989422804 * exp(-0.5 * a(i) * a(i)) * u(i)
	* (0.31938153 + u(i) * (-0.356563782
	+ u(i) * (1.781477937 + u(i) * (-1.821255978 + u(i) * 1.330274429))));
q(i) = 0.3989422804 * exp(-0.5 * b(i) * b(i)) * v(i)
	* (0.31938153 + v(i) * (-0.356563782
	+ v(i) * (1.781477937 + v(i) * (-1.821255978 + v(i) * 1.330274429))));
m(i) = a(i) > 0 ? 1 - p(i) : p(i);
n(i) = b(i) > 0 ? 1 - q(i) : q(i);
paid(i) = X(i) * exp(-0.02 * T(i));
out C(i) = S(i) * m(i) - paid(i) * n(i);
out P(i) = paid(i) * (1 - n(i)) - S(i) * (1 - m(i));
