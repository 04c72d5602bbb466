module @jit_train attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x32xf32>, %arg1: tensor<16x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x3x8x4xf32>, %arg5: tensor<3x8x4xf32>, %arg6: tensor<8x4x32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<32x128xf32>, %arg11: tensor<128xf32>, %arg12: tensor<128x32xf32>, %arg13: tensor<32xf32>, %arg14: tensor<32xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32x3x8x4xf32>, %arg17: tensor<3x8x4xf32>, %arg18: tensor<8x4x32xf32>, %arg19: tensor<32xf32>, %arg20: tensor<32xf32>, %arg21: tensor<32xf32>, %arg22: tensor<32x128xf32>, %arg23: tensor<128xf32>, %arg24: tensor<128x32xf32>, %arg25: tensor<32xf32>, %arg26: tensor<32xf32>, %arg27: tensor<32xf32>, %arg28: tensor<64x32xf32>, %arg29: tensor<16x32xf32>, %arg30: tensor<32xf32>, %arg31: tensor<32xf32>, %arg32: tensor<32x3x8x4xf32>, %arg33: tensor<3x8x4xf32>, %arg34: tensor<8x4x32xf32>, %arg35: tensor<32xf32>, %arg36: tensor<32xf32>, %arg37: tensor<32xf32>, %arg38: tensor<32x128xf32>, %arg39: tensor<128xf32>, %arg40: tensor<128x32xf32>, %arg41: tensor<32xf32>, %arg42: tensor<32xf32>, %arg43: tensor<32xf32>, %arg44: tensor<32x3x8x4xf32>, %arg45: tensor<3x8x4xf32>, %arg46: tensor<8x4x32xf32>, %arg47: tensor<32xf32>, %arg48: tensor<32xf32>, %arg49: tensor<32xf32>, %arg50: tensor<32x128xf32>, %arg51: tensor<128xf32>, %arg52: tensor<128x32xf32>, %arg53: tensor<32xf32>, %arg54: tensor<32xf32>, %arg55: tensor<32xf32>, %arg56: tensor<64x32xf32>, %arg57: tensor<16x32xf32>, %arg58: tensor<32xf32>, %arg59: tensor<32xf32>, %arg60: tensor<32x3x8x4xf32>, %arg61: tensor<3x8x4xf32>, %arg62: tensor<8x4x32xf32>, %arg63: tensor<32xf32>, %arg64: tensor<32xf32>, %arg65: tensor<32xf32>, %arg66: tensor<32x128xf32>, %arg67: tensor<128xf32>, %arg68: tensor<128x32xf32>, %arg69: tensor<32xf32>, %arg70: tensor<32xf32>, %arg71: tensor<32xf32>, %arg72: tensor<32x3x8x4xf32>, %arg73: tensor<3x8x4xf32>, %arg74: tensor<8x4x32xf32>, %arg75: tensor<32xf32>, %arg76: tensor<32xf32>, %arg77: tensor<32xf32>, %arg78: tensor<32x128xf32>, %arg79: tensor<128xf32>, %arg80: tensor<128x32xf32>, %arg81: tensor<32xf32>, %arg82: tensor<32xf32>, %arg83: tensor<32xf32>, %arg84: tensor<f32>, %arg85: tensor<8x17xi32>) -> (tensor<64x32xf32> {jax.result_info = "result[0][0]"}, tensor<16x32xf32> {jax.result_info = "result[0][1]"}, tensor<32xf32> {jax.result_info = "result[0][2]"}, tensor<32xf32> {jax.result_info = "result[0][3]"}, tensor<32x3x8x4xf32> {jax.result_info = "result[0][4]"}, tensor<3x8x4xf32> {jax.result_info = "result[0][5]"}, tensor<8x4x32xf32> {jax.result_info = "result[0][6]"}, tensor<32xf32> {jax.result_info = "result[0][7]"}, tensor<32xf32> {jax.result_info = "result[0][8]"}, tensor<32xf32> {jax.result_info = "result[0][9]"}, tensor<32x128xf32> {jax.result_info = "result[0][10]"}, tensor<128xf32> {jax.result_info = "result[0][11]"}, tensor<128x32xf32> {jax.result_info = "result[0][12]"}, tensor<32xf32> {jax.result_info = "result[0][13]"}, tensor<32xf32> {jax.result_info = "result[0][14]"}, tensor<32xf32> {jax.result_info = "result[0][15]"}, tensor<32x3x8x4xf32> {jax.result_info = "result[0][16]"}, tensor<3x8x4xf32> {jax.result_info = "result[0][17]"}, tensor<8x4x32xf32> {jax.result_info = "result[0][18]"}, tensor<32xf32> {jax.result_info = "result[0][19]"}, tensor<32xf32> {jax.result_info = "result[0][20]"}, tensor<32xf32> {jax.result_info = "result[0][21]"}, tensor<32x128xf32> {jax.result_info = "result[0][22]"}, tensor<128xf32> {jax.result_info = "result[0][23]"}, tensor<128x32xf32> {jax.result_info = "result[0][24]"}, tensor<32xf32> {jax.result_info = "result[0][25]"}, tensor<32xf32> {jax.result_info = "result[0][26]"}, tensor<32xf32> {jax.result_info = "result[0][27]"}, tensor<64x32xf32> {jax.result_info = "result[1][0]"}, tensor<16x32xf32> {jax.result_info = "result[1][1]"}, tensor<32xf32> {jax.result_info = "result[1][2]"}, tensor<32xf32> {jax.result_info = "result[1][3]"}, tensor<32x3x8x4xf32> {jax.result_info = "result[1][4]"}, tensor<3x8x4xf32> {jax.result_info = "result[1][5]"}, tensor<8x4x32xf32> {jax.result_info = "result[1][6]"}, tensor<32xf32> {jax.result_info = "result[1][7]"}, tensor<32xf32> {jax.result_info = "result[1][8]"}, tensor<32xf32> {jax.result_info = "result[1][9]"}, tensor<32x128xf32> {jax.result_info = "result[1][10]"}, tensor<128xf32> {jax.result_info = "result[1][11]"}, tensor<128x32xf32> {jax.result_info = "result[1][12]"}, tensor<32xf32> {jax.result_info = "result[1][13]"}, tensor<32xf32> {jax.result_info = "result[1][14]"}, tensor<32xf32> {jax.result_info = "result[1][15]"}, tensor<32x3x8x4xf32> {jax.result_info = "result[1][16]"}, tensor<3x8x4xf32> {jax.result_info = "result[1][17]"}, tensor<8x4x32xf32> {jax.result_info = "result[1][18]"}, tensor<32xf32> {jax.result_info = "result[1][19]"}, tensor<32xf32> {jax.result_info = "result[1][20]"}, tensor<32xf32> {jax.result_info = "result[1][21]"}, tensor<32x128xf32> {jax.result_info = "result[1][22]"}, tensor<128xf32> {jax.result_info = "result[1][23]"}, tensor<128x32xf32> {jax.result_info = "result[1][24]"}, tensor<32xf32> {jax.result_info = "result[1][25]"}, tensor<32xf32> {jax.result_info = "result[1][26]"}, tensor<32xf32> {jax.result_info = "result[1][27]"}, tensor<64x32xf32> {jax.result_info = "result[2][0]"}, tensor<16x32xf32> {jax.result_info = "result[2][1]"}, tensor<32xf32> {jax.result_info = "result[2][2]"}, tensor<32xf32> {jax.result_info = "result[2][3]"}, tensor<32x3x8x4xf32> {jax.result_info = "result[2][4]"}, tensor<3x8x4xf32> {jax.result_info = "result[2][5]"}, tensor<8x4x32xf32> {jax.result_info = "result[2][6]"}, tensor<32xf32> {jax.result_info = "result[2][7]"}, tensor<32xf32> {jax.result_info = "result[2][8]"}, tensor<32xf32> {jax.result_info = "result[2][9]"}, tensor<32x128xf32> {jax.result_info = "result[2][10]"}, tensor<128xf32> {jax.result_info = "result[2][11]"}, tensor<128x32xf32> {jax.result_info = "result[2][12]"}, tensor<32xf32> {jax.result_info = "result[2][13]"}, tensor<32xf32> {jax.result_info = "result[2][14]"}, tensor<32xf32> {jax.result_info = "result[2][15]"}, tensor<32x3x8x4xf32> {jax.result_info = "result[2][16]"}, tensor<3x8x4xf32> {jax.result_info = "result[2][17]"}, tensor<8x4x32xf32> {jax.result_info = "result[2][18]"}, tensor<32xf32> {jax.result_info = "result[2][19]"}, tensor<32xf32> {jax.result_info = "result[2][20]"}, tensor<32xf32> {jax.result_info = "result[2][21]"}, tensor<32x128xf32> {jax.result_info = "result[2][22]"}, tensor<128xf32> {jax.result_info = "result[2][23]"}, tensor<128x32xf32> {jax.result_info = "result[2][24]"}, tensor<32xf32> {jax.result_info = "result[2][25]"}, tensor<32xf32> {jax.result_info = "result[2][26]"}, tensor<32xf32> {jax.result_info = "result[2][27]"}, tensor<f32> {jax.result_info = "result[3]"}, tensor<f32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.slice %arg85 [0:8, 0:16] : (tensor<8x17xi32>) -> tensor<8x16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16xi32>
    %4 = stablehlo.add %0, %3 : tensor<8x16xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<8x16xi1>, tensor<8x16xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<8x16x1xi32>) -> tensor<8x16x32xf32>
    %8 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x32xf32>) -> tensor<1x16x32xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x16x32xf32>) -> tensor<8x16x32xf32>
    %10 = stablehlo.add %7, %9 : tensor<8x16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<8x16x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %16 = stablehlo.subtract %10, %15 : tensor<8x16x32xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %17:4 = call @_var(%10, %c_2) : (tensor<8x16x32xf32>, tensor<i32>) -> (tensor<8x16x1xf32>, tensor<8x16x32xf32>, tensor<f32>, tensor<i1>)
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %19 = stablehlo.add %17#0, %18 : tensor<8x16x1xf32>
    %20 = stablehlo.rsqrt %19 : tensor<8x16x1xf32>
    %21 = stablehlo.divide %20, %19 : tensor<8x16x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<8x16x1xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %25 = stablehlo.multiply %16, %24 : tensor<8x16x32xf32>
    %26 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<8x16x32xf32>
    %29 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %31 = stablehlo.add %28, %30 : tensor<8x16x32xf32>
    %32 = stablehlo.dot_general %arg4, %31, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x3x8x4xf32>, tensor<8x16x32xf32>) -> tensor<3x8x4x8x16xf32>
    %33 = stablehlo.transpose %32, dims = [3, 0, 1, 4, 2] : (tensor<3x8x4x8x16xf32>) -> tensor<8x3x8x16x4xf32>
    %34 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 3] : (tensor<3x8x4xf32>) -> tensor<3x8x1x4xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [1, 2, 3, 4] : (tensor<3x8x1x4xf32>) -> tensor<1x3x8x1x4xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3, 4] : (tensor<1x3x8x1x4xf32>) -> tensor<8x3x8x16x4xf32>
    %37 = stablehlo.add %33, %36 : tensor<8x3x8x16x4xf32>
    %38 = stablehlo.transpose %37, dims = [1, 0, 2, 3, 4] : (tensor<8x3x8x16x4xf32>) -> tensor<3x8x8x16x4xf32>
    %39 = stablehlo.slice %38 [0:1, 0:8, 0:8, 0:16, 0:4] : (tensor<3x8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %40 = stablehlo.reshape %39 : (tensor<1x8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %41 = stablehlo.slice %38 [1:2, 0:8, 0:8, 0:16, 0:4] : (tensor<3x8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %42 = stablehlo.reshape %41 : (tensor<1x8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %43 = stablehlo.slice %38 [2:3, 0:8, 0:8, 0:16, 0:4] : (tensor<3x8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %44 = stablehlo.reshape %43 : (tensor<1x8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %45 = stablehlo.dot_general %40, %42, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16x4xf32>, tensor<8x8x16x4xf32>) -> tensor<8x8x16x16xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x8x16x16xf32>
    %47 = stablehlo.multiply %45, %46 : tensor<8x8x16x16xf32>
    %c_6 = stablehlo.constant dense<true> : tensor<i1>
    %48 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %49 = call @tril(%48) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %50:2 = call @_where_0(%49, %47, %cst_7) : (tensor<16x16xi1>, tensor<8x8x16x16xf32>, tensor<f32>) -> (tensor<8x8x16x16xf32>, tensor<8x8x16x16xi1>)
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %51 = stablehlo.reduce(%50#0 init: %cst_8) applies stablehlo.maximum across dimensions = [3] : (tensor<8x8x16x16xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %53 = stablehlo.maximum %52, %51 : tensor<8x8x16xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<8x8x16xf32>) -> tensor<8x8x16x1xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<8x8x16x1xf32>) -> tensor<8x8x16x16xf32>
    %56 = stablehlo.subtract %50#0, %55 : tensor<8x8x16x16xf32>
    %57 = stablehlo.exponential %56 : tensor<8x8x16x16xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_10) applies stablehlo.add across dimensions = [3] : (tensor<8x8x16x16xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2] : (tensor<8x8x16xf32>) -> tensor<8x8x16x1xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2, 3] : (tensor<8x8x16x1xf32>) -> tensor<8x8x16x16xf32>
    %61 = stablehlo.divide %57, %60 : tensor<8x8x16x16xf32>
    %62 = stablehlo.multiply %59, %59 : tensor<8x8x16x1xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x8x16x1xf32>
    %64 = stablehlo.divide %63, %62 : tensor<8x8x16x1xf32>
    %65 = stablehlo.dot_general %44, %61, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16x4xf32>, tensor<8x8x16x16xf32>) -> tensor<8x8x4x16xf32>
    %66 = stablehlo.transpose %65, dims = [0, 3, 1, 2] : (tensor<8x8x4x16xf32>) -> tensor<8x16x8x4xf32>
    %67 = stablehlo.dot_general %66, %arg6, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8x4xf32>, tensor<8x4x32xf32>) -> tensor<8x16x32xf32>
    %68 = stablehlo.add %10, %67 : tensor<8x16x32xf32>
    %69 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %71 = stablehlo.add %68, %70 : tensor<8x16x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_13 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %75 = stablehlo.divide %73, %74 : tensor<8x16x1xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %77 = stablehlo.subtract %71, %76 : tensor<8x16x32xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %78:4 = call @_var(%71, %c_14) : (tensor<8x16x32xf32>, tensor<i32>) -> (tensor<8x16x1xf32>, tensor<8x16x32xf32>, tensor<f32>, tensor<i1>)
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %80 = stablehlo.add %78#0, %79 : tensor<8x16x1xf32>
    %81 = stablehlo.rsqrt %80 : tensor<8x16x1xf32>
    %82 = stablehlo.divide %81, %80 : tensor<8x16x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %84 = stablehlo.multiply %83, %82 : tensor<8x16x1xf32>
    %85 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %86 = stablehlo.multiply %77, %85 : tensor<8x16x32xf32>
    %87 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %89 = stablehlo.multiply %86, %88 : tensor<8x16x32xf32>
    %90 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %92 = stablehlo.add %89, %91 : tensor<8x16x32xf32>
    %93 = stablehlo.dot_general %92, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x128xf32>) -> tensor<8x16x128xf32>
    %94 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x16x128xf32>
    %96 = stablehlo.add %93, %95 : tensor<8x16x128xf32>
    %97 = stablehlo.multiply %96, %96 : tensor<8x16x128xf32>
    %98 = stablehlo.multiply %97, %96 : tensor<8x16x128xf32>
    %99 = stablehlo.multiply %96, %96 : tensor<8x16x128xf32>
    %cst_17 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %101 = stablehlo.multiply %100, %99 : tensor<8x16x128xf32>
    %cst_18 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %103 = stablehlo.multiply %102, %98 : tensor<8x16x128xf32>
    %104 = stablehlo.add %96, %103 : tensor<8x16x128xf32>
    %cst_19 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %106 = stablehlo.multiply %105, %104 : tensor<8x16x128xf32>
    %107 = stablehlo.tanh %106 : tensor<8x16x128xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %109 = stablehlo.subtract %108, %107 : tensor<8x16x128xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %111 = stablehlo.add %110, %107 : tensor<8x16x128xf32>
    %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %113 = stablehlo.multiply %112, %111 : tensor<8x16x128xf32>
    %114 = stablehlo.multiply %96, %113 : tensor<8x16x128xf32>
    %115 = stablehlo.dot_general %114, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<128x32xf32>) -> tensor<8x16x32xf32>
    %116 = stablehlo.add %71, %115 : tensor<8x16x32xf32>
    %117 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %119 = stablehlo.add %116, %118 : tensor<8x16x32xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.reduce(%119 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_24 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %123 = stablehlo.divide %121, %122 : tensor<8x16x1xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %125 = stablehlo.subtract %119, %124 : tensor<8x16x32xf32>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %126:4 = call @_var(%119, %c_25) : (tensor<8x16x32xf32>, tensor<i32>) -> (tensor<8x16x1xf32>, tensor<8x16x32xf32>, tensor<f32>, tensor<i1>)
    %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %128 = stablehlo.add %126#0, %127 : tensor<8x16x1xf32>
    %129 = stablehlo.rsqrt %128 : tensor<8x16x1xf32>
    %130 = stablehlo.divide %129, %128 : tensor<8x16x1xf32>
    %cst_27 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %132 = stablehlo.multiply %131, %130 : tensor<8x16x1xf32>
    %133 = stablehlo.broadcast_in_dim %129, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %134 = stablehlo.multiply %125, %133 : tensor<8x16x32xf32>
    %135 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %137 = stablehlo.multiply %134, %136 : tensor<8x16x32xf32>
    %138 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %140 = stablehlo.add %137, %139 : tensor<8x16x32xf32>
    %141 = stablehlo.dot_general %arg16, %140, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x3x8x4xf32>, tensor<8x16x32xf32>) -> tensor<3x8x4x8x16xf32>
    %142 = stablehlo.transpose %141, dims = [3, 0, 1, 4, 2] : (tensor<3x8x4x8x16xf32>) -> tensor<8x3x8x16x4xf32>
    %143 = stablehlo.broadcast_in_dim %arg17, dims = [0, 1, 3] : (tensor<3x8x4xf32>) -> tensor<3x8x1x4xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [1, 2, 3, 4] : (tensor<3x8x1x4xf32>) -> tensor<1x3x8x1x4xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2, 3, 4] : (tensor<1x3x8x1x4xf32>) -> tensor<8x3x8x16x4xf32>
    %146 = stablehlo.add %142, %145 : tensor<8x3x8x16x4xf32>
    %147 = stablehlo.transpose %146, dims = [1, 0, 2, 3, 4] : (tensor<8x3x8x16x4xf32>) -> tensor<3x8x8x16x4xf32>
    %148 = stablehlo.slice %147 [0:1, 0:8, 0:8, 0:16, 0:4] : (tensor<3x8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %149 = stablehlo.reshape %148 : (tensor<1x8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %150 = stablehlo.slice %147 [1:2, 0:8, 0:8, 0:16, 0:4] : (tensor<3x8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %151 = stablehlo.reshape %150 : (tensor<1x8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %152 = stablehlo.slice %147 [2:3, 0:8, 0:8, 0:16, 0:4] : (tensor<3x8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %153 = stablehlo.reshape %152 : (tensor<1x8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %154 = stablehlo.dot_general %149, %151, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16x4xf32>, tensor<8x8x16x4xf32>) -> tensor<8x8x16x16xf32>
    %cst_28 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x8x16x16xf32>
    %156 = stablehlo.multiply %154, %155 : tensor<8x8x16x16xf32>
    %c_29 = stablehlo.constant dense<true> : tensor<i1>
    %157 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %158 = call @tril(%157) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_30 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %159:2 = call @_where_0(%158, %156, %cst_30) : (tensor<16x16xi1>, tensor<8x8x16x16xf32>, tensor<f32>) -> (tensor<8x8x16x16xf32>, tensor<8x8x16x16xi1>)
    %cst_31 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %160 = stablehlo.reduce(%159#0 init: %cst_31) applies stablehlo.maximum across dimensions = [3] : (tensor<8x8x16x16xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %cst_32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %162 = stablehlo.maximum %161, %160 : tensor<8x8x16xf32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [0, 1, 2] : (tensor<8x8x16xf32>) -> tensor<8x8x16x1xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1, 2, 3] : (tensor<8x8x16x1xf32>) -> tensor<8x8x16x16xf32>
    %165 = stablehlo.subtract %159#0, %164 : tensor<8x8x16x16xf32>
    %166 = stablehlo.exponential %165 : tensor<8x8x16x16xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.reduce(%166 init: %cst_33) applies stablehlo.add across dimensions = [3] : (tensor<8x8x16x16xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %168 = stablehlo.broadcast_in_dim %167, dims = [0, 1, 2] : (tensor<8x8x16xf32>) -> tensor<8x8x16x1xf32>
    %169 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2, 3] : (tensor<8x8x16x1xf32>) -> tensor<8x8x16x16xf32>
    %170 = stablehlo.divide %166, %169 : tensor<8x8x16x16xf32>
    %171 = stablehlo.multiply %168, %168 : tensor<8x8x16x1xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x8x16x1xf32>
    %173 = stablehlo.divide %172, %171 : tensor<8x8x16x1xf32>
    %174 = stablehlo.dot_general %153, %170, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16x4xf32>, tensor<8x8x16x16xf32>) -> tensor<8x8x4x16xf32>
    %175 = stablehlo.transpose %174, dims = [0, 3, 1, 2] : (tensor<8x8x4x16xf32>) -> tensor<8x16x8x4xf32>
    %176 = stablehlo.dot_general %175, %arg18, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x8x4xf32>, tensor<8x4x32xf32>) -> tensor<8x16x32xf32>
    %177 = stablehlo.add %119, %176 : tensor<8x16x32xf32>
    %178 = stablehlo.broadcast_in_dim %arg19, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %180 = stablehlo.add %177, %179 : tensor<8x16x32xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %181 = stablehlo.reduce(%180 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_36 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %184 = stablehlo.divide %182, %183 : tensor<8x16x1xf32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %186 = stablehlo.subtract %180, %185 : tensor<8x16x32xf32>
    %c_37 = stablehlo.constant dense<0> : tensor<i32>
    %187:4 = call @_var(%180, %c_37) : (tensor<8x16x32xf32>, tensor<i32>) -> (tensor<8x16x1xf32>, tensor<8x16x32xf32>, tensor<f32>, tensor<i1>)
    %cst_38 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %189 = stablehlo.add %187#0, %188 : tensor<8x16x1xf32>
    %190 = stablehlo.rsqrt %189 : tensor<8x16x1xf32>
    %191 = stablehlo.divide %190, %189 : tensor<8x16x1xf32>
    %cst_39 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %193 = stablehlo.multiply %192, %191 : tensor<8x16x1xf32>
    %194 = stablehlo.broadcast_in_dim %190, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %195 = stablehlo.multiply %186, %194 : tensor<8x16x32xf32>
    %196 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %197 = stablehlo.broadcast_in_dim %196, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %198 = stablehlo.multiply %195, %197 : tensor<8x16x32xf32>
    %199 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %201 = stablehlo.add %198, %200 : tensor<8x16x32xf32>
    %202 = stablehlo.dot_general %201, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x128xf32>) -> tensor<8x16x128xf32>
    %203 = stablehlo.broadcast_in_dim %arg23, dims = [2] : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %204 = stablehlo.broadcast_in_dim %203, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<8x16x128xf32>
    %205 = stablehlo.add %202, %204 : tensor<8x16x128xf32>
    %206 = stablehlo.multiply %205, %205 : tensor<8x16x128xf32>
    %207 = stablehlo.multiply %206, %205 : tensor<8x16x128xf32>
    %208 = stablehlo.multiply %205, %205 : tensor<8x16x128xf32>
    %cst_40 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %210 = stablehlo.multiply %209, %208 : tensor<8x16x128xf32>
    %cst_41 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %212 = stablehlo.multiply %211, %207 : tensor<8x16x128xf32>
    %213 = stablehlo.add %205, %212 : tensor<8x16x128xf32>
    %cst_42 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %215 = stablehlo.multiply %214, %213 : tensor<8x16x128xf32>
    %216 = stablehlo.tanh %215 : tensor<8x16x128xf32>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %218 = stablehlo.subtract %217, %216 : tensor<8x16x128xf32>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %219 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %220 = stablehlo.add %219, %216 : tensor<8x16x128xf32>
    %cst_45 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %222 = stablehlo.multiply %221, %220 : tensor<8x16x128xf32>
    %223 = stablehlo.multiply %205, %222 : tensor<8x16x128xf32>
    %224 = stablehlo.dot_general %223, %arg24, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<128x32xf32>) -> tensor<8x16x32xf32>
    %225 = stablehlo.add %180, %224 : tensor<8x16x32xf32>
    %226 = stablehlo.broadcast_in_dim %arg25, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %227 = stablehlo.broadcast_in_dim %226, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %228 = stablehlo.add %225, %227 : tensor<8x16x32xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%228 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_47 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %232 = stablehlo.divide %230, %231 : tensor<8x16x1xf32>
    %233 = stablehlo.broadcast_in_dim %232, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %234 = stablehlo.subtract %228, %233 : tensor<8x16x32xf32>
    %c_48 = stablehlo.constant dense<0> : tensor<i32>
    %235:4 = call @_var(%228, %c_48) : (tensor<8x16x32xf32>, tensor<i32>) -> (tensor<8x16x1xf32>, tensor<8x16x32xf32>, tensor<f32>, tensor<i1>)
    %cst_49 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %237 = stablehlo.add %235#0, %236 : tensor<8x16x1xf32>
    %238 = stablehlo.rsqrt %237 : tensor<8x16x1xf32>
    %239 = stablehlo.divide %238, %237 : tensor<8x16x1xf32>
    %cst_50 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %241 = stablehlo.multiply %240, %239 : tensor<8x16x1xf32>
    %242 = stablehlo.broadcast_in_dim %238, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %243 = stablehlo.multiply %234, %242 : tensor<8x16x32xf32>
    %244 = stablehlo.broadcast_in_dim %arg26, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %246 = stablehlo.multiply %243, %245 : tensor<8x16x32xf32>
    %247 = stablehlo.broadcast_in_dim %arg27, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %248 = stablehlo.broadcast_in_dim %247, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %249 = stablehlo.add %246, %248 : tensor<8x16x32xf32>
    %250 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %251 = stablehlo.dot_general %249, %250, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<32x64xf32>) -> tensor<8x16x64xf32>
    %252:3 = call @log_softmax(%251) : (tensor<8x16x64xf32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x1xf32>)
    %253 = stablehlo.slice %arg85 [0:8, 1:17] : (tensor<8x17xi32>) -> tensor<8x16xi32>
    %254 = stablehlo.broadcast_in_dim %253, dims = [0, 1] : (tensor<8x16xi32>) -> tensor<8x16x1xi32>
    %255:2 = call @take_along_axis(%252#0, %254) : (tensor<8x16x64xf32>, tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>)
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %256 = stablehlo.reduce(%255#0 init: %cst_51) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_52 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %257 = stablehlo.divide %256, %cst_52 : tensor<f32>
    %258 = stablehlo.negate %257 : tensor<f32>
    %cst_53 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %259 = stablehlo.negate %cst_53 : tensor<f32>
    %cst_54 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %260 = stablehlo.divide %259, %cst_54 : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %260, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %262 = call @take_along_axis_1(%255#1, %261) : (tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    %263 = call @log_softmax_2(%252#1, %252#2, %262) : (tensor<8x16x64xf32>, tensor<8x16x1xf32>, tensor<8x16x64xf32>) -> tensor<8x16x64xf32>
    %264 = stablehlo.dot_general %263, %249, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %265 = stablehlo.transpose %264, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %266 = stablehlo.dot_general %263, %250, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x64xf32>, tensor<32x64xf32>) -> tensor<8x16x32xf32>
    %267 = stablehlo.transpose %265, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.reduce(%266 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %269 = stablehlo.reshape %268 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %270 = stablehlo.reduce(%269 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %271 = stablehlo.multiply %243, %266 : tensor<8x16x32xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %272 = stablehlo.reduce(%271 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %273 = stablehlo.reshape %272 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %274 = stablehlo.broadcast_in_dim %244, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %275 = stablehlo.multiply %266, %274 : tensor<8x16x32xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %276 = stablehlo.reduce(%273 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %277 = stablehlo.multiply %234, %275 : tensor<8x16x32xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %278 = stablehlo.reduce(%277 init: %cst_59) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %279 = stablehlo.reshape %278 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %280 = stablehlo.broadcast_in_dim %238, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %281 = stablehlo.multiply %275, %280 : tensor<8x16x32xf32>
    %282 = stablehlo.multiply %279, %241 : tensor<8x16x1xf32>
    %283 = call @_var_3(%235#1, %235#2, %235#3, %282) : (tensor<8x16x32xf32>, tensor<f32>, tensor<i1>, tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %284 = stablehlo.negate %281 : tensor<8x16x32xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %285 = stablehlo.reduce(%284 init: %cst_60) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %286 = stablehlo.reshape %285 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %287 = stablehlo.add %283, %281 : tensor<8x16x32xf32>
    %cst_61 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %288 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %289 = stablehlo.divide %286, %288 : tensor<8x16x1xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %290 = stablehlo.reduce(%289 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %291 = stablehlo.broadcast_in_dim %290, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %292 = stablehlo.add %287, %291 : tensor<8x16x32xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %293 = stablehlo.reduce(%292 init: %cst_63) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %294 = stablehlo.reshape %293 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.reduce(%294 init: %cst_64) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %296 = stablehlo.dot_general %292, %223, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x128xf32>) -> tensor<32x128xf32>
    %297 = stablehlo.transpose %296, dims = [1, 0] : (tensor<32x128xf32>) -> tensor<128x32xf32>
    %298 = stablehlo.dot_general %292, %arg24, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<128x32xf32>) -> tensor<8x16x128xf32>
    %299 = stablehlo.multiply %205, %298 : tensor<8x16x128xf32>
    %300 = stablehlo.multiply %298, %222 : tensor<8x16x128xf32>
    %cst_65 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %301 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %302 = stablehlo.multiply %301, %299 : tensor<8x16x128xf32>
    %303 = stablehlo.multiply %302, %218 : tensor<8x16x128xf32>
    %304 = stablehlo.multiply %303, %216 : tensor<8x16x128xf32>
    %305 = stablehlo.add %303, %304 : tensor<8x16x128xf32>
    %cst_66 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %306 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %307 = stablehlo.multiply %306, %305 : tensor<8x16x128xf32>
    %308 = stablehlo.add %300, %307 : tensor<8x16x128xf32>
    %cst_67 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %310 = stablehlo.multiply %309, %307 : tensor<8x16x128xf32>
    %311 = stablehlo.multiply %310, %210 : tensor<8x16x128xf32>
    %312 = stablehlo.add %308, %311 : tensor<8x16x128xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %313 = stablehlo.reduce(%312 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x128xf32>, tensor<f32>) -> tensor<128xf32>
    %314 = stablehlo.reshape %313 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.reduce(%314 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %316 = stablehlo.dot_general %312, %201, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<8x16x32xf32>) -> tensor<128x32xf32>
    %317 = stablehlo.transpose %316, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %318 = stablehlo.dot_general %312, %arg22, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<32x128xf32>) -> tensor<8x16x32xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %319 = stablehlo.reduce(%318 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %320 = stablehlo.reshape %319 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %321 = stablehlo.reduce(%320 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %322 = stablehlo.multiply %195, %318 : tensor<8x16x32xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %323 = stablehlo.reduce(%322 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %324 = stablehlo.reshape %323 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %325 = stablehlo.broadcast_in_dim %196, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %326 = stablehlo.multiply %318, %325 : tensor<8x16x32xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %327 = stablehlo.reduce(%324 init: %cst_73) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %328 = stablehlo.multiply %186, %326 : tensor<8x16x32xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %329 = stablehlo.reduce(%328 init: %cst_74) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %330 = stablehlo.reshape %329 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %331 = stablehlo.broadcast_in_dim %190, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %332 = stablehlo.multiply %326, %331 : tensor<8x16x32xf32>
    %333 = stablehlo.multiply %330, %193 : tensor<8x16x1xf32>
    %334 = call @_var_3(%187#1, %187#2, %187#3, %333) : (tensor<8x16x32xf32>, tensor<f32>, tensor<i1>, tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %335 = stablehlo.add %292, %334 : tensor<8x16x32xf32>
    %336 = stablehlo.negate %332 : tensor<8x16x32xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %337 = stablehlo.reduce(%336 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %338 = stablehlo.reshape %337 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %339 = stablehlo.add %335, %332 : tensor<8x16x32xf32>
    %cst_76 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %341 = stablehlo.divide %338, %340 : tensor<8x16x1xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %342 = stablehlo.reduce(%341 init: %cst_77) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %343 = stablehlo.broadcast_in_dim %342, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %344 = stablehlo.add %339, %343 : tensor<8x16x32xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.reduce(%344 init: %cst_78) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %346 = stablehlo.reshape %345 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %347 = stablehlo.reduce(%346 init: %cst_79) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %348 = stablehlo.dot_general %344, %175, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x8x4xf32>) -> tensor<32x8x4xf32>
    %349 = stablehlo.transpose %348, dims = [1, 2, 0] : (tensor<32x8x4xf32>) -> tensor<8x4x32xf32>
    %350 = stablehlo.dot_general %344, %arg18, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x4x32xf32>) -> tensor<8x16x8x4xf32>
    %351 = stablehlo.transpose %350, dims = [0, 2, 3, 1] : (tensor<8x16x8x4xf32>) -> tensor<8x8x4x16xf32>
    %352 = stablehlo.dot_general %351, %153, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x4x16xf32>, tensor<8x8x16x4xf32>) -> tensor<8x8x16x16xf32>
    %353 = stablehlo.dot_general %351, %170, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x4x16xf32>, tensor<8x8x16x16xf32>) -> tensor<8x8x4x16xf32>
    %354 = stablehlo.transpose %353, dims = [0, 1, 3, 2] : (tensor<8x8x4x16xf32>) -> tensor<8x8x16x4xf32>
    %355 = stablehlo.broadcast_in_dim %173, dims = [0, 1, 2, 3] : (tensor<8x8x16x1xf32>) -> tensor<8x8x16x16xf32>
    %356 = stablehlo.multiply %352, %355 : tensor<8x8x16x16xf32>
    %357 = stablehlo.multiply %356, %166 : tensor<8x8x16x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %358 = stablehlo.reduce(%357 init: %cst_80) applies stablehlo.add across dimensions = [3] : (tensor<8x8x16x16xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %359 = stablehlo.reshape %358 : (tensor<8x8x16xf32>) -> tensor<8x8x16x1xf32>
    %360 = stablehlo.negate %359 : tensor<8x8x16x1xf32>
    %361 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2, 3] : (tensor<8x8x16x1xf32>) -> tensor<8x8x16x16xf32>
    %362 = stablehlo.divide %352, %361 : tensor<8x8x16x16xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %363 = stablehlo.reduce(%360 init: %cst_81) applies stablehlo.add across dimensions = [3] : (tensor<8x8x16x1xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %364 = stablehlo.broadcast_in_dim %363, dims = [0, 1, 2] : (tensor<8x8x16xf32>) -> tensor<8x8x16x16xf32>
    %365 = stablehlo.add %362, %364 : tensor<8x8x16x16xf32>
    %366 = stablehlo.multiply %365, %166 : tensor<8x8x16x16xf32>
    %367 = call @_where_5(%159#1, %366) : (tensor<8x8x16x16xi1>, tensor<8x8x16x16xf32>) -> tensor<8x8x16x16xf32>
    %cst_82 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %368 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<8x8x16x16xf32>
    %369 = stablehlo.multiply %367, %368 : tensor<8x8x16x16xf32>
    %370 = stablehlo.dot_general %369, %149, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16x16xf32>, tensor<8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %371 = stablehlo.dot_general %369, %151, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16x16xf32>, tensor<8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %372 = stablehlo.broadcast_in_dim %354, dims = [1, 2, 3, 4] : (tensor<8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %373 = stablehlo.pad %372, %cst_83, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x8x16x4xf32>, tensor<f32>) -> tensor<3x8x8x16x4xf32>
    %374 = stablehlo.broadcast_in_dim %370, dims = [1, 2, 3, 4] : (tensor<8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %375 = stablehlo.pad %374, %cst_84, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x8x16x4xf32>, tensor<f32>) -> tensor<3x8x8x16x4xf32>
    %376 = stablehlo.add %373, %375 : tensor<3x8x8x16x4xf32>
    %377 = stablehlo.broadcast_in_dim %371, dims = [1, 2, 3, 4] : (tensor<8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %378 = stablehlo.pad %377, %cst_85, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x8x16x4xf32>, tensor<f32>) -> tensor<3x8x8x16x4xf32>
    %379 = stablehlo.add %376, %378 : tensor<3x8x8x16x4xf32>
    %380 = stablehlo.transpose %379, dims = [1, 0, 2, 3, 4] : (tensor<3x8x8x16x4xf32>) -> tensor<8x3x8x16x4xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %381 = stablehlo.reduce(%380 init: %cst_86) applies stablehlo.add across dimensions = [0, 3] : (tensor<8x3x8x16x4xf32>, tensor<f32>) -> tensor<3x8x4xf32>
    %382 = stablehlo.reshape %381 : (tensor<3x8x4xf32>) -> tensor<1x3x8x1x4xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %383 = stablehlo.reduce(%382 init: %cst_87) applies stablehlo.add across dimensions = [0, 3] : (tensor<1x3x8x1x4xf32>, tensor<f32>) -> tensor<3x8x4xf32>
    %384 = stablehlo.broadcast_in_dim %383, dims = [0, 1, 3] : (tensor<3x8x4xf32>) -> tensor<3x8x1x4xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %385 = stablehlo.reduce(%384 init: %cst_88) applies stablehlo.add across dimensions = [2] : (tensor<3x8x1x4xf32>, tensor<f32>) -> tensor<3x8x4xf32>
    %386 = stablehlo.transpose %380, dims = [1, 2, 4, 0, 3] : (tensor<8x3x8x16x4xf32>) -> tensor<3x8x4x8x16xf32>
    %387 = stablehlo.dot_general %386, %arg16, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x8x4x8x16xf32>, tensor<32x3x8x4xf32>) -> tensor<8x16x32xf32>
    %388 = stablehlo.dot_general %386, %140, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x8x4x8x16xf32>, tensor<8x16x32xf32>) -> tensor<3x8x4x32xf32>
    %389 = stablehlo.transpose %388, dims = [3, 0, 1, 2] : (tensor<3x8x4x32xf32>) -> tensor<32x3x8x4xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %390 = stablehlo.reduce(%387 init: %cst_89) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %391 = stablehlo.reshape %390 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %392 = stablehlo.reduce(%391 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %393 = stablehlo.multiply %134, %387 : tensor<8x16x32xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %394 = stablehlo.reduce(%393 init: %cst_91) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %395 = stablehlo.reshape %394 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %396 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %397 = stablehlo.multiply %387, %396 : tensor<8x16x32xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %398 = stablehlo.reduce(%395 init: %cst_92) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %399 = stablehlo.multiply %125, %397 : tensor<8x16x32xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %400 = stablehlo.reduce(%399 init: %cst_93) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %401 = stablehlo.reshape %400 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %402 = stablehlo.broadcast_in_dim %129, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %403 = stablehlo.multiply %397, %402 : tensor<8x16x32xf32>
    %404 = stablehlo.multiply %401, %132 : tensor<8x16x1xf32>
    %405 = call @_var_3(%126#1, %126#2, %126#3, %404) : (tensor<8x16x32xf32>, tensor<f32>, tensor<i1>, tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %406 = stablehlo.add %344, %405 : tensor<8x16x32xf32>
    %407 = stablehlo.negate %403 : tensor<8x16x32xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %408 = stablehlo.reduce(%407 init: %cst_94) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %409 = stablehlo.reshape %408 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %410 = stablehlo.add %406, %403 : tensor<8x16x32xf32>
    %cst_95 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %411 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %412 = stablehlo.divide %409, %411 : tensor<8x16x1xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %413 = stablehlo.reduce(%412 init: %cst_96) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %414 = stablehlo.broadcast_in_dim %413, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %415 = stablehlo.add %410, %414 : tensor<8x16x32xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %416 = stablehlo.reduce(%415 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %417 = stablehlo.reshape %416 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %418 = stablehlo.reduce(%417 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %419 = stablehlo.dot_general %415, %114, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x128xf32>) -> tensor<32x128xf32>
    %420 = stablehlo.transpose %419, dims = [1, 0] : (tensor<32x128xf32>) -> tensor<128x32xf32>
    %421 = stablehlo.dot_general %415, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<128x32xf32>) -> tensor<8x16x128xf32>
    %422 = stablehlo.multiply %96, %421 : tensor<8x16x128xf32>
    %423 = stablehlo.multiply %421, %113 : tensor<8x16x128xf32>
    %cst_99 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %425 = stablehlo.multiply %424, %422 : tensor<8x16x128xf32>
    %426 = stablehlo.multiply %425, %109 : tensor<8x16x128xf32>
    %427 = stablehlo.multiply %426, %107 : tensor<8x16x128xf32>
    %428 = stablehlo.add %426, %427 : tensor<8x16x128xf32>
    %cst_100 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %430 = stablehlo.multiply %429, %428 : tensor<8x16x128xf32>
    %431 = stablehlo.add %423, %430 : tensor<8x16x128xf32>
    %cst_101 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %432 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x16x128xf32>
    %433 = stablehlo.multiply %432, %430 : tensor<8x16x128xf32>
    %434 = stablehlo.multiply %433, %101 : tensor<8x16x128xf32>
    %435 = stablehlo.add %431, %434 : tensor<8x16x128xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %436 = stablehlo.reduce(%435 init: %cst_102) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x128xf32>, tensor<f32>) -> tensor<128xf32>
    %437 = stablehlo.reshape %436 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %438 = stablehlo.reduce(%437 init: %cst_103) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %439 = stablehlo.dot_general %435, %92, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<8x16x32xf32>) -> tensor<128x32xf32>
    %440 = stablehlo.transpose %439, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %441 = stablehlo.dot_general %435, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x128xf32>, tensor<32x128xf32>) -> tensor<8x16x32xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %442 = stablehlo.reduce(%441 init: %cst_104) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %443 = stablehlo.reshape %442 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %444 = stablehlo.reduce(%443 init: %cst_105) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %445 = stablehlo.multiply %86, %441 : tensor<8x16x32xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.reduce(%445 init: %cst_106) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %447 = stablehlo.reshape %446 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %448 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %449 = stablehlo.multiply %441, %448 : tensor<8x16x32xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %450 = stablehlo.reduce(%447 init: %cst_107) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %451 = stablehlo.multiply %77, %449 : tensor<8x16x32xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %452 = stablehlo.reduce(%451 init: %cst_108) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %453 = stablehlo.reshape %452 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %454 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %455 = stablehlo.multiply %449, %454 : tensor<8x16x32xf32>
    %456 = stablehlo.multiply %453, %84 : tensor<8x16x1xf32>
    %457 = call @_var_3(%78#1, %78#2, %78#3, %456) : (tensor<8x16x32xf32>, tensor<f32>, tensor<i1>, tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %458 = stablehlo.add %415, %457 : tensor<8x16x32xf32>
    %459 = stablehlo.negate %455 : tensor<8x16x32xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %460 = stablehlo.reduce(%459 init: %cst_109) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %461 = stablehlo.reshape %460 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %462 = stablehlo.add %458, %455 : tensor<8x16x32xf32>
    %cst_110 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %463 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %464 = stablehlo.divide %461, %463 : tensor<8x16x1xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %465 = stablehlo.reduce(%464 init: %cst_111) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %466 = stablehlo.broadcast_in_dim %465, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %467 = stablehlo.add %462, %466 : tensor<8x16x32xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %468 = stablehlo.reduce(%467 init: %cst_112) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %469 = stablehlo.reshape %468 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %470 = stablehlo.reduce(%469 init: %cst_113) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %471 = stablehlo.dot_general %467, %66, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x16x8x4xf32>) -> tensor<32x8x4xf32>
    %472 = stablehlo.transpose %471, dims = [1, 2, 0] : (tensor<32x8x4xf32>) -> tensor<8x4x32xf32>
    %473 = stablehlo.dot_general %467, %arg6, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x16x32xf32>, tensor<8x4x32xf32>) -> tensor<8x16x8x4xf32>
    %474 = stablehlo.transpose %473, dims = [0, 2, 3, 1] : (tensor<8x16x8x4xf32>) -> tensor<8x8x4x16xf32>
    %475 = stablehlo.dot_general %474, %44, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x4x16xf32>, tensor<8x8x16x4xf32>) -> tensor<8x8x16x16xf32>
    %476 = stablehlo.dot_general %474, %61, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x4x16xf32>, tensor<8x8x16x16xf32>) -> tensor<8x8x4x16xf32>
    %477 = stablehlo.transpose %476, dims = [0, 1, 3, 2] : (tensor<8x8x4x16xf32>) -> tensor<8x8x16x4xf32>
    %478 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<8x8x16x1xf32>) -> tensor<8x8x16x16xf32>
    %479 = stablehlo.multiply %475, %478 : tensor<8x8x16x16xf32>
    %480 = stablehlo.multiply %479, %57 : tensor<8x8x16x16xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %481 = stablehlo.reduce(%480 init: %cst_114) applies stablehlo.add across dimensions = [3] : (tensor<8x8x16x16xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %482 = stablehlo.reshape %481 : (tensor<8x8x16xf32>) -> tensor<8x8x16x1xf32>
    %483 = stablehlo.negate %482 : tensor<8x8x16x1xf32>
    %484 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2, 3] : (tensor<8x8x16x1xf32>) -> tensor<8x8x16x16xf32>
    %485 = stablehlo.divide %475, %484 : tensor<8x8x16x16xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %486 = stablehlo.reduce(%483 init: %cst_115) applies stablehlo.add across dimensions = [3] : (tensor<8x8x16x1xf32>, tensor<f32>) -> tensor<8x8x16xf32>
    %487 = stablehlo.broadcast_in_dim %486, dims = [0, 1, 2] : (tensor<8x8x16xf32>) -> tensor<8x8x16x16xf32>
    %488 = stablehlo.add %485, %487 : tensor<8x8x16x16xf32>
    %489 = stablehlo.multiply %488, %57 : tensor<8x8x16x16xf32>
    %490 = call @_where_5(%50#1, %489) : (tensor<8x8x16x16xi1>, tensor<8x8x16x16xf32>) -> tensor<8x8x16x16xf32>
    %cst_116 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %491 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<8x8x16x16xf32>
    %492 = stablehlo.multiply %490, %491 : tensor<8x8x16x16xf32>
    %493 = stablehlo.dot_general %492, %40, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16x16xf32>, tensor<8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %494 = stablehlo.dot_general %492, %42, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16x16xf32>, tensor<8x8x16x4xf32>) -> tensor<8x8x16x4xf32>
    %495 = stablehlo.broadcast_in_dim %477, dims = [1, 2, 3, 4] : (tensor<8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %496 = stablehlo.pad %495, %cst_117, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x8x16x4xf32>, tensor<f32>) -> tensor<3x8x8x16x4xf32>
    %497 = stablehlo.broadcast_in_dim %493, dims = [1, 2, 3, 4] : (tensor<8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %498 = stablehlo.pad %497, %cst_118, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x8x16x4xf32>, tensor<f32>) -> tensor<3x8x8x16x4xf32>
    %499 = stablehlo.add %496, %498 : tensor<3x8x8x16x4xf32>
    %500 = stablehlo.broadcast_in_dim %494, dims = [1, 2, 3, 4] : (tensor<8x8x16x4xf32>) -> tensor<1x8x8x16x4xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %501 = stablehlo.pad %500, %cst_119, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x8x8x16x4xf32>, tensor<f32>) -> tensor<3x8x8x16x4xf32>
    %502 = stablehlo.add %499, %501 : tensor<3x8x8x16x4xf32>
    %503 = stablehlo.transpose %502, dims = [1, 0, 2, 3, 4] : (tensor<3x8x8x16x4xf32>) -> tensor<8x3x8x16x4xf32>
    %cst_120 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %504 = stablehlo.reduce(%503 init: %cst_120) applies stablehlo.add across dimensions = [0, 3] : (tensor<8x3x8x16x4xf32>, tensor<f32>) -> tensor<3x8x4xf32>
    %505 = stablehlo.reshape %504 : (tensor<3x8x4xf32>) -> tensor<1x3x8x1x4xf32>
    %cst_121 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %506 = stablehlo.reduce(%505 init: %cst_121) applies stablehlo.add across dimensions = [0, 3] : (tensor<1x3x8x1x4xf32>, tensor<f32>) -> tensor<3x8x4xf32>
    %507 = stablehlo.broadcast_in_dim %506, dims = [0, 1, 3] : (tensor<3x8x4xf32>) -> tensor<3x8x1x4xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %508 = stablehlo.reduce(%507 init: %cst_122) applies stablehlo.add across dimensions = [2] : (tensor<3x8x1x4xf32>, tensor<f32>) -> tensor<3x8x4xf32>
    %509 = stablehlo.transpose %503, dims = [1, 2, 4, 0, 3] : (tensor<8x3x8x16x4xf32>) -> tensor<3x8x4x8x16xf32>
    %510 = stablehlo.dot_general %509, %arg4, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x8x4x8x16xf32>, tensor<32x3x8x4xf32>) -> tensor<8x16x32xf32>
    %511 = stablehlo.dot_general %509, %31, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x8x4x8x16xf32>, tensor<8x16x32xf32>) -> tensor<3x8x4x32xf32>
    %512 = stablehlo.transpose %511, dims = [3, 0, 1, 2] : (tensor<3x8x4x32xf32>) -> tensor<32x3x8x4xf32>
    %cst_123 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %513 = stablehlo.reduce(%510 init: %cst_123) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %514 = stablehlo.reshape %513 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_124 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %515 = stablehlo.reduce(%514 init: %cst_124) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %516 = stablehlo.multiply %25, %510 : tensor<8x16x32xf32>
    %cst_125 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %517 = stablehlo.reduce(%516 init: %cst_125) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %518 = stablehlo.reshape %517 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %519 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x16x32xf32>
    %520 = stablehlo.multiply %510, %519 : tensor<8x16x32xf32>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %521 = stablehlo.reduce(%518 init: %cst_126) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %522 = stablehlo.multiply %16, %520 : tensor<8x16x32xf32>
    %cst_127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %523 = stablehlo.reduce(%522 init: %cst_127) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %524 = stablehlo.reshape %523 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %525 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %526 = stablehlo.multiply %520, %525 : tensor<8x16x32xf32>
    %527 = stablehlo.multiply %524, %23 : tensor<8x16x1xf32>
    %528 = call @_var_3(%17#1, %17#2, %17#3, %527) : (tensor<8x16x32xf32>, tensor<f32>, tensor<i1>, tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %529 = stablehlo.add %467, %528 : tensor<8x16x32xf32>
    %530 = stablehlo.negate %526 : tensor<8x16x32xf32>
    %cst_128 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %531 = stablehlo.reduce(%530 init: %cst_128) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %532 = stablehlo.reshape %531 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %533 = stablehlo.add %529, %526 : tensor<8x16x32xf32>
    %cst_129 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %534 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %535 = stablehlo.divide %532, %534 : tensor<8x16x1xf32>
    %cst_130 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %536 = stablehlo.reduce(%535 init: %cst_130) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %537 = stablehlo.broadcast_in_dim %536, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %538 = stablehlo.add %533, %537 : tensor<8x16x32xf32>
    %cst_131 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %539 = stablehlo.reduce(%538 init: %cst_131) applies stablehlo.add across dimensions = [0] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<16x32xf32>
    %540 = stablehlo.reshape %539 : (tensor<16x32xf32>) -> tensor<1x16x32xf32>
    %cst_132 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %541 = stablehlo.reduce(%540 init: %cst_132) applies stablehlo.add across dimensions = [0] : (tensor<1x16x32xf32>, tensor<f32>) -> tensor<16x32xf32>
    %cst_133 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %543 = "stablehlo.scatter"(%542, %6, %538) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg86: tensor<f32>, %arg87: tensor<f32>):
      %1057 = stablehlo.add %arg86, %arg87 : tensor<f32>
      stablehlo.return %1057 : tensor<f32>
    }) : (tensor<64x32xf32>, tensor<8x16x1xi32>, tensor<8x16x32xf32>) -> tensor<64x32xf32>
    %544 = stablehlo.add %267, %543 : tensor<64x32xf32>
    %cst_134 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %545 = stablehlo.add %arg84, %cst_134 : tensor<f32>
    %cst_135 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %546 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %547 = stablehlo.multiply %546, %arg28 : tensor<64x32xf32>
    %cst_136 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %548 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %549 = stablehlo.multiply %548, %544 : tensor<64x32xf32>
    %550 = stablehlo.add %547, %549 : tensor<64x32xf32>
    %cst_137 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %551 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %552 = stablehlo.multiply %551, %arg29 : tensor<16x32xf32>
    %cst_138 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %553 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %554 = stablehlo.multiply %553, %541 : tensor<16x32xf32>
    %555 = stablehlo.add %552, %554 : tensor<16x32xf32>
    %cst_139 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %557 = stablehlo.multiply %556, %arg30 : tensor<32xf32>
    %cst_140 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %558 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %559 = stablehlo.multiply %558, %521 : tensor<32xf32>
    %560 = stablehlo.add %557, %559 : tensor<32xf32>
    %cst_141 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %561 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %562 = stablehlo.multiply %561, %arg31 : tensor<32xf32>
    %cst_142 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %564 = stablehlo.multiply %563, %515 : tensor<32xf32>
    %565 = stablehlo.add %562, %564 : tensor<32xf32>
    %cst_143 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %567 = stablehlo.multiply %566, %arg32 : tensor<32x3x8x4xf32>
    %cst_144 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %568 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %569 = stablehlo.multiply %568, %512 : tensor<32x3x8x4xf32>
    %570 = stablehlo.add %567, %569 : tensor<32x3x8x4xf32>
    %cst_145 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %572 = stablehlo.multiply %571, %arg33 : tensor<3x8x4xf32>
    %cst_146 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %573 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %574 = stablehlo.multiply %573, %508 : tensor<3x8x4xf32>
    %575 = stablehlo.add %572, %574 : tensor<3x8x4xf32>
    %cst_147 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %576 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %577 = stablehlo.multiply %576, %arg34 : tensor<8x4x32xf32>
    %cst_148 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %578 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %579 = stablehlo.multiply %578, %472 : tensor<8x4x32xf32>
    %580 = stablehlo.add %577, %579 : tensor<8x4x32xf32>
    %cst_149 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %581 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %582 = stablehlo.multiply %581, %arg35 : tensor<32xf32>
    %cst_150 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %583 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %584 = stablehlo.multiply %583, %470 : tensor<32xf32>
    %585 = stablehlo.add %582, %584 : tensor<32xf32>
    %cst_151 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %587 = stablehlo.multiply %586, %arg36 : tensor<32xf32>
    %cst_152 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %588 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %589 = stablehlo.multiply %588, %450 : tensor<32xf32>
    %590 = stablehlo.add %587, %589 : tensor<32xf32>
    %cst_153 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %591 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %592 = stablehlo.multiply %591, %arg37 : tensor<32xf32>
    %cst_154 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %593 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %594 = stablehlo.multiply %593, %444 : tensor<32xf32>
    %595 = stablehlo.add %592, %594 : tensor<32xf32>
    %cst_155 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %596 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %597 = stablehlo.multiply %596, %arg38 : tensor<32x128xf32>
    %cst_156 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %598 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %599 = stablehlo.multiply %598, %440 : tensor<32x128xf32>
    %600 = stablehlo.add %597, %599 : tensor<32x128xf32>
    %cst_157 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %601 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %602 = stablehlo.multiply %601, %arg39 : tensor<128xf32>
    %cst_158 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %603 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %604 = stablehlo.multiply %603, %438 : tensor<128xf32>
    %605 = stablehlo.add %602, %604 : tensor<128xf32>
    %cst_159 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %606 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %607 = stablehlo.multiply %606, %arg40 : tensor<128x32xf32>
    %cst_160 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %608 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %609 = stablehlo.multiply %608, %420 : tensor<128x32xf32>
    %610 = stablehlo.add %607, %609 : tensor<128x32xf32>
    %cst_161 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %611 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %612 = stablehlo.multiply %611, %arg41 : tensor<32xf32>
    %cst_162 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %613 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %614 = stablehlo.multiply %613, %418 : tensor<32xf32>
    %615 = stablehlo.add %612, %614 : tensor<32xf32>
    %cst_163 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %616 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %617 = stablehlo.multiply %616, %arg42 : tensor<32xf32>
    %cst_164 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %618 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %619 = stablehlo.multiply %618, %398 : tensor<32xf32>
    %620 = stablehlo.add %617, %619 : tensor<32xf32>
    %cst_165 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %621 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %622 = stablehlo.multiply %621, %arg43 : tensor<32xf32>
    %cst_166 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %623 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %624 = stablehlo.multiply %623, %392 : tensor<32xf32>
    %625 = stablehlo.add %622, %624 : tensor<32xf32>
    %cst_167 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %626 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %627 = stablehlo.multiply %626, %arg44 : tensor<32x3x8x4xf32>
    %cst_168 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %628 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %629 = stablehlo.multiply %628, %389 : tensor<32x3x8x4xf32>
    %630 = stablehlo.add %627, %629 : tensor<32x3x8x4xf32>
    %cst_169 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %631 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %632 = stablehlo.multiply %631, %arg45 : tensor<3x8x4xf32>
    %cst_170 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %634 = stablehlo.multiply %633, %385 : tensor<3x8x4xf32>
    %635 = stablehlo.add %632, %634 : tensor<3x8x4xf32>
    %cst_171 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %636 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %637 = stablehlo.multiply %636, %arg46 : tensor<8x4x32xf32>
    %cst_172 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %638 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %639 = stablehlo.multiply %638, %349 : tensor<8x4x32xf32>
    %640 = stablehlo.add %637, %639 : tensor<8x4x32xf32>
    %cst_173 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %641 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %642 = stablehlo.multiply %641, %arg47 : tensor<32xf32>
    %cst_174 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %643 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %644 = stablehlo.multiply %643, %347 : tensor<32xf32>
    %645 = stablehlo.add %642, %644 : tensor<32xf32>
    %cst_175 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %646 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %647 = stablehlo.multiply %646, %arg48 : tensor<32xf32>
    %cst_176 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %648 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %649 = stablehlo.multiply %648, %327 : tensor<32xf32>
    %650 = stablehlo.add %647, %649 : tensor<32xf32>
    %cst_177 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %651 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %652 = stablehlo.multiply %651, %arg49 : tensor<32xf32>
    %cst_178 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %653 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %654 = stablehlo.multiply %653, %321 : tensor<32xf32>
    %655 = stablehlo.add %652, %654 : tensor<32xf32>
    %cst_179 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %656 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %657 = stablehlo.multiply %656, %arg50 : tensor<32x128xf32>
    %cst_180 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %658 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %659 = stablehlo.multiply %658, %317 : tensor<32x128xf32>
    %660 = stablehlo.add %657, %659 : tensor<32x128xf32>
    %cst_181 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %661 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %662 = stablehlo.multiply %661, %arg51 : tensor<128xf32>
    %cst_182 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %663 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %664 = stablehlo.multiply %663, %315 : tensor<128xf32>
    %665 = stablehlo.add %662, %664 : tensor<128xf32>
    %cst_183 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %666 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %667 = stablehlo.multiply %666, %arg52 : tensor<128x32xf32>
    %cst_184 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %668 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %669 = stablehlo.multiply %668, %297 : tensor<128x32xf32>
    %670 = stablehlo.add %667, %669 : tensor<128x32xf32>
    %cst_185 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %671 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %672 = stablehlo.multiply %671, %arg53 : tensor<32xf32>
    %cst_186 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %673 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %674 = stablehlo.multiply %673, %295 : tensor<32xf32>
    %675 = stablehlo.add %672, %674 : tensor<32xf32>
    %cst_187 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %676 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %677 = stablehlo.multiply %676, %arg54 : tensor<32xf32>
    %cst_188 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %678 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %679 = stablehlo.multiply %678, %276 : tensor<32xf32>
    %680 = stablehlo.add %677, %679 : tensor<32xf32>
    %cst_189 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %681 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %682 = stablehlo.multiply %681, %arg55 : tensor<32xf32>
    %cst_190 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %683 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %684 = stablehlo.multiply %683, %270 : tensor<32xf32>
    %685 = stablehlo.add %682, %684 : tensor<32xf32>
    %cst_191 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %686 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %687 = stablehlo.multiply %686, %arg56 : tensor<64x32xf32>
    %cst_192 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %688 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %689 = stablehlo.multiply %688, %544 : tensor<64x32xf32>
    %690 = stablehlo.multiply %689, %544 : tensor<64x32xf32>
    %691 = stablehlo.add %687, %690 : tensor<64x32xf32>
    %cst_193 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %692 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %693 = stablehlo.multiply %692, %arg57 : tensor<16x32xf32>
    %cst_194 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %694 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %695 = stablehlo.multiply %694, %541 : tensor<16x32xf32>
    %696 = stablehlo.multiply %695, %541 : tensor<16x32xf32>
    %697 = stablehlo.add %693, %696 : tensor<16x32xf32>
    %cst_195 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %698 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %699 = stablehlo.multiply %698, %arg58 : tensor<32xf32>
    %cst_196 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %700 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %701 = stablehlo.multiply %700, %521 : tensor<32xf32>
    %702 = stablehlo.multiply %701, %521 : tensor<32xf32>
    %703 = stablehlo.add %699, %702 : tensor<32xf32>
    %cst_197 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %704 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %705 = stablehlo.multiply %704, %arg59 : tensor<32xf32>
    %cst_198 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %706 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %707 = stablehlo.multiply %706, %515 : tensor<32xf32>
    %708 = stablehlo.multiply %707, %515 : tensor<32xf32>
    %709 = stablehlo.add %705, %708 : tensor<32xf32>
    %cst_199 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %710 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %711 = stablehlo.multiply %710, %arg60 : tensor<32x3x8x4xf32>
    %cst_200 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %712 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %713 = stablehlo.multiply %712, %512 : tensor<32x3x8x4xf32>
    %714 = stablehlo.multiply %713, %512 : tensor<32x3x8x4xf32>
    %715 = stablehlo.add %711, %714 : tensor<32x3x8x4xf32>
    %cst_201 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %716 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %717 = stablehlo.multiply %716, %arg61 : tensor<3x8x4xf32>
    %cst_202 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %718 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %719 = stablehlo.multiply %718, %508 : tensor<3x8x4xf32>
    %720 = stablehlo.multiply %719, %508 : tensor<3x8x4xf32>
    %721 = stablehlo.add %717, %720 : tensor<3x8x4xf32>
    %cst_203 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %722 = stablehlo.broadcast_in_dim %cst_203, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %723 = stablehlo.multiply %722, %arg62 : tensor<8x4x32xf32>
    %cst_204 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %724 = stablehlo.broadcast_in_dim %cst_204, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %725 = stablehlo.multiply %724, %472 : tensor<8x4x32xf32>
    %726 = stablehlo.multiply %725, %472 : tensor<8x4x32xf32>
    %727 = stablehlo.add %723, %726 : tensor<8x4x32xf32>
    %cst_205 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %728 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %729 = stablehlo.multiply %728, %arg63 : tensor<32xf32>
    %cst_206 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %730 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %731 = stablehlo.multiply %730, %470 : tensor<32xf32>
    %732 = stablehlo.multiply %731, %470 : tensor<32xf32>
    %733 = stablehlo.add %729, %732 : tensor<32xf32>
    %cst_207 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %734 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %735 = stablehlo.multiply %734, %arg64 : tensor<32xf32>
    %cst_208 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %736 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %737 = stablehlo.multiply %736, %450 : tensor<32xf32>
    %738 = stablehlo.multiply %737, %450 : tensor<32xf32>
    %739 = stablehlo.add %735, %738 : tensor<32xf32>
    %cst_209 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %740 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %741 = stablehlo.multiply %740, %arg65 : tensor<32xf32>
    %cst_210 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %742 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %743 = stablehlo.multiply %742, %444 : tensor<32xf32>
    %744 = stablehlo.multiply %743, %444 : tensor<32xf32>
    %745 = stablehlo.add %741, %744 : tensor<32xf32>
    %cst_211 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %746 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %747 = stablehlo.multiply %746, %arg66 : tensor<32x128xf32>
    %cst_212 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %748 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %749 = stablehlo.multiply %748, %440 : tensor<32x128xf32>
    %750 = stablehlo.multiply %749, %440 : tensor<32x128xf32>
    %751 = stablehlo.add %747, %750 : tensor<32x128xf32>
    %cst_213 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %752 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %753 = stablehlo.multiply %752, %arg67 : tensor<128xf32>
    %cst_214 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %754 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %755 = stablehlo.multiply %754, %438 : tensor<128xf32>
    %756 = stablehlo.multiply %755, %438 : tensor<128xf32>
    %757 = stablehlo.add %753, %756 : tensor<128xf32>
    %cst_215 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %758 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %759 = stablehlo.multiply %758, %arg68 : tensor<128x32xf32>
    %cst_216 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %760 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %761 = stablehlo.multiply %760, %420 : tensor<128x32xf32>
    %762 = stablehlo.multiply %761, %420 : tensor<128x32xf32>
    %763 = stablehlo.add %759, %762 : tensor<128x32xf32>
    %cst_217 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %764 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %765 = stablehlo.multiply %764, %arg69 : tensor<32xf32>
    %cst_218 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %766 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %767 = stablehlo.multiply %766, %418 : tensor<32xf32>
    %768 = stablehlo.multiply %767, %418 : tensor<32xf32>
    %769 = stablehlo.add %765, %768 : tensor<32xf32>
    %cst_219 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %770 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %771 = stablehlo.multiply %770, %arg70 : tensor<32xf32>
    %cst_220 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %772 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %773 = stablehlo.multiply %772, %398 : tensor<32xf32>
    %774 = stablehlo.multiply %773, %398 : tensor<32xf32>
    %775 = stablehlo.add %771, %774 : tensor<32xf32>
    %cst_221 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %776 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %777 = stablehlo.multiply %776, %arg71 : tensor<32xf32>
    %cst_222 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %778 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %779 = stablehlo.multiply %778, %392 : tensor<32xf32>
    %780 = stablehlo.multiply %779, %392 : tensor<32xf32>
    %781 = stablehlo.add %777, %780 : tensor<32xf32>
    %cst_223 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %782 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %783 = stablehlo.multiply %782, %arg72 : tensor<32x3x8x4xf32>
    %cst_224 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %784 = stablehlo.broadcast_in_dim %cst_224, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %785 = stablehlo.multiply %784, %389 : tensor<32x3x8x4xf32>
    %786 = stablehlo.multiply %785, %389 : tensor<32x3x8x4xf32>
    %787 = stablehlo.add %783, %786 : tensor<32x3x8x4xf32>
    %cst_225 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %788 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %789 = stablehlo.multiply %788, %arg73 : tensor<3x8x4xf32>
    %cst_226 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %790 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %791 = stablehlo.multiply %790, %385 : tensor<3x8x4xf32>
    %792 = stablehlo.multiply %791, %385 : tensor<3x8x4xf32>
    %793 = stablehlo.add %789, %792 : tensor<3x8x4xf32>
    %cst_227 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %794 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %795 = stablehlo.multiply %794, %arg74 : tensor<8x4x32xf32>
    %cst_228 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %796 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %797 = stablehlo.multiply %796, %349 : tensor<8x4x32xf32>
    %798 = stablehlo.multiply %797, %349 : tensor<8x4x32xf32>
    %799 = stablehlo.add %795, %798 : tensor<8x4x32xf32>
    %cst_229 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %800 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %801 = stablehlo.multiply %800, %arg75 : tensor<32xf32>
    %cst_230 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %802 = stablehlo.broadcast_in_dim %cst_230, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %803 = stablehlo.multiply %802, %347 : tensor<32xf32>
    %804 = stablehlo.multiply %803, %347 : tensor<32xf32>
    %805 = stablehlo.add %801, %804 : tensor<32xf32>
    %cst_231 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %806 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %807 = stablehlo.multiply %806, %arg76 : tensor<32xf32>
    %cst_232 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %808 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %809 = stablehlo.multiply %808, %327 : tensor<32xf32>
    %810 = stablehlo.multiply %809, %327 : tensor<32xf32>
    %811 = stablehlo.add %807, %810 : tensor<32xf32>
    %cst_233 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %812 = stablehlo.broadcast_in_dim %cst_233, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %813 = stablehlo.multiply %812, %arg77 : tensor<32xf32>
    %cst_234 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %814 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %815 = stablehlo.multiply %814, %321 : tensor<32xf32>
    %816 = stablehlo.multiply %815, %321 : tensor<32xf32>
    %817 = stablehlo.add %813, %816 : tensor<32xf32>
    %cst_235 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %818 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %819 = stablehlo.multiply %818, %arg78 : tensor<32x128xf32>
    %cst_236 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %820 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %821 = stablehlo.multiply %820, %317 : tensor<32x128xf32>
    %822 = stablehlo.multiply %821, %317 : tensor<32x128xf32>
    %823 = stablehlo.add %819, %822 : tensor<32x128xf32>
    %cst_237 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %824 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %825 = stablehlo.multiply %824, %arg79 : tensor<128xf32>
    %cst_238 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %826 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %827 = stablehlo.multiply %826, %315 : tensor<128xf32>
    %828 = stablehlo.multiply %827, %315 : tensor<128xf32>
    %829 = stablehlo.add %825, %828 : tensor<128xf32>
    %cst_239 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %830 = stablehlo.broadcast_in_dim %cst_239, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %831 = stablehlo.multiply %830, %arg80 : tensor<128x32xf32>
    %cst_240 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %832 = stablehlo.broadcast_in_dim %cst_240, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %833 = stablehlo.multiply %832, %297 : tensor<128x32xf32>
    %834 = stablehlo.multiply %833, %297 : tensor<128x32xf32>
    %835 = stablehlo.add %831, %834 : tensor<128x32xf32>
    %cst_241 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %836 = stablehlo.broadcast_in_dim %cst_241, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %837 = stablehlo.multiply %836, %arg81 : tensor<32xf32>
    %cst_242 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %838 = stablehlo.broadcast_in_dim %cst_242, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %839 = stablehlo.multiply %838, %295 : tensor<32xf32>
    %840 = stablehlo.multiply %839, %295 : tensor<32xf32>
    %841 = stablehlo.add %837, %840 : tensor<32xf32>
    %cst_243 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %842 = stablehlo.broadcast_in_dim %cst_243, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %843 = stablehlo.multiply %842, %arg82 : tensor<32xf32>
    %cst_244 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %844 = stablehlo.broadcast_in_dim %cst_244, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %845 = stablehlo.multiply %844, %276 : tensor<32xf32>
    %846 = stablehlo.multiply %845, %276 : tensor<32xf32>
    %847 = stablehlo.add %843, %846 : tensor<32xf32>
    %cst_245 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %848 = stablehlo.broadcast_in_dim %cst_245, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %849 = stablehlo.multiply %848, %arg83 : tensor<32xf32>
    %cst_246 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %850 = stablehlo.broadcast_in_dim %cst_246, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %851 = stablehlo.multiply %850, %270 : tensor<32xf32>
    %852 = stablehlo.multiply %851, %270 : tensor<32xf32>
    %853 = stablehlo.add %849, %852 : tensor<32xf32>
    %cst_247 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %854 = stablehlo.power %cst_247, %545 : tensor<f32>
    %cst_248 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %855 = stablehlo.subtract %cst_248, %854 : tensor<f32>
    %856 = stablehlo.sqrt %855 : tensor<f32>
    %cst_249 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %857 = stablehlo.multiply %cst_249, %856 : tensor<f32>
    %cst_250 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %858 = stablehlo.power %cst_250, %545 : tensor<f32>
    %cst_251 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %859 = stablehlo.subtract %cst_251, %858 : tensor<f32>
    %860 = stablehlo.divide %857, %859 : tensor<f32>
    %861 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %862 = stablehlo.multiply %861, %550 : tensor<64x32xf32>
    %863 = stablehlo.sqrt %691 : tensor<64x32xf32>
    %cst_252 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %864 = stablehlo.broadcast_in_dim %cst_252, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %865 = stablehlo.add %863, %864 : tensor<64x32xf32>
    %866 = stablehlo.divide %862, %865 : tensor<64x32xf32>
    %867 = stablehlo.subtract %arg0, %866 : tensor<64x32xf32>
    %868 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %869 = stablehlo.multiply %868, %555 : tensor<16x32xf32>
    %870 = stablehlo.sqrt %697 : tensor<16x32xf32>
    %cst_253 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %871 = stablehlo.broadcast_in_dim %cst_253, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %872 = stablehlo.add %870, %871 : tensor<16x32xf32>
    %873 = stablehlo.divide %869, %872 : tensor<16x32xf32>
    %874 = stablehlo.subtract %arg1, %873 : tensor<16x32xf32>
    %875 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %876 = stablehlo.multiply %875, %560 : tensor<32xf32>
    %877 = stablehlo.sqrt %703 : tensor<32xf32>
    %cst_254 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %878 = stablehlo.broadcast_in_dim %cst_254, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %879 = stablehlo.add %877, %878 : tensor<32xf32>
    %880 = stablehlo.divide %876, %879 : tensor<32xf32>
    %881 = stablehlo.subtract %arg2, %880 : tensor<32xf32>
    %882 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %883 = stablehlo.multiply %882, %565 : tensor<32xf32>
    %884 = stablehlo.sqrt %709 : tensor<32xf32>
    %cst_255 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %885 = stablehlo.broadcast_in_dim %cst_255, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %886 = stablehlo.add %884, %885 : tensor<32xf32>
    %887 = stablehlo.divide %883, %886 : tensor<32xf32>
    %888 = stablehlo.subtract %arg3, %887 : tensor<32xf32>
    %889 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %890 = stablehlo.multiply %889, %570 : tensor<32x3x8x4xf32>
    %891 = stablehlo.sqrt %715 : tensor<32x3x8x4xf32>
    %cst_256 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %892 = stablehlo.broadcast_in_dim %cst_256, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %893 = stablehlo.add %891, %892 : tensor<32x3x8x4xf32>
    %894 = stablehlo.divide %890, %893 : tensor<32x3x8x4xf32>
    %895 = stablehlo.subtract %arg4, %894 : tensor<32x3x8x4xf32>
    %896 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %897 = stablehlo.multiply %896, %575 : tensor<3x8x4xf32>
    %898 = stablehlo.sqrt %721 : tensor<3x8x4xf32>
    %cst_257 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %899 = stablehlo.broadcast_in_dim %cst_257, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %900 = stablehlo.add %898, %899 : tensor<3x8x4xf32>
    %901 = stablehlo.divide %897, %900 : tensor<3x8x4xf32>
    %902 = stablehlo.subtract %arg5, %901 : tensor<3x8x4xf32>
    %903 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %904 = stablehlo.multiply %903, %580 : tensor<8x4x32xf32>
    %905 = stablehlo.sqrt %727 : tensor<8x4x32xf32>
    %cst_258 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %906 = stablehlo.broadcast_in_dim %cst_258, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %907 = stablehlo.add %905, %906 : tensor<8x4x32xf32>
    %908 = stablehlo.divide %904, %907 : tensor<8x4x32xf32>
    %909 = stablehlo.subtract %arg6, %908 : tensor<8x4x32xf32>
    %910 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %911 = stablehlo.multiply %910, %585 : tensor<32xf32>
    %912 = stablehlo.sqrt %733 : tensor<32xf32>
    %cst_259 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %913 = stablehlo.broadcast_in_dim %cst_259, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %914 = stablehlo.add %912, %913 : tensor<32xf32>
    %915 = stablehlo.divide %911, %914 : tensor<32xf32>
    %916 = stablehlo.subtract %arg7, %915 : tensor<32xf32>
    %917 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %918 = stablehlo.multiply %917, %590 : tensor<32xf32>
    %919 = stablehlo.sqrt %739 : tensor<32xf32>
    %cst_260 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %920 = stablehlo.broadcast_in_dim %cst_260, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %921 = stablehlo.add %919, %920 : tensor<32xf32>
    %922 = stablehlo.divide %918, %921 : tensor<32xf32>
    %923 = stablehlo.subtract %arg8, %922 : tensor<32xf32>
    %924 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %925 = stablehlo.multiply %924, %595 : tensor<32xf32>
    %926 = stablehlo.sqrt %745 : tensor<32xf32>
    %cst_261 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %927 = stablehlo.broadcast_in_dim %cst_261, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %928 = stablehlo.add %926, %927 : tensor<32xf32>
    %929 = stablehlo.divide %925, %928 : tensor<32xf32>
    %930 = stablehlo.subtract %arg9, %929 : tensor<32xf32>
    %931 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %932 = stablehlo.multiply %931, %600 : tensor<32x128xf32>
    %933 = stablehlo.sqrt %751 : tensor<32x128xf32>
    %cst_262 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %934 = stablehlo.broadcast_in_dim %cst_262, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %935 = stablehlo.add %933, %934 : tensor<32x128xf32>
    %936 = stablehlo.divide %932, %935 : tensor<32x128xf32>
    %937 = stablehlo.subtract %arg10, %936 : tensor<32x128xf32>
    %938 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %939 = stablehlo.multiply %938, %605 : tensor<128xf32>
    %940 = stablehlo.sqrt %757 : tensor<128xf32>
    %cst_263 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %941 = stablehlo.broadcast_in_dim %cst_263, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %942 = stablehlo.add %940, %941 : tensor<128xf32>
    %943 = stablehlo.divide %939, %942 : tensor<128xf32>
    %944 = stablehlo.subtract %arg11, %943 : tensor<128xf32>
    %945 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %946 = stablehlo.multiply %945, %610 : tensor<128x32xf32>
    %947 = stablehlo.sqrt %763 : tensor<128x32xf32>
    %cst_264 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %948 = stablehlo.broadcast_in_dim %cst_264, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %949 = stablehlo.add %947, %948 : tensor<128x32xf32>
    %950 = stablehlo.divide %946, %949 : tensor<128x32xf32>
    %951 = stablehlo.subtract %arg12, %950 : tensor<128x32xf32>
    %952 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %953 = stablehlo.multiply %952, %615 : tensor<32xf32>
    %954 = stablehlo.sqrt %769 : tensor<32xf32>
    %cst_265 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %955 = stablehlo.broadcast_in_dim %cst_265, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %956 = stablehlo.add %954, %955 : tensor<32xf32>
    %957 = stablehlo.divide %953, %956 : tensor<32xf32>
    %958 = stablehlo.subtract %arg13, %957 : tensor<32xf32>
    %959 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %960 = stablehlo.multiply %959, %620 : tensor<32xf32>
    %961 = stablehlo.sqrt %775 : tensor<32xf32>
    %cst_266 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %962 = stablehlo.broadcast_in_dim %cst_266, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %963 = stablehlo.add %961, %962 : tensor<32xf32>
    %964 = stablehlo.divide %960, %963 : tensor<32xf32>
    %965 = stablehlo.subtract %arg14, %964 : tensor<32xf32>
    %966 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %967 = stablehlo.multiply %966, %625 : tensor<32xf32>
    %968 = stablehlo.sqrt %781 : tensor<32xf32>
    %cst_267 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %969 = stablehlo.broadcast_in_dim %cst_267, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %970 = stablehlo.add %968, %969 : tensor<32xf32>
    %971 = stablehlo.divide %967, %970 : tensor<32xf32>
    %972 = stablehlo.subtract %arg15, %971 : tensor<32xf32>
    %973 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %974 = stablehlo.multiply %973, %630 : tensor<32x3x8x4xf32>
    %975 = stablehlo.sqrt %787 : tensor<32x3x8x4xf32>
    %cst_268 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %976 = stablehlo.broadcast_in_dim %cst_268, dims = [] : (tensor<f32>) -> tensor<32x3x8x4xf32>
    %977 = stablehlo.add %975, %976 : tensor<32x3x8x4xf32>
    %978 = stablehlo.divide %974, %977 : tensor<32x3x8x4xf32>
    %979 = stablehlo.subtract %arg16, %978 : tensor<32x3x8x4xf32>
    %980 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %981 = stablehlo.multiply %980, %635 : tensor<3x8x4xf32>
    %982 = stablehlo.sqrt %793 : tensor<3x8x4xf32>
    %cst_269 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %983 = stablehlo.broadcast_in_dim %cst_269, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
    %984 = stablehlo.add %982, %983 : tensor<3x8x4xf32>
    %985 = stablehlo.divide %981, %984 : tensor<3x8x4xf32>
    %986 = stablehlo.subtract %arg17, %985 : tensor<3x8x4xf32>
    %987 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %988 = stablehlo.multiply %987, %640 : tensor<8x4x32xf32>
    %989 = stablehlo.sqrt %799 : tensor<8x4x32xf32>
    %cst_270 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %990 = stablehlo.broadcast_in_dim %cst_270, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %991 = stablehlo.add %989, %990 : tensor<8x4x32xf32>
    %992 = stablehlo.divide %988, %991 : tensor<8x4x32xf32>
    %993 = stablehlo.subtract %arg18, %992 : tensor<8x4x32xf32>
    %994 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %995 = stablehlo.multiply %994, %645 : tensor<32xf32>
    %996 = stablehlo.sqrt %805 : tensor<32xf32>
    %cst_271 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %997 = stablehlo.broadcast_in_dim %cst_271, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %998 = stablehlo.add %996, %997 : tensor<32xf32>
    %999 = stablehlo.divide %995, %998 : tensor<32xf32>
    %1000 = stablehlo.subtract %arg19, %999 : tensor<32xf32>
    %1001 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1002 = stablehlo.multiply %1001, %650 : tensor<32xf32>
    %1003 = stablehlo.sqrt %811 : tensor<32xf32>
    %cst_272 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1004 = stablehlo.broadcast_in_dim %cst_272, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1005 = stablehlo.add %1003, %1004 : tensor<32xf32>
    %1006 = stablehlo.divide %1002, %1005 : tensor<32xf32>
    %1007 = stablehlo.subtract %arg20, %1006 : tensor<32xf32>
    %1008 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1009 = stablehlo.multiply %1008, %655 : tensor<32xf32>
    %1010 = stablehlo.sqrt %817 : tensor<32xf32>
    %cst_273 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1011 = stablehlo.broadcast_in_dim %cst_273, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1012 = stablehlo.add %1010, %1011 : tensor<32xf32>
    %1013 = stablehlo.divide %1009, %1012 : tensor<32xf32>
    %1014 = stablehlo.subtract %arg21, %1013 : tensor<32xf32>
    %1015 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %1016 = stablehlo.multiply %1015, %660 : tensor<32x128xf32>
    %1017 = stablehlo.sqrt %823 : tensor<32x128xf32>
    %cst_274 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1018 = stablehlo.broadcast_in_dim %cst_274, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %1019 = stablehlo.add %1017, %1018 : tensor<32x128xf32>
    %1020 = stablehlo.divide %1016, %1019 : tensor<32x128xf32>
    %1021 = stablehlo.subtract %arg22, %1020 : tensor<32x128xf32>
    %1022 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1023 = stablehlo.multiply %1022, %665 : tensor<128xf32>
    %1024 = stablehlo.sqrt %829 : tensor<128xf32>
    %cst_275 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1025 = stablehlo.broadcast_in_dim %cst_275, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1026 = stablehlo.add %1024, %1025 : tensor<128xf32>
    %1027 = stablehlo.divide %1023, %1026 : tensor<128xf32>
    %1028 = stablehlo.subtract %arg23, %1027 : tensor<128xf32>
    %1029 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %1030 = stablehlo.multiply %1029, %670 : tensor<128x32xf32>
    %1031 = stablehlo.sqrt %835 : tensor<128x32xf32>
    %cst_276 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1032 = stablehlo.broadcast_in_dim %cst_276, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
    %1033 = stablehlo.add %1031, %1032 : tensor<128x32xf32>
    %1034 = stablehlo.divide %1030, %1033 : tensor<128x32xf32>
    %1035 = stablehlo.subtract %arg24, %1034 : tensor<128x32xf32>
    %1036 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1037 = stablehlo.multiply %1036, %675 : tensor<32xf32>
    %1038 = stablehlo.sqrt %841 : tensor<32xf32>
    %cst_277 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1039 = stablehlo.broadcast_in_dim %cst_277, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1040 = stablehlo.add %1038, %1039 : tensor<32xf32>
    %1041 = stablehlo.divide %1037, %1040 : tensor<32xf32>
    %1042 = stablehlo.subtract %arg25, %1041 : tensor<32xf32>
    %1043 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1044 = stablehlo.multiply %1043, %680 : tensor<32xf32>
    %1045 = stablehlo.sqrt %847 : tensor<32xf32>
    %cst_278 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1046 = stablehlo.broadcast_in_dim %cst_278, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1047 = stablehlo.add %1045, %1046 : tensor<32xf32>
    %1048 = stablehlo.divide %1044, %1047 : tensor<32xf32>
    %1049 = stablehlo.subtract %arg26, %1048 : tensor<32xf32>
    %1050 = stablehlo.broadcast_in_dim %860, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1051 = stablehlo.multiply %1050, %685 : tensor<32xf32>
    %1052 = stablehlo.sqrt %853 : tensor<32xf32>
    %cst_279 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1053 = stablehlo.broadcast_in_dim %cst_279, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1054 = stablehlo.add %1052, %1053 : tensor<32xf32>
    %1055 = stablehlo.divide %1051, %1054 : tensor<32xf32>
    %1056 = stablehlo.subtract %arg27, %1055 : tensor<32xf32>
    return %867, %874, %881, %888, %895, %902, %909, %916, %923, %930, %937, %944, %951, %958, %965, %972, %979, %986, %993, %1000, %1007, %1014, %1021, %1028, %1035, %1042, %1049, %1056, %550, %555, %560, %565, %570, %575, %580, %585, %590, %595, %600, %605, %610, %615, %620, %625, %630, %635, %640, %645, %650, %655, %660, %665, %670, %675, %680, %685, %691, %697, %703, %709, %715, %721, %727, %733, %739, %745, %751, %757, %763, %769, %775, %781, %787, %793, %799, %805, %811, %817, %823, %829, %835, %841, %847, %853, %545, %258 : tensor<64x32xf32>, tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x3x8x4xf32>, tensor<3x8x4xf32>, tensor<8x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<128x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x3x8x4xf32>, tensor<3x8x4xf32>, tensor<8x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<128x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32xf32>, tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x3x8x4xf32>, tensor<3x8x4xf32>, tensor<8x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<128x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x3x8x4xf32>, tensor<3x8x4xf32>, tensor<8x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<128x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32xf32>, tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x3x8x4xf32>, tensor<3x8x4xf32>, tensor<8x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<128x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x3x8x4xf32>, tensor<3x8x4xf32>, tensor<8x4x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<128x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<8x16x32xf32>, %arg1: tensor<i32>) -> (tensor<8x16x1xf32>, tensor<8x16x32xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x32xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x16x32xf32>
    %6 = chlo.square %5 : tensor<8x16x32xf32> -> tensor<8x16x32xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x32xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<8x16x32xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<8x16x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = call @_where(%15, %14, %cst_5) : (tensor<i1>, tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16x1xf32>
    return %16, %8, %10, %15 : tensor<8x16x1xf32>, tensor<8x16x32xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<f32>) -> tensor<8x16x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<8x16x1xf32>
    return %2 : tensor<8x16x1xf32>
  }
  func.func private @tril(%arg0: tensor<16x16xi1>) -> tensor<16x16xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %2 = stablehlo.add %0, %1 : tensor<16x16xi32>
    %3 = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<16x16xi1>, tensor<16x16xi1>
    return %6 : tensor<16x16xi1>
  }
  func.func private @_where_0(%arg0: tensor<16x16xi1>, %arg1: tensor<8x8x16x16xf32>, %arg2: tensor<f32>) -> (tensor<8x8x16x16xf32>, tensor<8x8x16x16xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<8x8x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x8x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x8x16x16xi1>, tensor<8x8x16x16xf32>
    return %3, %1 : tensor<8x8x16x16xf32>, tensor<8x8x16x16xi1>
  }
  func.func private @log_softmax(%arg0: tensor<8x16x64xf32>) -> (tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x16x64xf32>, tensor<f32>) -> tensor<8x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x16x64xf32>
    %6 = stablehlo.exponential %5 : tensor<8x16x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x16x64xf32>, tensor<f32>) -> tensor<8x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %9 = stablehlo.log %8 : tensor<8x16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x16x64xf32>
    return %11, %6, %8 : tensor<8x16x64xf32>, tensor<8x16x64xf32>, tensor<8x16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x16x64xf32>, %arg1: tensor<8x16x1xi32>) -> (tensor<8x16x1xf32>, tensor<8x16x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x16x1xi32>, tensor<8x16x1xi32>) -> tensor<8x16x1xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x16x1xi1>, tensor<8x16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x16x1xi32>) -> tensor<8x16x1x1xi32>
    %c_1 = stablehlo.constant dense<63> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x16x1x1xi32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x16x1x1xi32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x16x1x1xi1>, tensor<i1>) -> tensor<8x16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x16x64xf32>, tensor<8x16x1x1xi32>) -> tensor<8x16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x16x1xi1>, tensor<8x16x1xf32>
    return %15, %5 : tensor<8x16x1xf32>, tensor<8x16x1x1xi32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<8x16x1x1xi32>, %arg1: tensor<8x16x1xf32>) -> tensor<8x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x64xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x16x64xf32>, tensor<8x16x1x1xi32>, tensor<8x16x1xf32>) -> tensor<8x16x64xf32>
    return %1 : tensor<8x16x64xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<8x16x64xf32>, %arg1: tensor<8x16x1xf32>, %arg2: tensor<8x16x64xf32>) -> tensor<8x16x64xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x64xf32>, tensor<f32>) -> tensor<8x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x64xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x16x64xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x16x64xf32>
    return %7 : tensor<8x16x64xf32>
  }
  func.func private @_var_3(%arg0: tensor<8x16x32xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<8x16x1xf32>) -> tensor<8x16x32xf32> {
    %0 = call @_where_4(%arg2, %arg3) : (tensor<i1>, tensor<8x16x1xf32>) -> tensor<8x16x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<8x16x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x16x32xf32>
    %6 = stablehlo.negate %5 : tensor<8x16x32xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x16x32xf32>, tensor<f32>) -> tensor<8x16xf32>
    %8 = stablehlo.reshape %7 : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<8x16x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<8x16x1xf32>, tensor<f32>) -> tensor<8x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16x32xf32>
    %13 = stablehlo.add %5, %12 : tensor<8x16x32xf32>
    return %13 : tensor<8x16x32xf32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<8x16x1xf32>) -> tensor<8x16x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x1xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<8x16x1xf32>
    return %1 : tensor<8x16x1xf32>
  }
  func.func private @_where_5(%arg0: tensor<8x8x16x16xi1>, %arg1: tensor<8x8x16x16xf32>) -> tensor<8x8x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x16x16xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<8x8x16x16xi1>, tensor<8x8x16x16xf32>
    return %1 : tensor<8x8x16x16xf32>
  }
}
