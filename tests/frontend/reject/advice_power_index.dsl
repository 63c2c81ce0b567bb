tensor f32 x(8);
out y(i) = x(i) ** 2; // ERROR[E107] 18: expected an expression, found '*'; a power is pow(x, y)
