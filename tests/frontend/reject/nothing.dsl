// Only a comment. ERROR[E219] -: the program defines no matrix
