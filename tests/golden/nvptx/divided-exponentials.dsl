# Check that quotients of exponentials of no positive number, which are no more than 1, are not
# looked at for what is not finite, and that their dividends have no sign to take off.
# RUN: %cetane build %s -DM=524288 -DN=256 --arch=sm_90a --emit=ptx -o - | FileCheck %s
# RUN: %cetane run %s -DM=61 -DN=256 --device=host --sanitize=all
# CHECK: rcp.approx.ftz.f32
# CHECK-NOT: add.s32 {{%r[0-9]+}}, [[X:%r[0-9]+]], [[X]];
# CHECK-NOT: setp.nan.f32
# CHECK: div.rn.f32
#
# Others are, as those may be infinite.
# RUN: sed 's/e(i,j) \/ sum/(e(i,j) + 1) \/ sum/' %s > %t.dsl
# RUN: %cetane build %t.dsl -DM=524288 -DN=256 --arch=sm_90a --emit=ptx -o - \
# RUN:   | FileCheck %s --check-prefix=ANY
# ANY: setp.nan.f32
param M, N;
tensor bf16 X(M,N);
top(i) = max(j: f32(X(i,j)));
e(i,j) = exp(f32(X(i,j)) - top(i));
out Y(i,j) = bf16(e(i,j) / sum(k: e(i,k)));
