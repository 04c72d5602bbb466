module @jit_heat_f64 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<34x34xf64>) -> (tensor<34x34xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i64>, tensor<34x34xf64>
    cond {
      %c_1 = stablehlo.constant dense<8> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call(%iterArg_0) : (tensor<34x34xf64>) -> tensor<34x34xf64>
      %c_1 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg, %c_1 : tensor<i64>
      stablehlo.return %2, %1 : tensor<i64>, tensor<34x34xf64>
    }
    return %0#1 : tensor<34x34xf64>
  }
  func.func private @closed_call(%arg0: tensor<34x34xf64>) -> tensor<34x34xf64> {
    %0 = stablehlo.slice %arg0 [1:33, 1:33] : (tensor<34x34xf64>) -> tensor<32x32xf64>
    %1 = stablehlo.slice %arg0 [0:32, 1:33] : (tensor<34x34xf64>) -> tensor<32x32xf64>
    %2 = stablehlo.slice %arg0 [2:34, 1:33] : (tensor<34x34xf64>) -> tensor<32x32xf64>
    %3 = stablehlo.add %1, %2 : tensor<32x32xf64>
    %4 = stablehlo.slice %arg0 [1:33, 0:32] : (tensor<34x34xf64>) -> tensor<32x32xf64>
    %5 = stablehlo.add %3, %4 : tensor<32x32xf64>
    %6 = stablehlo.slice %arg0 [1:33, 2:34] : (tensor<34x34xf64>) -> tensor<32x32xf64>
    %7 = stablehlo.add %5, %6 : tensor<32x32xf64>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<32x32xf64>
    %9 = stablehlo.multiply %8, %0 : tensor<32x32xf64>
    %10 = stablehlo.subtract %7, %9 : tensor<32x32xf64>
    %cst_0 = stablehlo.constant dense<2.000000e-01> : tensor<f64>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<32x32xf64>
    %12 = stablehlo.multiply %11, %10 : tensor<32x32xf64>
    %13 = stablehlo.add %0, %12 : tensor<32x32xf64>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %16 = stablehlo.concatenate %14, %15, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %17 = "stablehlo.scatter"(%arg0, %16, %13) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<34x34xf64>, tensor<2xi32>, tensor<32x32xf64>) -> tensor<34x34xf64>
    return %17 : tensor<34x34xf64>
  }
}
