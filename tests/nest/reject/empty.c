 // ERROR[E160] 1: has no function
