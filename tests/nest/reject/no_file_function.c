double a[100]; // ERROR[E160] 1: no function and no region
