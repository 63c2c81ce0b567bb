for i in range(10): y[i] = x[i] // ERROR[E107] 5: found 'i'; a loop or a function in C is a program of its own, in a file .c // ERROR[E101] 22: unexpected '['; elements are read as in A(i,j)
