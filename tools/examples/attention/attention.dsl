# Attention of one head: each query takes the mean of values, by how well keys fit.
param M, N, D;
tensor f32 Q(M,D), K(N,D), V(N,D);
s(i,j) += Q(i,d) * K(j,d);
t(i,j) = s(i,j) / sqrt(f32(D));
m(i) = max(j: t(i,j));
e(i,j) = exp(t(i,j) - m(i));
l(i) = sum(j: e(i,j));
o(i,d) += e(i,j) * V(j,d);
out O(i,d) = o(i,d) / l(i);

# test: M=3 N=5 D=4
# test: M=1 N=1 D=2
# input: V = [[3, 7]]
# output: O = [[3, 7]]
