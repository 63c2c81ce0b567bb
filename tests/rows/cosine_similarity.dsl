# The cosine of the angle between two rows.
param M, N;
tensor f16 X(M,N), Z(M,N);
xz(i) = sum(j: f32(X(i,j)) * f32(Z(i,j)));
xx(i) = sum(j: f32(X(i,j)) * f32(X(i,j)));
zz(i) = sum(j: f32(Z(i,j)) * f32(Z(i,j)));
out Y(i) = f16(xz(i) / (max(sqrt(xx(i)), 1e-8) * max(sqrt(zz(i)), 1e-8)));
