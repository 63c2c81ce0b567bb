# --parametric --fp=reassoc -DN=7 -DM=3
# A condition says something of an index of the sum that cancels out: it bounds no cell.
param N,M;
out d1(i) for 0 <= i, i < M, 0 <= u, u < i, (2*i-1)/5 >= (2*u+N-3) % 2, -1 <= v, v < (2*M+1)/2 max= 0.25;
out d2(i) for 0 <= i < M, 0 <= u < M, i + u - u >= 2 += 1;
