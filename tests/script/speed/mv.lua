-- A row of a matrix times a vector: the lanes of a block share a sum, and put it together
-- in registers.
reduce("j", 128, "lanes")
