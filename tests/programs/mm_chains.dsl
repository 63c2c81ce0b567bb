# Chains of products: 2mm, 3mm, atax, bicg, mvt, gesummv, gemver.
param N, M;
tensor f32 A(N,M), B(M,N), C(N,N), x(M), y(N), z(N), alpha, beta;
AB(i,j) += A(i,k) * B(k,j);
out mm2(i,j) = alpha * sum(k: AB(i,k) * C(k,j)) + beta * C(i,j);
CC(i,j) += C(i,k) * C(k,j);
out mm3(i,j) += AB(i,k) * CC(k,j);
Ax(i) += A(i,j) * x(j);
out atax(j) += A(i,j) * Ax(i);
out bicgs(j) += y(i) * A(i,j);
out bicgq(i) = Ax(i);
out mvt1(i) = y(i) + sum(j: C(i,j) * z(j));
out mvt2(i) = z(i) + sum(j: C(j,i) * y(j));
out gesummv(i) = alpha * Ax(i) + beta * sum(j: B(j,i) * x(j));
R(i,j) = C(i,j) + y(i) * z(j) + z(i) * y(j);
v(i) = y(i) + beta * sum(j: R(j,i) * z(j));
out gemver(i) = alpha * sum(j: R(i,j) * v(j));
