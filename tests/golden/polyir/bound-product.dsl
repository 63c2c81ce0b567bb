# Check that of blocks whose time memory bounds alike a product has those that take least
# beside it: warpgroups here, and not the first ones that there are.
# RUN: %cetane build %s --arch=sm_90a --emit=poly --stop-after=map_tiles -o - | FileCheck %s
# CHECK: kernel {{.*}} tile {{.*}} unit wgmma.m64k16.bf16
tensor bf16 A(64,512,512), B(64,512,64);
out C(s,m,n) = bf16(sum(k: f32(A(s,m,k)) * f32(B(s,k,n))));
