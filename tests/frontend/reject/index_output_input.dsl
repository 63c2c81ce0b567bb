param N;
tensor f32 x(N);
out y(i) = x(i);
CodeGen(FLOAT, {x}); // ERROR[E211] 17: the output 'x' is not defined
