# The position of the first greatest element of a row is one of 32 bits where rows are
# short, from the comparison of elements to the last exchange.
# RUN: %cetane build %s --emit=ptx --arch=sm_90a -o - -DM=512 -DN=2048 | FileCheck %s
# RUN: %cetane build %s --emit=ptx --arch=sm_90a -o - -DM=512 | FileCheck %s --check-prefix=ANY
# CHECK-NOT: min.{{[us]}}64
# CHECK-COUNT-8: min.{{[us]}}32
# CHECK-NOT: min.{{[us]}}64
# CHECK: st.global.b64
# CHECK-NOT: min.{{[us]}}64
# ANY-NOT: min.{{[us]}}32
# ANY: min.s64
param M, N;
tensor f32 X(M,N);
out Y(i) = argmax(j: X(i,j));
