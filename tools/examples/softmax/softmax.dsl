# Softmax of rows. With N fixed, a row is read once and stays in registers.
param M, N;
tensor f32 X(M,N);
m(i) = max(j: X(i,j));
e(i,j) = exp(X(i,j) - m(i));
s(i) = sum(j: e(i,j));
out Y(i,j) = e(i,j) / s(i);

# test: M=5 N=33
# test: M=1 N=2
# input: X = [[0, 0]]
# output: Y = [[0.5, 0.5]]
