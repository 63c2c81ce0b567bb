# Check that lanes of a sum are enough only for the values of all of its loops together: a
# cell here has 99,138, of which no loop has more than 1271. They have shares of another loop.
# RUN: %cetane build %s --arch=sm_80 --emit=poly -o - | FileCheck %s
# RUN: %cetane run %s --arch=sm_80 --device=host
# CHECK: array s_part f32 temp global "{ s_part[(4), (32), (256)] }"
# CHECK: kernel {{.*}}_s_part naive
tensor f32 x(4,39,2,1271);
out s(i) = sum(j,k,l: x(i,j,k,l)*x(i,j,k,l));
