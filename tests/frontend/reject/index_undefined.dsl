out y(i) = z(i); // ERROR[E201] 12: 'z' is not defined
