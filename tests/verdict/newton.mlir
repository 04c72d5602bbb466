module @jit_newton attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<300xf32>) -> (tensor<300xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.abs %arg0 : tensor<300xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<300xf32>
    %2 = stablehlo.add %0, %1 : tensor<300xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %3:3 = stablehlo.while(%iterArg = %2, %iterArg_0 = %2, %iterArg_1 = %c) : tensor<300xf32>, tensor<300xf32>, tensor<i64>
    cond {
      %c_2 = stablehlo.constant dense<6> : tensor<i64>
      %4 = stablehlo.compare LT, %iterArg_1, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.divide %iterArg, %iterArg_0 : tensor<300xf32>
      %5 = stablehlo.add %iterArg_0, %4 : tensor<300xf32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<300xf32>
      %7 = stablehlo.divide %5, %6 : tensor<300xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.add %iterArg_1, %c_3 : tensor<i64>
      stablehlo.return %iterArg, %7, %8 : tensor<300xf32>, tensor<300xf32>, tensor<i64>
    }
    return %3#1 : tensor<300xf32>
  }
}
