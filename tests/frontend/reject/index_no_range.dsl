out y(i) = 1; // ERROR[E229] 7: the range of 'i' cannot be inferred; write it behind 'for'
