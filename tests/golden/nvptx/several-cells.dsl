# Check that a thread has several cells side by side whose values are sums over windows: what it
# loads for them it loads once and several elements at a time; the sums stay in registers, whatever
# type is stored; it has as many as gain something, and one where rows are no multiple of more,
# where windows end at the edges, or where there are too few threads.
# RUN: %cetane build %s -DB=2 -DC=12 -DH=58 -DW=58 --arch=sm_87 --emit=poly -o - | FileCheck %s --check-prefix=POLY
# RUN: %cetane build %s -DB=2 -DC=12 -DH=58 -DW=58 --arch=sm_87 --emit=ptx -o - | FileCheck %s
# RUN: %cetane build %s -DB=2 -DC=12 -DH=58 -DW=59 --arch=sm_87 --emit=poly -o - | FileCheck %s --check-prefix=ONE
# RUN: %cetane build %s -DB=2 -DC=2 -DH=58 -DW=58 --arch=sm_87 --emit=poly -o - | FileCheck %s --check-prefix=ONE
# RUN: %cetane run %s -DB=2 -DC=12 -DH=58 -DW=58 --arch=sm_87 --device=host
# RUN: %cetane run %s -DB=1 -DC=17 -DH=62 -DW=70 --arch=sm_87 --device=host --semantics=ring
param B, C, H, W;
tensor f32 X(B,C,H,W), F(C,3,3);
tensor f16 V(B,C,2*H-4,2*W-4);
out Y(b,c,i,j) for 0 <= i < H-2, 0 <= j < W-2 = sum(p, q for 0 <= p < 3, 0 <= q < 3:
	X(b,c,i+p,j+q) * F(c,p,q));
S(b,c,i,j) for 0 <= i < H-2, 0 <= j < W-2 = sum(p, q for 0 <= p < 2, 0 <= q < 2:
	V(b,c,2*i+p,2*j+q));
out Z(b,c,i,j) = S(b,c,i,j) * 0.25;
out P(b,c,i,j) for 0 <= i < H, 0 <= j < W = sum(p, q for 0 <= p < 3, 0 <= q < 3,
	0 <= i+p-1 < H, 0 <= j+q-1 < W: X(b,c,i+p-1,j+q-1) * F(c,p,q));
# POLY:     array S_acc f32 temp register
# POLY:     array S f16 temp register
# POLY-NOT: kernel {{[a-z_-]+}}_P naive {{.*}} steps
# POLY:     kernel {{[a-z_-]+}}_Z naive {{.*}} steps 4
# POLY:     kernel {{[a-z_-]+}}_Y naive {{.*}} steps 4
# CHECK:          entry {{[a-z_-]+}}_Z(
# CHECK-COUNT-2:  ld.global{{.*}}.v4.b32
# CHECK-NOT:      ld.global
# CHECK:          st.global.v4.b16
# CHECK:          entry {{[a-z_-]+}}_Y(
# CHECK-COUNT-18: ld.global
# CHECK-NOT:      ld.global
# CHECK:          st.global.v4.b32
# ONE-NOT:        kernel {{.*}} steps
