param n;
tensor f32 a(n, n), b(n, n);
c(i, j) = sum(k: a(i, k) * b(k, j));
d(i, j) = c(i, j) + 1;
CodeGen(FLOAT, {d});
