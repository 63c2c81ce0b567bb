param N;
tensor i32 k(N);
out m(k(i)) += 1; // ERROR[E294] 5: no definition above says which elements 'm' has
out p(b) for 0 <= b < 9 = 1;
p(k(i), k(i)) += 1; // ERROR[E221] 1: 'p' has 1 index, found 2
