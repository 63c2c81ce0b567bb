N = 8;
tensor f32 x(N), // ERROR[E201] 14: 'N' is not defined; a size is declared in front, as in param N;
	y(4);
out z(i) = dot(x(i), y(i)); // ERROR[E201] 12: a product is a sum over an index
