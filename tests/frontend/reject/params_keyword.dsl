Params Matrix; // ERROR[E107] 8: expected a name, found 'Matrix'
