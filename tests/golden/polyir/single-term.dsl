# Check that a sum whose loop has one place for these sizes is no sum: one kernel computes
# the term and what is made of it. With two places it is one.
# RUN: %cetane build %s -DM=9 -DN=40 -DK=1 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s -DM=9 -DN=40 -DK=1 --device=host --sanitize=all
# RUN: %cetane run %s -DM=9 -DN=40 -DK=2 --device=host --sanitize=all
# CHECK-NOT: reduce
# CHECK-COUNT-1: kernel {{.*}} grid
# CHECK-NOT: kernel {{.*}} grid
# CHECK: schedule
param M, N, K;
tensor bf16 A(M,K), B(K,N);
out C(m,n) = bf16(sum(k: f32(A(m,k)) * f32(B(k,n))));
