// No output is named: what is never read is one.
param N;
tensor f64 x(N), unused(N); // WARNING[W234] 18: the input 'unused' is never read
a(i) = x(i) + b(i);
b(i) = 2 * x(i);
