# Updates at positions that data tell, of what definitions above begin: of one dimension
# or several, by each operator, of cells that do not begin at 0 or are no whole box, at
# positions that are affine or partly so, and gathers from what the program makes.
param N, B, D;
assume B >= 1, N >= 1, D >= 1;
tensor i32 bin(N), v(N);  tensor u8 small(N);  tensor i64 wide(N);
tensor f32 x(B,D), g(N,D);  tensor i8 tiny(N);
out h(b) for 0 <= b < B = i32(0);
h(bin(i)) += 1;
m(b) for -7 <= b < 300 = b == 3 ? i32(5) : 2;
out m(i32(small(i)) - 7) max= v(i);
y(j,e) = x(j,e);
out y(bin(i), d) += g(i,d);
q(b) for 0 <= b < B = case { b == 0: i32(7); else: 1; };
q(bin(i)) for 1 <= i < N min= v(i);
out q(bin(i)) += 3 * v(i);
out z(b,d) for 0 <= b < 9 = v(d);
z(i % 9, d) += v(i);
out t(a,b) for 0 <= a <= b < B = i64(3);
t(bin(i), bin(bin(i) % N)) *= wide(i);
out bytes(b) for 0 <= b < B = i8(1);
bytes(bin(N-1-i)) += tiny(i);
out r(i) = h(bin(i)) + m(bin(i)) + q(bin(i)) * h(bin(N-1-i));
out s(i,d) = y(bin(i),d) * 2.0 + y(bin(i), D-1-d);
twice(i) = 2 * v(i);
out w(i) = twice(bin(i) % N) + sum(j for 0 <= j < 3: twice((bin(i) + j) % N));
