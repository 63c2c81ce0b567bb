 // ERROR[E153] -: has a loop
