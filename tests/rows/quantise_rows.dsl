# Rows as whole numbers of 8 bits, each row with a scale of its own.
param M, N;
tensor f16 X(M,N);
scale(i) = max(j: abs(f32(X(i,j)))) / 127;
out Q(i,j) = i8(round(f32(X(i,j)) / scale(i)));
out S(i) = f32(scale(i));
