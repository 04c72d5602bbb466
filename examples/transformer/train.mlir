module @jit_train attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<15360xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<15360xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<15360xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<f32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<8x33xi32>) -> (tensor<15360xf32> {jax.result_info = "result[0]"}, tensor<15360xf32> {jax.result_info = "result[1]"}, tensor<15360xf32> {jax.result_info = "result[2]"}, tensor<f32> {jax.result_info = "result[3]"}, tensor<f32> {jax.result_info = "result[4]"}) {
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
    %14 = stablehlo.slice %arg4 [0:8, 0:32] : (tensor<8x33xi32>) -> tensor<8x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x32xi32>
    %16 = stablehlo.compare LT, %14, %15, SIGNED : (tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x32xi32>
    %18 = stablehlo.add %14, %17 : tensor<8x32xi32>
    %19 = stablehlo.select %16, %18, %14 : tensor<8x32xi1>, tensor<8x32xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    %21 = "stablehlo.gather"(%9, %20) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<32x32xf32>, tensor<8x32x1xi32>) -> tensor<8x32x32xf32>
    %22 = stablehlo.broadcast_in_dim %11, dims = [1, 2] : (tensor<32x32xf32>) -> tensor<1x32x32xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<1x32x32xf32>) -> tensor<8x32x32xf32>
    %24 = stablehlo.add %21, %23 : tensor<8x32x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %28 = stablehlo.divide %26, %27 : tensor<8x32x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %30 = stablehlo.subtract %24, %29 : tensor<8x32x32xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %31:4 = call @_var(%24, %c_2) : (tensor<8x32x32xf32>, tensor<i32>) -> (tensor<8x32x1xf32>, tensor<8x32x32xf32>, tensor<f32>, tensor<i1>)
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %33 = stablehlo.add %31#0, %32 : tensor<8x32x1xf32>
    %34 = stablehlo.rsqrt %33 : tensor<8x32x1xf32>
    %35 = stablehlo.divide %34, %33 : tensor<8x32x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %37 = stablehlo.multiply %36, %35 : tensor<8x32x1xf32>
    %38 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %39 = stablehlo.multiply %30, %38 : tensor<8x32x32xf32>
    %40 = stablehlo.dot_general %39, %12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<32x96xf32>) -> tensor<8x32x96xf32>
    %41 = stablehlo.slice %40 [0:8, 0:32, 0:32] : (tensor<8x32x96xf32>) -> tensor<8x32x32xf32>
    %42 = stablehlo.slice %40 [0:8, 0:32, 32:64] : (tensor<8x32x96xf32>) -> tensor<8x32x32xf32>
    %43 = stablehlo.slice %40 [0:8, 0:32, 64:96] : (tensor<8x32x96xf32>) -> tensor<8x32x32xf32>
    %44 = stablehlo.reshape %41 : (tensor<8x32x32xf32>) -> tensor<8x32x4x8xf32>
    %45 = stablehlo.reshape %42 : (tensor<8x32x32xf32>) -> tensor<8x32x4x8xf32>
    %46 = stablehlo.reshape %43 : (tensor<8x32x32xf32>) -> tensor<8x32x4x8xf32>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %47 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %48 = call @tril(%47) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %49 = stablehlo.dot_general %44, %45, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x32x4x8xf32>, tensor<8x32x4x8xf32>) -> tensor<8x4x32x32xf32>
    %cst_6 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %51 = stablehlo.multiply %49, %50 : tensor<8x4x32x32xf32>
    %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %52:2 = call @_where_0(%48, %51, %cst_7) : (tensor<32x32xi1>, tensor<8x4x32x32xf32>, tensor<f32>) -> (tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>)
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %53 = stablehlo.reduce(%52#0 init: %cst_8) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %55 = stablehlo.maximum %54, %53 : tensor<8x4x32xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %58 = stablehlo.subtract %52#0, %57 : tensor<8x4x32x32xf32>
    %59 = stablehlo.exponential %58 : tensor<8x4x32x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_10) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %63 = stablehlo.divide %59, %62 : tensor<8x4x32x32xf32>
    %64 = stablehlo.multiply %61, %61 : tensor<8x4x32x1xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x4x32x1xf32>
    %66 = stablehlo.divide %65, %64 : tensor<8x4x32x1xf32>
    %67 = stablehlo.dot_general %46, %63, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x32x4x8xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x8x32xf32>
    %68 = stablehlo.transpose %67, dims = [0, 3, 1, 2] : (tensor<8x4x8x32xf32>) -> tensor<8x32x4x8xf32>
    %69 = stablehlo.reshape %68 : (tensor<8x32x4x8xf32>) -> tensor<8x32x32xf32>
    %70 = stablehlo.dot_general %69, %10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<32x32xf32>) -> tensor<8x32x32xf32>
    %71 = stablehlo.add %24, %70 : tensor<8x32x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_13 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %75 = stablehlo.divide %73, %74 : tensor<8x32x1xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %77 = stablehlo.subtract %71, %76 : tensor<8x32x32xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %78:4 = call @_var(%71, %c_14) : (tensor<8x32x32xf32>, tensor<i32>) -> (tensor<8x32x1xf32>, tensor<8x32x32xf32>, tensor<f32>, tensor<i1>)
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %80 = stablehlo.add %78#0, %79 : tensor<8x32x1xf32>
    %81 = stablehlo.rsqrt %80 : tensor<8x32x1xf32>
    %82 = stablehlo.divide %81, %80 : tensor<8x32x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %84 = stablehlo.multiply %83, %82 : tensor<8x32x1xf32>
    %85 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %86 = stablehlo.multiply %77, %85 : tensor<8x32x32xf32>
    %87 = stablehlo.dot_general %86, %13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<32x128xf32>) -> tensor<8x32x128xf32>
    %88 = stablehlo.multiply %87, %87 : tensor<8x32x128xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<8x32x128xf32>
    %90 = stablehlo.multiply %87, %87 : tensor<8x32x128xf32>
    %cst_17 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<8x32x128xf32>
    %cst_18 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %94 = stablehlo.multiply %93, %89 : tensor<8x32x128xf32>
    %95 = stablehlo.add %87, %94 : tensor<8x32x128xf32>
    %cst_19 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<8x32x128xf32>
    %98 = stablehlo.tanh %97 : tensor<8x32x128xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %100 = stablehlo.subtract %99, %98 : tensor<8x32x128xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %102 = stablehlo.add %101, %98 : tensor<8x32x128xf32>
    %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %104 = stablehlo.multiply %103, %102 : tensor<8x32x128xf32>
    %105 = stablehlo.multiply %87, %104 : tensor<8x32x128xf32>
    %106 = stablehlo.dot_general %105, %7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x128xf32>, tensor<128x32xf32>) -> tensor<8x32x32xf32>
    %107 = stablehlo.add %71, %106 : tensor<8x32x32xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_24 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %111 = stablehlo.divide %109, %110 : tensor<8x32x1xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %113 = stablehlo.subtract %107, %112 : tensor<8x32x32xf32>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %114:4 = call @_var(%107, %c_25) : (tensor<8x32x32xf32>, tensor<i32>) -> (tensor<8x32x1xf32>, tensor<8x32x32xf32>, tensor<f32>, tensor<i1>)
    %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %116 = stablehlo.add %114#0, %115 : tensor<8x32x1xf32>
    %117 = stablehlo.rsqrt %116 : tensor<8x32x1xf32>
    %118 = stablehlo.divide %117, %116 : tensor<8x32x1xf32>
    %cst_27 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %120 = stablehlo.multiply %119, %118 : tensor<8x32x1xf32>
    %121 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %122 = stablehlo.multiply %113, %121 : tensor<8x32x32xf32>
    %123 = stablehlo.dot_general %122, %8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<32x32xf32>) -> tensor<8x32x32xf32>
    %124:3 = call @log_softmax(%123) : (tensor<8x32x32xf32>) -> (tensor<8x32x32xf32>, tensor<8x32x32xf32>, tensor<8x32x1xf32>)
    %125 = stablehlo.slice %arg4 [0:8, 1:33] : (tensor<8x33xi32>) -> tensor<8x32xi32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0, 1] : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    %127:2 = call @take_along_axis(%124#0, %126) : (tensor<8x32x32xf32>, tensor<8x32x1xi32>) -> (tensor<8x32x1xf32>, tensor<8x32x1x1xi32>)
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %128 = stablehlo.reduce(%127#0 init: %cst_28) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_29 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %129 = stablehlo.divide %128, %cst_29 : tensor<f32>
    %130 = stablehlo.negate %129 : tensor<f32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %131 = stablehlo.negate %cst_30 : tensor<f32>
    %cst_31 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %132 = stablehlo.divide %131, %cst_31 : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %134 = call @take_along_axis_1(%127#1, %133) : (tensor<8x32x1x1xi32>, tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %135 = call @log_softmax_2(%124#1, %124#2, %134) : (tensor<8x32x32xf32>, tensor<8x32x1xf32>, tensor<8x32x32xf32>) -> tensor<8x32x32xf32>
    %136 = stablehlo.dot_general %135, %122, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<8x32x32xf32>) -> tensor<32x32xf32>
    %137 = stablehlo.transpose %136, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %138 = stablehlo.dot_general %135, %8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<32x32xf32>) -> tensor<8x32x32xf32>
    %139 = stablehlo.multiply %113, %138 : tensor<8x32x32xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.reduce(%139 init: %cst_32) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %141 = stablehlo.reshape %140 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %142 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %143 = stablehlo.multiply %138, %142 : tensor<8x32x32xf32>
    %144 = stablehlo.multiply %141, %120 : tensor<8x32x1xf32>
    %145 = call @_var_3(%114#1, %114#2, %114#3, %144) : (tensor<8x32x32xf32>, tensor<f32>, tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %146 = stablehlo.negate %143 : tensor<8x32x32xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %148 = stablehlo.reshape %147 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %149 = stablehlo.add %145, %143 : tensor<8x32x32xf32>
    %cst_34 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %151 = stablehlo.divide %148, %150 : tensor<8x32x1xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%151 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %153 = stablehlo.broadcast_in_dim %152, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x32xf32>
    %154 = stablehlo.add %149, %153 : tensor<8x32x32xf32>
    %155 = stablehlo.dot_general %154, %105, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<8x32x128xf32>) -> tensor<32x128xf32>
    %156 = stablehlo.transpose %155, dims = [1, 0] : (tensor<32x128xf32>) -> tensor<128x32xf32>
    %157 = stablehlo.dot_general %154, %7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<128x32xf32>) -> tensor<8x32x128xf32>
    %158 = stablehlo.multiply %87, %157 : tensor<8x32x128xf32>
    %159 = stablehlo.multiply %157, %104 : tensor<8x32x128xf32>
    %cst_36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %161 = stablehlo.multiply %160, %158 : tensor<8x32x128xf32>
    %162 = stablehlo.multiply %161, %100 : tensor<8x32x128xf32>
    %163 = stablehlo.multiply %162, %98 : tensor<8x32x128xf32>
    %164 = stablehlo.add %162, %163 : tensor<8x32x128xf32>
    %cst_37 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %166 = stablehlo.multiply %165, %164 : tensor<8x32x128xf32>
    %167 = stablehlo.add %159, %166 : tensor<8x32x128xf32>
    %cst_38 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8x32x128xf32>
    %169 = stablehlo.multiply %168, %166 : tensor<8x32x128xf32>
    %170 = stablehlo.multiply %169, %92 : tensor<8x32x128xf32>
    %171 = stablehlo.add %167, %170 : tensor<8x32x128xf32>
    %172 = stablehlo.dot_general %171, %86, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x128xf32>, tensor<8x32x32xf32>) -> tensor<128x32xf32>
    %173 = stablehlo.transpose %172, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %174 = stablehlo.dot_general %171, %13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x128xf32>, tensor<32x128xf32>) -> tensor<8x32x32xf32>
    %175 = stablehlo.multiply %77, %174 : tensor<8x32x32xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%175 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %177 = stablehlo.reshape %176 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %178 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %179 = stablehlo.multiply %174, %178 : tensor<8x32x32xf32>
    %180 = stablehlo.multiply %177, %84 : tensor<8x32x1xf32>
    %181 = call @_var_3(%78#1, %78#2, %78#3, %180) : (tensor<8x32x32xf32>, tensor<f32>, tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %182 = stablehlo.add %154, %181 : tensor<8x32x32xf32>
    %183 = stablehlo.negate %179 : tensor<8x32x32xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.reduce(%183 init: %cst_40) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %185 = stablehlo.reshape %184 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %186 = stablehlo.add %182, %179 : tensor<8x32x32xf32>
    %cst_41 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %188 = stablehlo.divide %185, %187 : tensor<8x32x1xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.reduce(%188 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x32xf32>
    %191 = stablehlo.add %186, %190 : tensor<8x32x32xf32>
    %192 = stablehlo.dot_general %191, %69, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<8x32x32xf32>) -> tensor<32x32xf32>
    %193 = stablehlo.transpose %192, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %194 = stablehlo.dot_general %191, %10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x32xf32>, tensor<32x32xf32>) -> tensor<8x32x32xf32>
    %195 = stablehlo.reshape %194 : (tensor<8x32x32xf32>) -> tensor<8x32x4x8xf32>
    %196 = stablehlo.transpose %195, dims = [0, 2, 3, 1] : (tensor<8x32x4x8xf32>) -> tensor<8x4x8x32xf32>
    %197 = stablehlo.dot_general %196, %46, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8x32xf32>, tensor<8x32x4x8xf32>) -> tensor<8x4x32x32xf32>
    %198 = stablehlo.dot_general %196, %63, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x8x32xf32>, tensor<8x4x32x32xf32>) -> tensor<8x4x8x32xf32>
    %199 = stablehlo.transpose %198, dims = [0, 3, 1, 2] : (tensor<8x4x8x32xf32>) -> tensor<8x32x4x8xf32>
    %200 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %201 = stablehlo.multiply %197, %200 : tensor<8x4x32x32xf32>
    %202 = stablehlo.multiply %201, %59 : tensor<8x4x32x32xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %203 = stablehlo.reduce(%202 init: %cst_43) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x32xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %204 = stablehlo.reshape %203 : (tensor<8x4x32xf32>) -> tensor<8x4x32x1xf32>
    %205 = stablehlo.negate %204 : tensor<8x4x32x1xf32>
    %206 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<8x4x32x1xf32>) -> tensor<8x4x32x32xf32>
    %207 = stablehlo.divide %197, %206 : tensor<8x4x32x32xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.reduce(%205 init: %cst_44) applies stablehlo.add across dimensions = [3] : (tensor<8x4x32x1xf32>, tensor<f32>) -> tensor<8x4x32xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1, 2] : (tensor<8x4x32xf32>) -> tensor<8x4x32x32xf32>
    %210 = stablehlo.add %207, %209 : tensor<8x4x32x32xf32>
    %211 = stablehlo.multiply %210, %59 : tensor<8x4x32x32xf32>
    %212 = call @_where_5(%52#1, %211) : (tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32>
    %cst_45 = stablehlo.constant dense<0.353553385> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %214 = stablehlo.multiply %212, %213 : tensor<8x4x32x32xf32>
    %215 = stablehlo.dot_general %214, %44, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32x32xf32>, tensor<8x32x4x8xf32>) -> tensor<8x4x32x8xf32>
    %216 = stablehlo.transpose %215, dims = [0, 2, 1, 3] : (tensor<8x4x32x8xf32>) -> tensor<8x32x4x8xf32>
    %217 = stablehlo.dot_general %214, %45, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32x32xf32>, tensor<8x32x4x8xf32>) -> tensor<8x4x32x8xf32>
    %218 = stablehlo.transpose %217, dims = [0, 2, 1, 3] : (tensor<8x4x32x8xf32>) -> tensor<8x32x4x8xf32>
    %219 = stablehlo.reshape %199 : (tensor<8x32x4x8xf32>) -> tensor<8x32x32xf32>
    %220 = stablehlo.reshape %216 : (tensor<8x32x4x8xf32>) -> tensor<8x32x32xf32>
    %221 = stablehlo.reshape %218 : (tensor<8x32x4x8xf32>) -> tensor<8x32x32xf32>
    %222 = stablehlo.concatenate %221, %220, %219, dim = 2 : (tensor<8x32x32xf32>, tensor<8x32x32xf32>, tensor<8x32x32xf32>) -> tensor<8x32x96xf32>
    %223 = stablehlo.dot_general %222, %39, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x96xf32>, tensor<8x32x32xf32>) -> tensor<96x32xf32>
    %224 = stablehlo.transpose %223, dims = [1, 0] : (tensor<96x32xf32>) -> tensor<32x96xf32>
    %225 = stablehlo.dot_general %222, %12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x32x96xf32>, tensor<32x96xf32>) -> tensor<8x32x32xf32>
    %226 = stablehlo.multiply %30, %225 : tensor<8x32x32xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %227 = stablehlo.reduce(%226 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %228 = stablehlo.reshape %227 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %229 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %230 = stablehlo.multiply %225, %229 : tensor<8x32x32xf32>
    %231 = stablehlo.multiply %228, %37 : tensor<8x32x1xf32>
    %232 = call @_var_3(%31#1, %31#2, %31#3, %231) : (tensor<8x32x32xf32>, tensor<f32>, tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %233 = stablehlo.add %191, %232 : tensor<8x32x32xf32>
    %234 = stablehlo.negate %230 : tensor<8x32x32xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %235 = stablehlo.reduce(%234 init: %cst_47) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %236 = stablehlo.reshape %235 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %237 = stablehlo.add %233, %230 : tensor<8x32x32xf32>
    %cst_48 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %239 = stablehlo.divide %236, %238 : tensor<8x32x1xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %240 = stablehlo.reduce(%239 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %241 = stablehlo.broadcast_in_dim %240, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x32xf32>
    %242 = stablehlo.add %237, %241 : tensor<8x32x32xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.reduce(%242 init: %cst_50) applies stablehlo.add across dimensions = [0] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<32x32xf32>
    %244 = stablehlo.reshape %243 : (tensor<32x32xf32>) -> tensor<1x32x32xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %245 = stablehlo.reduce(%244 init: %cst_51) applies stablehlo.add across dimensions = [0] : (tensor<1x32x32xf32>, tensor<f32>) -> tensor<32x32xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %247 = "stablehlo.scatter"(%246, %20, %242) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %283 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %283 : tensor<f32>
    }) : (tensor<32x32xf32>, tensor<8x32x1xi32>, tensor<8x32x32xf32>) -> tensor<32x32xf32>
    %248 = stablehlo.reshape %173 : (tensor<32x128xf32>) -> tensor<4096xf32>
    %249 = stablehlo.reshape %224 : (tensor<32x96xf32>) -> tensor<3072xf32>
    %250 = stablehlo.reshape %245 : (tensor<32x32xf32>) -> tensor<1024xf32>
    %251 = stablehlo.reshape %193 : (tensor<32x32xf32>) -> tensor<1024xf32>
    %252 = stablehlo.reshape %247 : (tensor<32x32xf32>) -> tensor<1024xf32>
    %253 = stablehlo.reshape %137 : (tensor<32x32xf32>) -> tensor<1024xf32>
    %254 = stablehlo.reshape %156 : (tensor<128x32xf32>) -> tensor<4096xf32>
    %255 = stablehlo.concatenate %254, %253, %252, %251, %250, %249, %248, dim = 0 : (tensor<4096xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<3072xf32>, tensor<4096xf32>) -> tensor<15360xf32>
    %cst_53 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<15360xf32>
    %257 = stablehlo.multiply %256, %arg1 : tensor<15360xf32>
    %cst_54 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<15360xf32>
    %259 = stablehlo.multiply %258, %255 : tensor<15360xf32>
    %260 = stablehlo.add %257, %259 : tensor<15360xf32>
    %cst_55 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<15360xf32>
    %262 = stablehlo.multiply %261, %arg2 : tensor<15360xf32>
    %cst_56 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %263 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<15360xf32>
    %264 = stablehlo.multiply %263, %255 : tensor<15360xf32>
    %265 = stablehlo.multiply %264, %255 : tensor<15360xf32>
    %266 = stablehlo.add %262, %265 : tensor<15360xf32>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %267 = stablehlo.add %arg3, %cst_57 : tensor<f32>
    %cst_58 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %268 = stablehlo.power %cst_58, %267 : tensor<f32>
    %cst_59 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %269 = stablehlo.subtract %cst_59, %268 : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %269, dims = [] : (tensor<f32>) -> tensor<15360xf32>
    %271 = stablehlo.divide %260, %270 : tensor<15360xf32>
    %cst_60 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %272 = stablehlo.power %cst_60, %267 : tensor<f32>
    %cst_61 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %273 = stablehlo.subtract %cst_61, %272 : tensor<f32>
    %274 = stablehlo.broadcast_in_dim %273, dims = [] : (tensor<f32>) -> tensor<15360xf32>
    %275 = stablehlo.divide %266, %274 : tensor<15360xf32>
    %276 = stablehlo.sqrt %275 : tensor<15360xf32>
    %cst_62 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %277 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<15360xf32>
    %278 = stablehlo.add %276, %277 : tensor<15360xf32>
    %279 = stablehlo.divide %271, %278 : tensor<15360xf32>
    %cst_63 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<15360xf32>
    %281 = stablehlo.multiply %280, %279 : tensor<15360xf32>
    %282 = stablehlo.subtract %arg0, %281 : tensor<15360xf32>
    return %282, %260, %266, %267, %130 : tensor<15360xf32>, tensor<15360xf32>, tensor<15360xf32>, tensor<f32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<8x32x32xf32>, %arg1: tensor<i32>) -> (tensor<8x32x1xf32>, tensor<8x32x32xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x32x32xf32>
    %6 = chlo.square %5 : tensor<8x32x32xf32> -> tensor<8x32x32xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x32x32xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<8x32x32xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<8x32x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = call @_where(%15, %14, %cst_5) : (tensor<i1>, tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32x1xf32>
    return %16, %8, %10, %15 : tensor<8x32x1xf32>, tensor<8x32x32xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<8x32x1xf32>, %arg2: tensor<f32>) -> tensor<8x32x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<8x32x1xf32>
    return %2 : tensor<8x32x1xf32>
  }
  func.func private @tril(%arg0: tensor<32x32xi1>) -> tensor<32x32xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %2 = stablehlo.add %0, %1 : tensor<32x32xi32>
    %3 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<32x32xi1>, tensor<32x32xi1>
    return %6 : tensor<32x32xi1>
  }
  func.func private @_where_0(%arg0: tensor<32x32xi1>, %arg1: tensor<8x4x32x32xf32>, %arg2: tensor<f32>) -> (tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<32x32xi1>) -> tensor<8x4x32x32xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>
    return %3, %1 : tensor<8x4x32x32xf32>, tensor<8x4x32x32xi1>
  }
  func.func private @log_softmax(%arg0: tensor<8x32x32xf32>) -> (tensor<8x32x32xf32>, tensor<8x32x32xf32>, tensor<8x32x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x32x32xf32>
    %6 = stablehlo.exponential %5 : tensor<8x32x32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %9 = stablehlo.log %8 : tensor<8x32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x32x32xf32>
    return %11, %6, %8 : tensor<8x32x32xf32>, tensor<8x32x32xf32>, tensor<8x32x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x32x32xf32>, %arg1: tensor<8x32x1xi32>) -> (tensor<8x32x1xf32>, tensor<8x32x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x32x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x32x1xi32>, tensor<8x32x1xi32>) -> tensor<8x32x1xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x32x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x32x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x32x1xi1>, tensor<8x32x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x32x1xi32>) -> tensor<8x32x1x1xi32>
    %c_1 = stablehlo.constant dense<31> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x32x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x32x1x1xi32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x32x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x32x1x1xi32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x32x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x32x1x1xi1>, tensor<i1>) -> tensor<8x32x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x32x32xf32>, tensor<8x32x1x1xi32>) -> tensor<8x32x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x32x1xi1>, tensor<8x32x1xf32>
    return %15, %5 : tensor<8x32x1xf32>, tensor<8x32x1x1xi32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<8x32x1x1xi32>, %arg1: tensor<8x32x1xf32>) -> tensor<8x32x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32x32xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x32x32xf32>, tensor<8x32x1x1xi32>, tensor<8x32x1xf32>) -> tensor<8x32x32xf32>
    return %1 : tensor<8x32x32xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<8x32x32xf32>, %arg1: tensor<8x32x1xf32>, %arg2: tensor<8x32x32xf32>) -> tensor<8x32x32xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x32x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x32x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x32xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x32x32xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x32x32xf32>
    return %7 : tensor<8x32x32xf32>
  }
  func.func private @_var_3(%arg0: tensor<8x32x32xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<8x32x1xf32>) -> tensor<8x32x32xf32> {
    %0 = call @_where_4(%arg2, %arg3) : (tensor<i1>, tensor<8x32x1xf32>) -> tensor<8x32x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<8x32x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x32xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x32x32xf32>
    %6 = stablehlo.negate %5 : tensor<8x32x32xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x32x32xf32>, tensor<f32>) -> tensor<8x32xf32>
    %8 = stablehlo.reshape %7 : (tensor<8x32xf32>) -> tensor<8x32x1xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<8x32x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<8x32x1xf32>, tensor<f32>) -> tensor<8x32xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x32xf32>) -> tensor<8x32x32xf32>
    %13 = stablehlo.add %5, %12 : tensor<8x32x32xf32>
    return %13 : tensor<8x32x32xf32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<8x32x1xf32>) -> tensor<8x32x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32x1xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<8x32x1xf32>
    return %1 : tensor<8x32x1xf32>
  }
  func.func private @_where_5(%arg0: tensor<8x4x32x32xi1>, %arg1: tensor<8x4x32x32xf32>) -> tensor<8x4x32x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x32x32xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<8x4x32x32xi1>, tensor<8x4x32x32xf32>
    return %1 : tensor<8x4x32x32xf32>
  }
}
