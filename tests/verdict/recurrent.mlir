module @jit_recurrent attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x20xf32>, %arg1: tensor<12x20xf32>, %arg2: tensor<20x20xf32>, %arg3: tensor<20x20xf32>) -> (tensor<12x20xf32> {jax.result_info = "result[0]"}, tensor<6x12xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:6 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %arg1, %iterArg_1 = %arg3, %iterArg_2 = %c, %iterArg_3 = %arg0, %iterArg_4 = %0) : tensor<20x20xf32>, tensor<12x20xf32>, tensor<20x20xf32>, tensor<i64>, tensor<12x20xf32>, tensor<6x12xf32>
    cond {
      %c_5 = stablehlo.constant dense<6> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_2, %c_5, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg, %iterArg_0, %iterArg_1, %iterArg_3) : (tensor<20x20xf32>, tensor<12x20xf32>, tensor<20x20xf32>, tensor<12x20xf32>) -> (tensor<12x20xf32>, tensor<12xf32>)
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_4, %2#1, %iterArg_2) : (tensor<6x12xf32>, tensor<12xf32>, tensor<i64>) -> tensor<6x12xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %4 = stablehlo.add %iterArg_2, %c_5 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %4, %2#0, %3 : tensor<20x20xf32>, tensor<12x20xf32>, tensor<20x20xf32>, tensor<i64>, tensor<12x20xf32>, tensor<6x12xf32>
    }
    return %1#4, %1#5 : tensor<12x20xf32>, tensor<6x12xf32>
  }
  func.func private @closed_call(%arg0: tensor<20x20xf32>, %arg1: tensor<12x20xf32>, %arg2: tensor<20x20xf32>, %arg3: tensor<12x20xf32>) -> (tensor<12x20xf32>, tensor<12xf32>) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x20xf32>, tensor<20x20xf32>) -> tensor<12x20xf32>
    %1 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x20xf32>, tensor<20x20xf32>) -> tensor<12x20xf32>
    %2 = stablehlo.add %0, %1 : tensor<12x20xf32>
    %3 = stablehlo.tanh %2 : tensor<12x20xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%arg3 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<12x20xf32>, tensor<f32>) -> tensor<12xf32>
    return %3, %4 : tensor<12x20xf32>, tensor<12xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<i64>) -> tensor<6x12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<6x12xf32>, tensor<1x12xf32>, tensor<i64>, tensor<i64>) -> tensor<6x12xf32>
    return %1 : tensor<6x12xf32>
  }
}
