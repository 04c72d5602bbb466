module @jit_mandelbrot attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xcomplex<f32>>) -> (tensor<16x16xf32> {jax.result_info = "result[0]"}, tensor<16x16xcomplex<f32>> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<16x16xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %0) : tensor<16x16xcomplex<f32>>, tensor<i64>, tensor<16x16xcomplex<f32>>
    cond {
      %c_2 = stablehlo.constant dense<5> : tensor<i64>
      %3 = stablehlo.compare LT, %iterArg_0, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @closed_call(%iterArg, %iterArg_1) : (tensor<16x16xcomplex<f32>>, tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>
      %c_2 = stablehlo.constant dense<1> : tensor<i64>
      %4 = stablehlo.add %iterArg_0, %c_2 : tensor<i64>
      stablehlo.return %iterArg, %4, %3 : tensor<16x16xcomplex<f32>>, tensor<i64>, tensor<16x16xcomplex<f32>>
    }
    %2 = stablehlo.abs %1#2 : (tensor<16x16xcomplex<f32>>) -> tensor<16x16xf32>
    return %2, %1#2 : tensor<16x16xf32>, tensor<16x16xcomplex<f32>>
  }
  func.func private @closed_call(%arg0: tensor<16x16xcomplex<f32>>, %arg1: tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>> {
    %0 = stablehlo.multiply %arg1, %arg1 : tensor<16x16xcomplex<f32>>
    %1 = stablehlo.add %0, %arg0 : tensor<16x16xcomplex<f32>>
    return %1 : tensor<16x16xcomplex<f32>>
  }
}
