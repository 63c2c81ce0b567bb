# BLAS level 1, the rest: swap, copy, rotg, rotm, rotmg's scaling, a dot product in f64.
param N;
tensor f32 x(N), y(N), h(2,2), f, g;
out swapx(i) = y(i);
out swapy(i) = x(i);
out copy(i) = x(i);
r() = sqrt(f * f + g * g);
sign() = abs(f) > abs(g) ? f : g;
rho() = sign() < 0 ? -r() : r();
out rotg_c() = r() == 0 ? 1 : f / rho();
out rotg_s() = r() == 0 ? 0 : g / rho();
out rotg_r() = rho();
out rotmx(i) = h(0,0) * x(i) + h(0,1) * y(i);
out rotmy(i) = h(1,0) * x(i) + h(1,1) * y(i);
out dsdot() = sum(i: f64(x(i)) * f64(y(i)));
out iamin() = min(i: abs(x(i)) == min(j: abs(x(j))) ? i32(i) : i32(N));
