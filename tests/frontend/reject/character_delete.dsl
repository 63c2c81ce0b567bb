Matrix A(2,2);
B = A  A; // ERROR[E101] 7: unexpected byte 0x7f
