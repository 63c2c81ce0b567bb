tensor f32 D(prod(N : 1.5 ? 2. : 1.5) / (1e-3) - true && // ERROR[E222] 14: this has to be affine: indices, sizes
	D(1.5) + (.5) - false <= .5); // ERROR[E291] 4: a position is affine, or it reads the values that tell it
