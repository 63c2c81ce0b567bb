// Check that threads copy what lies side by side. Both the points and the steps of a
// window of 3 x 3 move along the rows of X: 32 points ask for 4 sectors, 32 steps for
// 11 or more. Of F only steps do. Where points are two apart, in 8 sectors, they still
// ask for fewer.
// RUN: %cetane build %s -D B=32 -D C=64 -D K=64 -D H=60 -D W=60 --emit=poly -o - | FileCheck %s
// CHECK: stmt X_copy copy
// CHECK: coalesce 1
// CHECK: stmt F_copy copy
// CHECK: coalesce 0
// RUN: sed 's/x+p,y+q/2*x+p,2*y+q/; s/H-2/(H-1)\/2/; s/W-2/(W-1)\/2/' %s > %t.strided.dsl
// RUN: %cetane build %t.strided.dsl -D B=32 -D C=64 -D K=64 -D H=61 -D W=61 --emit=poly -o - | FileCheck %s
param B, C, K, H, W;
tensor f32 X(B,C,H,W), F(K,C,3,3);
out Y(b,k,x,y) for 0 <= x < H-2, 0 <= y < W-2 =
	sum(c, p, q: X(b,c,x+p,y+q) * F(k,c,p,q));
