tensor f32 x();
out y(i) for 0 <= i < 1024 = case {
i / 1 % 2 == 0 and x > 0: 0;
i / 2 % 2 == 0 and x > 1: 1;
i / 4 % 2 == 0 and x > 2: 2;
i / 8 % 2 == 0 and x > 3: 3;
i / 16 % 2 == 0 and x > 4: 4;
i / 32 % 2 == 0 and x > 5: 5;
i / 64 % 2 == 0 and x > 6: 6;
i / 128 % 2 == 0 and x > 7: 7;
i / 256 % 2 == 0 and x > 8: 8; // ERROR[E243] 1: conditions that values decide leave more than 64 choices
i / 512 % 2 == 0 and x > 9: 9;
else: 0; };
