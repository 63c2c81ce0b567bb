-- Rows of a softmax, each in the registers of a block: read once, and written once.
rows()
divide()
