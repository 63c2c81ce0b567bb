# --host-seed=257 --fp=strict --no-contract --roundtrip -DA=1 -DB=32
# A sum over one row, whose loop is parallel: lanes would take its place.
param A, B;
tensor f32 x0(A,B);
tensor f32 x1(A,B);
d0(i,j) = x1(i,j);
d4() = (min(ir, jr: (x0(ir,jr) * (max(jrr: d0(ir,jrr))))));
out D4() = f32(d4());
