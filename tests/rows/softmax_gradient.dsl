# The gradient of a softmax of rows, from its result and that result's gradient.
param M, N;
tensor f16 Y(M,N), G(M,N);
dot(i) = sum(j: f32(Y(i,j)) * f32(G(i,j)));
out D(i,j) = f16(f32(Y(i,j)) * (f32(G(i,j)) - dot(i)));
