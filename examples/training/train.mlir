module @jit_train attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x24xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<24xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<24x24xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<24xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<24xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<256x2xf32>, %arg6: tensor<256xf32>) -> (tensor<2x24xf32> {jax.result_info = "result[0]"}, tensor<24xf32> {jax.result_info = "result[1]"}, tensor<24x24xf32> {jax.result_info = "result[2]"}, tensor<24xf32> {jax.result_info = "result[3]"}, tensor<24xf32> {jax.result_info = "result[4]"}, tensor<f32> {jax.result_info = "result[5]"}, tensor<f32> {jax.result_info = "result[6]"}) {
    %0 = stablehlo.negate %arg6 : tensor<256xf32>
    %1 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x2xf32>, tensor<2x24xf32>) -> tensor<256x24xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<256x24xf32>
    %4 = stablehlo.add %1, %3 : tensor<256x24xf32>
    %5 = stablehlo.tanh %4 : tensor<256x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<256x24xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<256x24xf32>
    %8 = stablehlo.dot_general %5, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x24xf32>, tensor<24x24xf32>) -> tensor<256x24xf32>
    %9 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<256x24xf32>
    %11 = stablehlo.add %8, %10 : tensor<256x24xf32>
    %12 = stablehlo.tanh %11 : tensor<256x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256x24xf32>
    %14 = stablehlo.subtract %13, %12 : tensor<256x24xf32>
    %15 = stablehlo.dot_general %12, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x24xf32>, tensor<24xf32>) -> tensor<256xf32>
    %16 = stablehlo.multiply %0, %15 : tensor<256xf32>
    %17 = stablehlo.exponential %16 : tensor<256xf32>
    %18 = stablehlo.log_plus_one %17 : tensor<256xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %20 = stablehlo.add %17, %19 : tensor<256xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%18 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %22 = stablehlo.divide %21, %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %23 = stablehlo.divide %cst_4, %cst_5 : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %25 = stablehlo.divide %24, %20 : tensor<256xf32>
    %26 = stablehlo.multiply %25, %17 : tensor<256xf32>
    %27 = stablehlo.multiply %0, %26 : tensor<256xf32>
    %28 = stablehlo.dot_general %27, %12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256xf32>, tensor<256x24xf32>) -> tensor<24xf32>
    %29 = stablehlo.dot_general %27, %arg4, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<256xf32>, tensor<24xf32>) -> tensor<256x24xf32>
    %30 = stablehlo.multiply %29, %14 : tensor<256x24xf32>
    %31 = stablehlo.multiply %30, %12 : tensor<256x24xf32>
    %32 = stablehlo.add %30, %31 : tensor<256x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<256x24xf32>, tensor<f32>) -> tensor<24xf32>
    %34 = stablehlo.reshape %33 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %36 = stablehlo.dot_general %32, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x24xf32>, tensor<256x24xf32>) -> tensor<24x24xf32>
    %37 = stablehlo.transpose %36, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %38 = stablehlo.dot_general %32, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<256x24xf32>, tensor<24x24xf32>) -> tensor<256x24xf32>
    %39 = stablehlo.multiply %38, %7 : tensor<256x24xf32>
    %40 = stablehlo.multiply %39, %5 : tensor<256x24xf32>
    %41 = stablehlo.add %39, %40 : tensor<256x24xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<256x24xf32>, tensor<f32>) -> tensor<24xf32>
    %43 = stablehlo.reshape %42 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %45 = stablehlo.dot_general %41, %arg5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x24xf32>, tensor<256x2xf32>) -> tensor<24x2xf32>
    %46 = stablehlo.transpose %45, dims = [1, 0] : (tensor<24x2xf32>) -> tensor<2x24xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<2x24xf32>
    %49 = stablehlo.subtract %arg0, %48 : tensor<2x24xf32>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %51 = stablehlo.multiply %50, %44 : tensor<24xf32>
    %52 = stablehlo.subtract %arg1, %51 : tensor<24xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<24x24xf32>
    %54 = stablehlo.multiply %53, %37 : tensor<24x24xf32>
    %55 = stablehlo.subtract %arg2, %54 : tensor<24x24xf32>
    %cst_13 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %57 = stablehlo.multiply %56, %35 : tensor<24xf32>
    %58 = stablehlo.subtract %arg3, %57 : tensor<24xf32>
    %cst_14 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %60 = stablehlo.multiply %59, %28 : tensor<24xf32>
    %61 = stablehlo.subtract %arg4, %60 : tensor<24xf32>
    %62 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x2xf32>, tensor<2x24xf32>) -> tensor<256x24xf32>
    %63 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<256x24xf32>
    %65 = stablehlo.add %62, %64 : tensor<256x24xf32>
    %66 = stablehlo.tanh %65 : tensor<256x24xf32>
    %67 = stablehlo.dot_general %66, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x24xf32>, tensor<24x24xf32>) -> tensor<256x24xf32>
    %68 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<256x24xf32>
    %70 = stablehlo.add %67, %69 : tensor<256x24xf32>
    %71 = stablehlo.tanh %70 : tensor<256x24xf32>
    %72 = stablehlo.dot_general %71, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x24xf32>, tensor<24xf32>) -> tensor<256xf32>
    %73 = stablehlo.multiply %72, %arg6 : tensor<256xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %75 = stablehlo.compare GT, %73, %74, FLOAT : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xi1>
    %76 = stablehlo.convert %75 : (tensor<256xi1>) -> tensor<256xi32>
    %77 = stablehlo.convert %76 : (tensor<256xi32>) -> tensor<256xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %79 = stablehlo.divide %78, %cst_17 : tensor<f32>
    return %49, %52, %55, %58, %61, %22, %79 : tensor<2x24xf32>, tensor<24xf32>, tensor<24x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>, tensor<f32>
  }
}
