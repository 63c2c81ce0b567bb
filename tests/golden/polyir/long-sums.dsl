# Few sums over two long loops: blocks share the outer one, and each has lanes along
# memory. What is a number for each row gives a tile no runs across rows.
# RUN: %cetane build %s -DB=256 -DC=64 -DS=3136 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DB=201 -DC=2 -DS=700 --device=host --sanitize=all
# CHECK: kernel long_sums_mean_sum_part naive thread 1 64 {{.*}}steps 8 grid "[C] -> { [(C)] }" "{ [(8)] }"
# CHECK: kernel long_sums_var_sum_part naive thread 2 32 {{.*}}steps 8 {{.*}}"{ [(64)] }"
# CHECK: kernel long_sums_Y tiled thread 8 32 tile 16 256 0 vec 1 8
param B, C, S;
tensor bf16 X(B,C,S);
mean(c) = sum(b, s: f32(X(b,c,s))) / f32(B) / f32(S);
var(c) = sum(b, s: (f32(X(b,c,s)) - mean(c)) * (f32(X(b,c,s)) - mean(c))) / f32(B) / f32(S);
out Y(b,c,s) = bf16((f32(X(b,c,s)) - mean(c)) / sqrt(var(c) + 0.00001));
