# --host-seed=714 --fp=relaxed --parametric -DN=1 -DM=1
# A column without a cell, in a block that waits for all its columns.
param N, M;
out d1(i) for 0 <= i, i < 4, i != 1, 0 <= u, u < M min= 1;
