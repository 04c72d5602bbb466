module @jit_spirals attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32> loc("weights['params']['Dense_0']['bias']"), %arg1: tensor<2x24xf32> loc("weights['params']['Dense_0']['kernel']"), %arg2: tensor<24xf32> loc("weights['params']['Dense_1']['bias']"), %arg3: tensor<24x24xf32> loc("weights['params']['Dense_1']['kernel']"), %arg4: tensor<1xf32> loc("weights['params']['Dense_2']['bias']"), %arg5: tensor<24x1xf32> loc("weights['params']['Dense_2']['kernel']"), %arg6: tensor<2048x2xf32> loc("x0")) -> (tensor<2048xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg6, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x2xf32>, tensor<2x24xf32>) -> tensor<2048x24xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<24xf32>) -> tensor<1x24xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<2048x24xf32>
    %3 = stablehlo.add %0, %2 : tensor<2048x24xf32>
    %4 = stablehlo.tanh %3 : tensor<2048x24xf32>
    %5 = stablehlo.dot_general %4, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x24xf32>, tensor<24x24xf32>) -> tensor<2048x24xf32>
    %6 = stablehlo.reshape %arg2 : (tensor<24xf32>) -> tensor<1x24xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<2048x24xf32>
    %8 = stablehlo.add %5, %7 : tensor<2048x24xf32>
    %9 = stablehlo.tanh %8 : tensor<2048x24xf32>
    %10 = stablehlo.dot_general %9, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2048x24xf32>, tensor<24x1xf32>) -> tensor<2048x1xf32>
    %11 = stablehlo.reshape %arg4 : (tensor<1xf32>) -> tensor<1x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<2048x1xf32>
    %13 = stablehlo.add %10, %12 : tensor<2048x1xf32>
    %14 = stablehlo.reshape %13 : (tensor<2048x1xf32>) -> tensor<2048xf32>
    return %14 : tensor<2048xf32>
  }
}
