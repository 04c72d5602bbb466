module @jit_adam attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<500xf32>, %arg1: tensor<500xf32>, %arg2: tensor<500xf32>, %arg3: tensor<500xf32>) -> (tensor<500xf32> {jax.result_info = "result[0]"}, tensor<500xf32> {jax.result_info = "result[1]"}, tensor<500xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<500xf32>
    %1 = stablehlo.multiply %0, %arg2 : tensor<500xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<500xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<500xf32>
    %4 = stablehlo.add %1, %3 : tensor<500xf32>
    %5 = stablehlo.abs %arg3 : tensor<500xf32>
    %cst_1 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<500xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<500xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<500xf32>
    %9 = stablehlo.multiply %8, %arg1 : tensor<500xf32>
    %10 = stablehlo.multiply %9, %arg1 : tensor<500xf32>
    %11 = stablehlo.add %7, %10 : tensor<500xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<500xf32>
    %13 = stablehlo.divide %4, %12 : tensor<500xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<500xf32>
    %15 = stablehlo.multiply %14, %13 : tensor<500xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<500xf32>
    %17 = stablehlo.divide %11, %16 : tensor<500xf32>
    %18 = stablehlo.sqrt %17 : tensor<500xf32>
    %cst_6 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<500xf32>
    %20 = stablehlo.add %18, %19 : tensor<500xf32>
    %21 = stablehlo.divide %15, %20 : tensor<500xf32>
    %22 = stablehlo.subtract %arg0, %21 : tensor<500xf32>
    return %22, %4, %11 : tensor<500xf32>, tensor<500xf32>, tensor<500xf32>
  }
}
