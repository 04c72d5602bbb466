module @jit_write attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<15360xf32>, %arg1: tensor<2x32x32xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<32xf32> {jax.result_info = "result[0]"}, tensor<2x32x32xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.slice %arg0 [0:4096] : (tensor<15360xf32>) -> tensor<4096xf32>
    %1 = stablehlo.slice %arg0 [4096:5120] : (tensor<15360xf32>) -> tensor<1024xf32>
    %2 = stablehlo.slice %arg0 [5120:6144] : (tensor<15360xf32>) -> tensor<1024xf32>
    %3 = stablehlo.slice %arg0 [6144:7168] : (tensor<15360xf32>) -> tensor<1024xf32>
    %4 = stablehlo.slice %arg0 [7168:8192] : (tensor<15360xf32>) -> tensor<1024xf32>
    %5 = stablehlo.slice %arg0 [8192:11264] : (tensor<15360xf32>) -> tensor<3072xf32>
    %6 = stablehlo.slice %arg0 [11264:15360] : (tensor<15360xf32>) -> tensor<4096xf32>
    %7 = stablehlo.reshape %0 : (tensor<4096xf32>) -> tensor<128x32xf32>
    %8 = stablehlo.reshape %1 : (tensor<1024xf32>) -> tensor<32x32xf32>
    %9 = stablehlo.reshape %2 : (tensor<1024xf32>) -> tensor<32x32xf32>
    %10 = stablehlo.reshape %3 : (tensor<1024xf32>) -> tensor<32x32xf32>
    %11 = stablehlo.reshape %4 : (tensor<1024xf32>) -> tensor<32x32xf32>
    %12 = stablehlo.reshape %5 : (tensor<3072xf32>) -> tensor<32x96xf32>
    %13 = stablehlo.reshape %6 : (tensor<4096xf32>) -> tensor<32x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %15 = stablehlo.add %arg2, %c_0 : tensor<i32>
    %16 = stablehlo.select %14, %15, %arg2 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.compare LT, %c_1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<32> : tensor<i32>
    %18 = stablehlo.add %c_3, %c_4 : tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.select %17, %18, %c_5 : tensor<i1>, tensor<i32>
    %20 = stablehlo.dynamic_slice %9, %16, %19, sizes = [1, 32] : (tensor<32x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x32xf32>) -> tensor<32xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.compare LT, %arg3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<32> : tensor<i32>
    %23 = stablehlo.add %arg3, %c_7 : tensor<i32>
    %24 = stablehlo.select %22, %23, %arg3 : tensor<i1>, tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.compare LT, %c_8, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<32> : tensor<i32>
    %26 = stablehlo.add %c_10, %c_11 : tensor<i32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %27 = stablehlo.select %25, %26, %c_12 : tensor<i1>, tensor<i32>
    %28 = stablehlo.dynamic_slice %11, %24, %27, sizes = [1, 32] : (tensor<32x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x32xf32>) -> tensor<32xf32>
    %30 = stablehlo.add %21, %29 : tensor<32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%30 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_13 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %34 = stablehlo.divide %32, %33 : tensor<1xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<1xf32>) -> tensor<32xf32>
    %36 = stablehlo.subtract %30, %35 : tensor<32xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %37 = call @_var(%30, %c_14) : (tensor<32xf32>, tensor<i32>) -> tensor<1xf32>
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %39 = stablehlo.add %37, %38 : tensor<1xf32>
    %40 = stablehlo.rsqrt %39 : tensor<1xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<1xf32>) -> tensor<32xf32>
    %42 = stablehlo.multiply %36, %41 : tensor<32xf32>
    %43 = stablehlo.dot_general %42, %12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32xf32>, tensor<32x96xf32>) -> tensor<96xf32>
    %44 = stablehlo.slice %43 [0:32] : (tensor<96xf32>) -> tensor<32xf32>
    %45 = stablehlo.slice %43 [32:64] : (tensor<96xf32>) -> tensor<32xf32>
    %46 = stablehlo.slice %43 [64:96] : (tensor<96xf32>) -> tensor<32xf32>
    %47 = stablehlo.broadcast_in_dim %45, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %48 = stablehlo.broadcast_in_dim %46, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %49 = stablehlo.concatenate %47, %48, dim = 0 : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<2x32xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 2] : (tensor<2x32xf32>) -> tensor<2x1x32xf32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %51 = stablehlo.compare LT, %arg3, %c_16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_17 = stablehlo.constant dense<32> : tensor<i32>
    %52 = stablehlo.add %arg3, %c_17 : tensor<i32>
    %53 = stablehlo.select %51, %52, %arg3 : tensor<i1>, tensor<i32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %54 = stablehlo.dynamic_update_slice %arg1, %50, %c_18, %53, %c_19 : (tensor<2x32x32xf32>, tensor<2x1x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x32x32xf32>
    %55 = stablehlo.reshape %44 : (tensor<32xf32>) -> tensor<4x8xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [1, 2] : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
    %57 = stablehlo.slice %54 [0:1, 0:32, 0:32] : (tensor<2x32x32xf32>) -> tensor<1x32x32xf32>
    %58 = stablehlo.reshape %57 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
    %59 = stablehlo.reshape %58 : (tensor<32x32xf32>) -> tensor<32x4x8xf32>
    %60 = stablehlo.slice %54 [1:2, 0:32, 0:32] : (tensor<2x32x32xf32>) -> tensor<1x32x32xf32>
    %61 = stablehlo.reshape %60 : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
    %62 = stablehlo.reshape %61 : (tensor<32x32xf32>) -> tensor<32x4x8xf32>
    %63 = stablehlo.iota dim = 0 : tensor<32xi32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [1] : (tensor<32xi32>) -> tensor<1x32xi32>
    %65 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<i32>) -> tensor<1x32xi32>
    %66 = stablehlo.compare LE, %64, %65, SIGNED : (tensor<1x32xi32>, tensor<1x32xi32>) -> tensor<1x32xi1>
    %67 = stablehlo.dot_general %56, %59, batching_dims = [1] x [1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x4x8xf32>, tensor<32x4x8xf32>) -> tensor<4x1x32xf32>
    %cst_20 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x1x32xf32>
    %69 = stablehlo.multiply %67, %68 : tensor<4x1x32xf32>
    %cst_21 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %70 = call @_where_0(%66, %69, %cst_21) : (tensor<1x32xi1>, tensor<4x1x32xf32>, tensor<f32>) -> tensor<4x1x32xf32>
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_22) applies stablehlo.maximum across dimensions = [2] : (tensor<4x1x32xf32>, tensor<f32>) -> tensor<4x1xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %73 = stablehlo.maximum %72, %71 : tensor<4x1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x32xf32>
    %76 = stablehlo.subtract %70, %75 : tensor<4x1x32xf32>
    %77 = stablehlo.exponential %76 : tensor<4x1x32xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<4x1x32xf32>, tensor<f32>) -> tensor<4x1xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x1x32xf32>
    %81 = stablehlo.divide %77, %80 : tensor<4x1x32xf32>
    %82 = stablehlo.dot_general %62, %81, batching_dims = [1] x [0], contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x4x8xf32>, tensor<4x1x32xf32>) -> tensor<4x8x1xf32>
    %83 = stablehlo.transpose %82, dims = [2, 0, 1] : (tensor<4x8x1xf32>) -> tensor<1x4x8xf32>
    %84 = stablehlo.reshape %83 : (tensor<1x4x8xf32>) -> tensor<1x32xf32>
    %85 = stablehlo.reshape %84 : (tensor<1x32xf32>) -> tensor<32xf32>
    %86 = stablehlo.dot_general %85, %10, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32xf32>, tensor<32x32xf32>) -> tensor<32xf32>
    %87 = stablehlo.add %30, %86 : tensor<32xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_25) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_26 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %91 = stablehlo.divide %89, %90 : tensor<1xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0] : (tensor<1xf32>) -> tensor<32xf32>
    %93 = stablehlo.subtract %87, %92 : tensor<32xf32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %94 = call @_var(%87, %c_27) : (tensor<32xf32>, tensor<i32>) -> tensor<1xf32>
    %cst_28 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %96 = stablehlo.add %94, %95 : tensor<1xf32>
    %97 = stablehlo.rsqrt %96 : tensor<1xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0] : (tensor<1xf32>) -> tensor<32xf32>
    %99 = stablehlo.multiply %93, %98 : tensor<32xf32>
    %100 = stablehlo.dot_general %99, %13, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32xf32>, tensor<32x128xf32>) -> tensor<128xf32>
    %101 = stablehlo.multiply %100, %100 : tensor<128xf32>
    %102 = stablehlo.multiply %101, %100 : tensor<128xf32>
    %cst_29 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %104 = stablehlo.multiply %103, %102 : tensor<128xf32>
    %105 = stablehlo.add %100, %104 : tensor<128xf32>
    %cst_30 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %107 = stablehlo.multiply %106, %105 : tensor<128xf32>
    %108 = stablehlo.tanh %107 : tensor<128xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %110 = stablehlo.add %109, %108 : tensor<128xf32>
    %cst_32 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %112 = stablehlo.multiply %111, %110 : tensor<128xf32>
    %113 = stablehlo.multiply %100, %112 : tensor<128xf32>
    %114 = stablehlo.dot_general %113, %7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128xf32>, tensor<128x32xf32>) -> tensor<32xf32>
    %115 = stablehlo.add %87, %114 : tensor<32xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = stablehlo.reduce(%115 init: %cst_33) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_34 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %119 = stablehlo.divide %117, %118 : tensor<1xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0] : (tensor<1xf32>) -> tensor<32xf32>
    %121 = stablehlo.subtract %115, %120 : tensor<32xf32>
    %c_35 = stablehlo.constant dense<0> : tensor<i32>
    %122 = call @_var(%115, %c_35) : (tensor<32xf32>, tensor<i32>) -> tensor<1xf32>
    %cst_36 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %124 = stablehlo.add %122, %123 : tensor<1xf32>
    %125 = stablehlo.rsqrt %124 : tensor<1xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0] : (tensor<1xf32>) -> tensor<32xf32>
    %127 = stablehlo.multiply %121, %126 : tensor<32xf32>
    %128 = stablehlo.dot_general %127, %8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32xf32>, tensor<32x32xf32>) -> tensor<32xf32>
    return %128, %54 : tensor<32xf32>, tensor<2x32x32xf32>
  }
  func.func private @_var(%arg0: tensor<32xf32>, %arg1: tensor<i32>) -> tensor<1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xf32>) -> tensor<32xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<32xf32>
    %6 = chlo.square %5 : tensor<32xf32> -> tensor<32xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
    return %14 : tensor<1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<1xf32>, %arg2: tensor<f32>) -> tensor<1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<1xf32>
    return %2 : tensor<1xf32>
  }
  func.func private @_where_0(%arg0: tensor<1x32xi1>, %arg1: tensor<4x1x32xf32>, %arg2: tensor<f32>) -> tensor<4x1x32xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<1x32xi1>) -> tensor<4x1x32xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x1x32xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<4x1x32xi1>, tensor<4x1x32xf32>
    return %3 : tensor<4x1x32xf32>
  }
}
