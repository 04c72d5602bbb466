module @jit_softmax_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x50xf64>) -> (tensor<20x50xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+01> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<20x50xf64>
    %1 = stablehlo.multiply %arg0, %0 : tensor<20x50xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<20x50xf64>, tensor<f64>) -> tensor<20xf64>
    %cst_1 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<20xf64>
    %4 = stablehlo.maximum %3, %2 : tensor<20xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<20xf64>) -> tensor<20x1xf64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<20x1xf64>) -> tensor<20x50xf64>
    %7 = stablehlo.subtract %1, %6 : tensor<20x50xf64>
    %8 = stablehlo.exponential %7 : tensor<20x50xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<20x50xf64>, tensor<f64>) -> tensor<20xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<20xf64>) -> tensor<20x1xf64>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<20x1xf64>) -> tensor<20x50xf64>
    %12 = stablehlo.divide %8, %11 : tensor<20x50xf64>
    return %12 : tensor<20x50xf64>
  }
}
