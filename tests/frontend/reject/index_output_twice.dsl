param N;
tensor f32 x(N);
out y(i) = x(i);
CodeGen(FLOAT, {y}); // ERROR[E212] 17: 'y' is an output already
