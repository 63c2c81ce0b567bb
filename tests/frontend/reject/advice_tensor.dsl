param N;
tensr f32 x(N); // ERROR[E107] 7: expected '=', found 'f32'; did you mean tensor
out y(i) = 2;
