# The functions of floats.
param N;
tensor f32 x(N);
out e(i) = exp(x(i)) + exp2(x(i)) + log(abs(x(i)) + 1) + log2(abs(x(i)) + 2) + log10(abs(x(i)) + 3);
out t(i) = sin(x(i)) + cos(x(i)) + tan(x(i)) + atan(x(i));
out a(i) = asin(x(i) / 2) + acos(x(i) / 2) + atan2(x(i), 2);
out h(i) = sinh(x(i)) + cosh(x(i)) + tanh(x(i)) + asinh(x(i)) + acosh(abs(x(i)) + 1.5) + atanh(x(i) / 2);
out r(i) = floor(x(i) * 8) + ceil(x(i) * 4) + trunc(x(i) * 16) + round(x(i) * 32);
out p(i) = pow(abs(x(i)) + 0.5, x(i)) + sqrt(abs(x(i))) + sigmoid(x(i)) + relu(x(i));
out c(i) = hypot(x(i), 2 * x(i)) + copysign(x(i) * 3, x(i) - 0.5) + fma(x(i), x(i), 0.1);
out l(i) = lerp(x(i), 0.3, abs(x(i))) - lerp(1, x(i), 0.25);
out d(i) = hypot(f64(x(i)), 1e-3) + lerp(f64(x(i)), 0.1, 0.7) * fma(f64(x(i)), 3, copysign(0.1, f64(x(i))));
out s(i) = lerp(f16(x(i)), 0.5, f16(0.75)) + hypot(f16(x(i)), 1) + copysign(2, f16(x(i))) + fma(f16(x(i)), 3, 0.1);
out m(i) = min(x(i), 0.25) + max(x(i), -0.25) + x(i) % 0.3;
