# BLAS level 1 on vectors of any length.
param N;
tensor f32 x(N), y(N), alpha, c, s;
out axpy(i) = alpha * x(i) + y(i);
out scal(i) = alpha * x(i);
out dot() = sum(i: x(i) * y(i));
out asum() = sum(i: abs(x(i)));
out nrm2() = sqrt(sum(i: x(i) * x(i)));
out rotx(i) = c * x(i) + s * y(i);
out roty(i) = c * y(i) - s * x(i);
most() max= abs(x(i));
out iamax() = min(i: abs(x(i)) == most() ? i32(i) : i32(N));
