param N;
tensor float x(N); // ERROR[E121] 8: 'float' is not a type: i8 i16 i32 i64 u8 u16 u32 u64 bool f8e4m3 f8e5m2 f16 bf16 tf32 f32 f64; did you mean f32
out y(i) = x(i);
