#error wrong // ERROR[E156] 2: wrong
