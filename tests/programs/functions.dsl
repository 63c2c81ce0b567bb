# The functions of floats.
param N;
tensor f32 x(N);
out e(i) = exp(x(i)) + exp2(x(i)) + log(abs(x(i)) + 1) + log2(abs(x(i)) + 2) + log10(abs(x(i)) + 3);
out t(i) = sin(x(i)) + cos(x(i)) + tan(x(i)) + atan(x(i));
out a(i) = asin(x(i) / 2) + acos(x(i) / 2) + atan2(x(i), 2);
out h(i) = sinh(x(i)) + cosh(x(i)) + tanh(x(i)) + asinh(x(i)) + acosh(abs(x(i)) + 1.5) + atanh(x(i) / 2);
out r(i) = floor(x(i) * 8) + ceil(x(i) * 4) + trunc(x(i) * 16) + round(x(i) * 32);
out p(i) = pow(abs(x(i)) + 0.5, x(i)) + sqrt(abs(x(i))) + sigmoid(x(i)) + relu(x(i));
out m(i) = min(x(i), 0.25) + max(x(i), -0.25) + x(i) % 0.3;
