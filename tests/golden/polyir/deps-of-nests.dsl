# The dependences of a nest are those of its text, not of definitions.

# RUN: %cetane build %s --emit=deps -o - | FileCheck %s
nest f(param N, f32 x[N], f32 s[1], f32 y[N]) {
	for (int i = 1; i < N; i++) x[i] += x[i-1];
	s[0] = 0;
	for (int i = 0; i < N; i++) s[0] += x[i];
	for (int i = 1; i < N; i++) x[i] = y[i-1];
}

# CHECK: domain S1 = [N] -> { S1[i] : 0 < i < N }
# CHECK-NEXT: read S1 = { S1[i] -> x[o0] : -1 + i <= o0 <= i }
# CHECK-NEXT: write S1 = { S1[i] -> x[i] }
# CHECK-NEXT: domain S2 = { S2[] }
# CHECK-NEXT: write S2 = { S2[] -> s[0] }
# CHECK-NOT: P_
# CHECK-NOT: LM_
# CHECK: RAW S1 -> S1 = { S1[i] -> S1[i' = 1 + i] }
# CHECK-NEXT: RAW S1 -> S3 = { S1[i] -> S3[i' = i] }
# CHECK-NEXT: RAW S2 -> S3 = { S2[] -> S3[i = 0] }
# CHECK-NEXT: RAW S3 -> S3 = { S3[i] -> S3[i' = 1 + i] }
# CHECK-NEXT: WAR S1 -> S4
# CHECK: WAW S1 -> S4 = { S1[i] -> S4[i' = i] }
