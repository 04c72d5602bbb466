module @jit_blur_u8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x24xui8>) -> (tensor<20x24xui8> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<20x24xui8>) -> tensor<20x24xi32>
    %1 = call @_pad(%0) : (tensor<20x24xi32>) -> tensor<22x26xi32>
    %2 = stablehlo.slice %1 [0:20, 0:24] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<20x24xi32>
    %4 = stablehlo.add %3, %2 : tensor<20x24xi32>
    %5 = stablehlo.slice %1 [0:20, 1:25] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %6 = stablehlo.add %4, %5 : tensor<20x24xi32>
    %7 = stablehlo.slice %1 [0:20, 2:26] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %8 = stablehlo.add %6, %7 : tensor<20x24xi32>
    %9 = stablehlo.slice %1 [1:21, 0:24] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %10 = stablehlo.add %8, %9 : tensor<20x24xi32>
    %11 = stablehlo.slice %1 [1:21, 1:25] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %12 = stablehlo.add %10, %11 : tensor<20x24xi32>
    %13 = stablehlo.slice %1 [1:21, 2:26] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %14 = stablehlo.add %12, %13 : tensor<20x24xi32>
    %15 = stablehlo.slice %1 [2:22, 0:24] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %16 = stablehlo.add %14, %15 : tensor<20x24xi32>
    %17 = stablehlo.slice %1 [2:22, 1:25] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %18 = stablehlo.add %16, %17 : tensor<20x24xi32>
    %19 = stablehlo.slice %1 [2:22, 2:26] : (tensor<22x26xi32>) -> tensor<20x24xi32>
    %20 = stablehlo.add %18, %19 : tensor<20x24xi32>
    %c_0 = stablehlo.constant dense<9> : tensor<i64>
    %21 = call @floor_divide(%20, %c_0) : (tensor<20x24xi32>, tensor<i64>) -> tensor<20x24xi32>
    %22 = stablehlo.convert %21 : (tensor<20x24xi32>) -> tensor<20x24xui8>
    return %22 : tensor<20x24xui8>
  }
  func.func private @_pad(%arg0: tensor<20x24xi32>) -> tensor<22x26xi32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:24] : (tensor<20x24xi32>) -> tensor<1x24xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<1x24xi32>) -> tensor<1x1x24xi32>
    %2 = stablehlo.reshape %1 : (tensor<1x1x24xi32>) -> tensor<1x24xi32>
    %3 = stablehlo.slice %arg0 [19:20, 0:24] : (tensor<20x24xi32>) -> tensor<1x24xi32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<1x24xi32>) -> tensor<1x1x24xi32>
    %5 = stablehlo.reshape %4 : (tensor<1x1x24xi32>) -> tensor<1x24xi32>
    %6 = stablehlo.concatenate %2, %arg0, %5, dim = 0 : (tensor<1x24xi32>, tensor<20x24xi32>, tensor<1x24xi32>) -> tensor<22x24xi32>
    %7 = stablehlo.slice %6 [0:22, 0:1] : (tensor<22x24xi32>) -> tensor<22x1xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<22x1xi32>) -> tensor<22x1x1xi32>
    %9 = stablehlo.reshape %8 : (tensor<22x1x1xi32>) -> tensor<22x1xi32>
    %10 = stablehlo.slice %6 [0:22, 23:24] : (tensor<22x24xi32>) -> tensor<22x1xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<22x1xi32>) -> tensor<22x1x1xi32>
    %12 = stablehlo.reshape %11 : (tensor<22x1x1xi32>) -> tensor<22x1xi32>
    %13 = stablehlo.concatenate %9, %6, %12, dim = 1 : (tensor<22x1xi32>, tensor<22x24xi32>, tensor<22x1xi32>) -> tensor<22x26xi32>
    return %13 : tensor<22x26xi32>
  }
  func.func private @floor_divide(%arg0: tensor<20x24xi32>, %arg1: tensor<i64>) -> tensor<20x24xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<20x24xi32>
    %2 = stablehlo.divide %arg0, %1 : tensor<20x24xi32>
    %3 = stablehlo.sign %arg0 : tensor<20x24xi32>
    %4 = stablehlo.sign %0 : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<20x24xi32>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<20x24xi32>, tensor<20x24xi32>) -> tensor<20x24xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<20x24xi32>
    %8 = stablehlo.remainder %arg0, %7 : tensor<20x24xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<20x24xi32>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<20x24xi32>, tensor<20x24xi32>) -> tensor<20x24xi1>
    %11 = stablehlo.and %6, %10 : tensor<20x24xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<20x24xi32>
    %13 = stablehlo.subtract %2, %12 : tensor<20x24xi32>
    %14 = call @_where(%11, %13, %2) : (tensor<20x24xi1>, tensor<20x24xi32>, tensor<20x24xi32>) -> tensor<20x24xi32>
    return %14 : tensor<20x24xi32>
  }
  func.func private @_where(%arg0: tensor<20x24xi1>, %arg1: tensor<20x24xi32>, %arg2: tensor<20x24xi32>) -> tensor<20x24xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<20x24xi1>, tensor<20x24xi32>
    return %0 : tensor<20x24xi32>
  }
}
