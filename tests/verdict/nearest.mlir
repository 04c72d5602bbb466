module @jit_nearest attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40x6xf32>, %arg1: tensor<9x6xf32>) -> (tensor<40xi64> {jax.result_info = "result[0]"}, tensor<40xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<40x6xf32>) -> tensor<40x1x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<9x6xf32>) -> tensor<1x9x6xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<40x1x6xf32>) -> tensor<40x9x6xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x9x6xf32>) -> tensor<40x9x6xf32>
    %4 = stablehlo.subtract %2, %3 : tensor<40x9x6xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<40x9x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<40x9x6xf32>, tensor<f32>) -> tensor<40x9xf32>
    %7 = call @argmin(%6) : (tensor<40x9xf32>) -> tensor<40xi64>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %8 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.minimum across dimensions = [1] : (tensor<40x9xf32>, tensor<f32>) -> tensor<40xf32>
    return %7, %8 : tensor<40xi64>, tensor<40xf32>
  }
  func.func private @argmin(%arg0: tensor<40x9xf32>) -> tensor<40xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<40x9xi64>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<40x9xf32>, tensor<40x9xi64>, tensor<f32>, tensor<i64>) -> (tensor<40xf32>, tensor<40xi64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<40xi64>
  }
}
