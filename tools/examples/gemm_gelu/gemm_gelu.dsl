# A layer of a network: product, bias and GELU in one kernel.
param M, K, N;
tensor f32 X(M,K), W(K,N), b(N);
h(i,j) = sum(k: X(i,k) * W(k,j)) + b(j);
out Y(i,j) = 0.5 * h(i,j) * (1 + tanh(0.7978845608
	* (h(i,j) + 0.044715 * h(i,j) * h(i,j) * h(i,j))));

# test: M=65 K=30 N=70
# test: M=1 K=2 N=2
# input: X = [[1, 2]]
# input: W = [[1, 0], [0, -1]]
# input: b = [0, 1]
# output: Y = [[0.841192, -0.158808]]
