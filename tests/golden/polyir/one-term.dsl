# A sum with one term, whose place data tell, reads that place, wherever it lies. One that
# computes with the place stays.
# RUN: %cetane build %s -DM=9 -DN=3 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DM=9 -DN=3 --device=host --sanitize=all
# RUN: %cetane run %s -DM=9 -DN=3 --parametric --device=host --sanitize=all
# CHECK: (gather X "{ {{.*}} -> X[(i), (0)] }"
# CHECK-NOT: gather
# CHECK: schedule
param M, N;
tensor f32 X(M,N);
tensor i64 T(M);
out S(i) = sum(j: j == T(i) ? 2 * X(i,j) : 0);
out A(i) = sum(j: j == T(i) ? X(i,j) * f32(j) : 0);
