-- A column of a matrix times a vector: sums in parts, which neighbouring threads go
-- through side by side, so that rows are read in a run.
order [[band permutable coincident 1 0 "{ S1[i, j] -> [(i), (j)] }"]]
divide()
