param M, N;
tensor f32 x(M,N);
out k() = argmax(i, j: x(i,j)); // ERROR[E273] 11: argmax takes one index, not 2
