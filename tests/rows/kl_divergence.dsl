# Kullback-Leibler divergence of each row from logarithms of probabilities.
param M, N;
tensor f16 Q(M,N), P(M,N);
out L(i) = f16(sum(j: f32(P(i,j)) * (log(f32(P(i,j))) - f32(Q(i,j)))));
