# JAX's lattice, weak literals included.
i = arange(2)
print((i * 0.5).dtype, (i + f32(1)).dtype, (f16(i) + bf16(i)).dtype, (i64(i) + f32(i)).dtype, (u8(i) + i).dtype)
#> f32 f32 f32 f32 i32
print((u32(i) + i).dtype, (u8(i) + 1).dtype, (f16(i) * 2.0).dtype, (i > 0).dtype, ((i > 0) + 1).dtype, (i / i64(2)).dtype)
#> i64 u8 f16 bool i32 f32
print(i32(stack([2.9, -2.9, 3e9, 0.0 / 1.0])), u8(stack([-1.0, 300.0])), f32(true), bool(stack([0, 2])))
#> [         2         -2 2147483647          0] [  0 255] 1.0 [False  True]
