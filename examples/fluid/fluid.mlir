module @jit_frame attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x96x96xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<96x96xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<f32>) -> (tensor<2x96x96xf32> {jax.result_info = "result[0]"}, tensor<96x96xf32> {jax.result_info = "result[1]"}, tensor<96x96x3xui8> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<96xf32>
    %1 = stablehlo.iota dim = 0 : tensor<96xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<96xf32>) -> tensor<96x96xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<96xf32>) -> tensor<96x96xf32>
    %cst = stablehlo.constant dense<8.000000e+01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %5 = stablehlo.subtract %2, %4 : tensor<96x96xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<96x96xf32>
    %cst_0 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %8 = stablehlo.subtract %3, %7 : tensor<96x96xf32>
    %cst_1 = stablehlo.constant dense<1.500000e-01> : tensor<f32>
    %9 = stablehlo.multiply %cst_1, %arg2 : tensor<f32>
    %10 = stablehlo.sine %9 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.400000e+01> : tensor<f32>
    %11 = stablehlo.multiply %cst_2, %10 : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %13 = stablehlo.subtract %8, %12 : tensor<96x96xf32>
    %14 = stablehlo.multiply %13, %13 : tensor<96x96xf32>
    %15 = stablehlo.add %6, %14 : tensor<96x96xf32>
    %16 = stablehlo.negate %15 : tensor<96x96xf32>
    %cst_3 = stablehlo.constant dense<1.400000e+01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %18 = stablehlo.divide %16, %17 : tensor<96x96xf32>
    %19 = stablehlo.exponential %18 : tensor<96x96xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<96x96xf32>
    %22 = stablehlo.add %arg1, %21 : tensor<96x96xf32>
    %cst_5 = stablehlo.constant dense<-3.500000e-01> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %24 = stablehlo.multiply %23, %19 : tensor<96x96xf32>
    %cst_6 = stablehlo.constant dense<3.000000e-02> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %26 = stablehlo.multiply %25, %22 : tensor<96x96xf32>
    %27 = stablehlo.subtract %24, %26 : tensor<96x96xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %29 = "stablehlo.scatter"(%arg0, %28, %27) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %362 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %362 : tensor<f32>
    }) : (tensor<2x96x96xf32>, tensor<1xi32>, tensor<96x96xf32>) -> tensor<2x96x96xf32>
    %cst_7 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %31 = stablehlo.multiply %30, %19 : tensor<96x96xf32>
    %cst_8 = stablehlo.constant dense<3.100000e-01> : tensor<f32>
    %32 = stablehlo.multiply %cst_8, %arg2 : tensor<f32>
    %33 = stablehlo.cosine %32 : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %35 = stablehlo.multiply %31, %34 : tensor<96x96xf32>
    %c_9 = stablehlo.constant dense<1> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %37 = "stablehlo.scatter"(%29, %36, %35) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %362 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %362 : tensor<f32>
    }) : (tensor<2x96x96xf32>, tensor<1xi32>, tensor<96x96xf32>) -> tensor<2x96x96xf32>
    %38 = stablehlo.slice %37 [0:1, 0:96, 0:96] : (tensor<2x96x96xf32>) -> tensor<1x96x96xf32>
    %39 = stablehlo.reshape %38 : (tensor<1x96x96xf32>) -> tensor<96x96xf32>
    %cst_10 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %41 = stablehlo.multiply %40, %39 : tensor<96x96xf32>
    %42 = stablehlo.subtract %2, %41 : tensor<96x96xf32>
    %43 = stablehlo.slice %37 [1:2, 0:96, 0:96] : (tensor<2x96x96xf32>) -> tensor<1x96x96xf32>
    %44 = stablehlo.reshape %43 : (tensor<1x96x96xf32>) -> tensor<96x96xf32>
    %cst_11 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %46 = stablehlo.multiply %45, %44 : tensor<96x96xf32>
    %47 = stablehlo.subtract %3, %46 : tensor<96x96xf32>
    %48 = stablehlo.slice %37 [0:1, 0:96, 0:96] : (tensor<2x96x96xf32>) -> tensor<1x96x96xf32>
    %49 = stablehlo.reshape %48 : (tensor<1x96x96xf32>) -> tensor<96x96xf32>
    %50 = stablehlo.floor %42 : tensor<96x96xf32>
    %51 = stablehlo.floor %47 : tensor<96x96xf32>
    %52 = stablehlo.subtract %42, %50 : tensor<96x96xf32>
    %53 = stablehlo.subtract %47, %51 : tensor<96x96xf32>
    %54 = stablehlo.convert %50 : (tensor<96x96xf32>) -> tensor<96x96xi32>
    %c_12 = stablehlo.constant dense<96> : tensor<i32>
    %55 = call @remainder(%54, %c_12) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %56 = stablehlo.convert %51 : (tensor<96x96xf32>) -> tensor<96x96xi32>
    %c_13 = stablehlo.constant dense<96> : tensor<i32>
    %57 = call @remainder(%56, %c_13) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %58 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %59 = stablehlo.add %55, %58 : tensor<96x96xi32>
    %c_15 = stablehlo.constant dense<96> : tensor<i32>
    %60 = call @remainder(%59, %c_15) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_16 = stablehlo.constant dense<1> : tensor<i32>
    %61 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %62 = stablehlo.add %57, %61 : tensor<96x96xi32>
    %c_17 = stablehlo.constant dense<96> : tensor<i32>
    %63 = call @remainder(%62, %c_17) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %64 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %65 = stablehlo.compare LT, %55, %64, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_19 = stablehlo.constant dense<96> : tensor<i32>
    %66 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %67 = stablehlo.add %55, %66 : tensor<96x96xi32>
    %68 = stablehlo.select %65, %67, %55 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %69 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %70 = stablehlo.compare LT, %57, %69, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_21 = stablehlo.constant dense<96> : tensor<i32>
    %71 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %72 = stablehlo.add %57, %71 : tensor<96x96xi32>
    %73 = stablehlo.select %70, %72, %57 : tensor<96x96xi1>, tensor<96x96xi32>
    %74 = stablehlo.broadcast_in_dim %68, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %75 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %76 = stablehlo.concatenate %74, %75, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %77 = "stablehlo.gather"(%49, %76) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %79 = stablehlo.subtract %78, %53 : tensor<96x96xf32>
    %80 = stablehlo.multiply %77, %79 : tensor<96x96xf32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %81 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %82 = stablehlo.compare LT, %55, %81, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_24 = stablehlo.constant dense<96> : tensor<i32>
    %83 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %84 = stablehlo.add %55, %83 : tensor<96x96xi32>
    %85 = stablehlo.select %82, %84, %55 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %86 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %87 = stablehlo.compare LT, %63, %86, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_26 = stablehlo.constant dense<96> : tensor<i32>
    %88 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %89 = stablehlo.add %63, %88 : tensor<96x96xi32>
    %90 = stablehlo.select %87, %89, %63 : tensor<96x96xi1>, tensor<96x96xi32>
    %91 = stablehlo.broadcast_in_dim %85, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %92 = stablehlo.broadcast_in_dim %90, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %93 = stablehlo.concatenate %91, %92, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %94 = "stablehlo.gather"(%49, %93) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %95 = stablehlo.multiply %94, %53 : tensor<96x96xf32>
    %96 = stablehlo.add %80, %95 : tensor<96x96xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %98 = stablehlo.subtract %97, %52 : tensor<96x96xf32>
    %99 = stablehlo.multiply %96, %98 : tensor<96x96xf32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %100 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %101 = stablehlo.compare LT, %60, %100, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_29 = stablehlo.constant dense<96> : tensor<i32>
    %102 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %103 = stablehlo.add %60, %102 : tensor<96x96xi32>
    %104 = stablehlo.select %101, %103, %60 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %105 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %106 = stablehlo.compare LT, %57, %105, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_31 = stablehlo.constant dense<96> : tensor<i32>
    %107 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %108 = stablehlo.add %57, %107 : tensor<96x96xi32>
    %109 = stablehlo.select %106, %108, %57 : tensor<96x96xi1>, tensor<96x96xi32>
    %110 = stablehlo.broadcast_in_dim %104, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %111 = stablehlo.broadcast_in_dim %109, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %112 = stablehlo.concatenate %110, %111, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %113 = "stablehlo.gather"(%49, %112) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %115 = stablehlo.subtract %114, %53 : tensor<96x96xf32>
    %116 = stablehlo.multiply %113, %115 : tensor<96x96xf32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %117 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %118 = stablehlo.compare LT, %60, %117, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_34 = stablehlo.constant dense<96> : tensor<i32>
    %119 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %120 = stablehlo.add %60, %119 : tensor<96x96xi32>
    %121 = stablehlo.select %118, %120, %60 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_35 = stablehlo.constant dense<0> : tensor<i32>
    %122 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %123 = stablehlo.compare LT, %63, %122, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_36 = stablehlo.constant dense<96> : tensor<i32>
    %124 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %125 = stablehlo.add %63, %124 : tensor<96x96xi32>
    %126 = stablehlo.select %123, %125, %63 : tensor<96x96xi1>, tensor<96x96xi32>
    %127 = stablehlo.broadcast_in_dim %121, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %128 = stablehlo.broadcast_in_dim %126, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %129 = stablehlo.concatenate %127, %128, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %130 = "stablehlo.gather"(%49, %129) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %131 = stablehlo.multiply %130, %53 : tensor<96x96xf32>
    %132 = stablehlo.add %116, %131 : tensor<96x96xf32>
    %133 = stablehlo.multiply %132, %52 : tensor<96x96xf32>
    %134 = stablehlo.add %99, %133 : tensor<96x96xf32>
    %135 = stablehlo.slice %37 [1:2, 0:96, 0:96] : (tensor<2x96x96xf32>) -> tensor<1x96x96xf32>
    %136 = stablehlo.reshape %135 : (tensor<1x96x96xf32>) -> tensor<96x96xf32>
    %137 = stablehlo.floor %42 : tensor<96x96xf32>
    %138 = stablehlo.floor %47 : tensor<96x96xf32>
    %139 = stablehlo.subtract %42, %137 : tensor<96x96xf32>
    %140 = stablehlo.subtract %47, %138 : tensor<96x96xf32>
    %141 = stablehlo.convert %137 : (tensor<96x96xf32>) -> tensor<96x96xi32>
    %c_37 = stablehlo.constant dense<96> : tensor<i32>
    %142 = call @remainder(%141, %c_37) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %143 = stablehlo.convert %138 : (tensor<96x96xf32>) -> tensor<96x96xi32>
    %c_38 = stablehlo.constant dense<96> : tensor<i32>
    %144 = call @remainder(%143, %c_38) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_39 = stablehlo.constant dense<1> : tensor<i32>
    %145 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %146 = stablehlo.add %142, %145 : tensor<96x96xi32>
    %c_40 = stablehlo.constant dense<96> : tensor<i32>
    %147 = call @remainder(%146, %c_40) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_41 = stablehlo.constant dense<1> : tensor<i32>
    %148 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %149 = stablehlo.add %144, %148 : tensor<96x96xi32>
    %c_42 = stablehlo.constant dense<96> : tensor<i32>
    %150 = call @remainder(%149, %c_42) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %151 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %152 = stablehlo.compare LT, %142, %151, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_44 = stablehlo.constant dense<96> : tensor<i32>
    %153 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %154 = stablehlo.add %142, %153 : tensor<96x96xi32>
    %155 = stablehlo.select %152, %154, %142 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %156 = stablehlo.broadcast_in_dim %c_45, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %157 = stablehlo.compare LT, %144, %156, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_46 = stablehlo.constant dense<96> : tensor<i32>
    %158 = stablehlo.broadcast_in_dim %c_46, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %159 = stablehlo.add %144, %158 : tensor<96x96xi32>
    %160 = stablehlo.select %157, %159, %144 : tensor<96x96xi1>, tensor<96x96xi32>
    %161 = stablehlo.broadcast_in_dim %155, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %162 = stablehlo.broadcast_in_dim %160, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %163 = stablehlo.concatenate %161, %162, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %164 = "stablehlo.gather"(%136, %163) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %166 = stablehlo.subtract %165, %140 : tensor<96x96xf32>
    %167 = stablehlo.multiply %164, %166 : tensor<96x96xf32>
    %c_48 = stablehlo.constant dense<0> : tensor<i32>
    %168 = stablehlo.broadcast_in_dim %c_48, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %169 = stablehlo.compare LT, %142, %168, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_49 = stablehlo.constant dense<96> : tensor<i32>
    %170 = stablehlo.broadcast_in_dim %c_49, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %171 = stablehlo.add %142, %170 : tensor<96x96xi32>
    %172 = stablehlo.select %169, %171, %142 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_50 = stablehlo.constant dense<0> : tensor<i32>
    %173 = stablehlo.broadcast_in_dim %c_50, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %174 = stablehlo.compare LT, %150, %173, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_51 = stablehlo.constant dense<96> : tensor<i32>
    %175 = stablehlo.broadcast_in_dim %c_51, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %176 = stablehlo.add %150, %175 : tensor<96x96xi32>
    %177 = stablehlo.select %174, %176, %150 : tensor<96x96xi1>, tensor<96x96xi32>
    %178 = stablehlo.broadcast_in_dim %172, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %179 = stablehlo.broadcast_in_dim %177, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %180 = stablehlo.concatenate %178, %179, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %181 = "stablehlo.gather"(%136, %180) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %182 = stablehlo.multiply %181, %140 : tensor<96x96xf32>
    %183 = stablehlo.add %167, %182 : tensor<96x96xf32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %185 = stablehlo.subtract %184, %139 : tensor<96x96xf32>
    %186 = stablehlo.multiply %183, %185 : tensor<96x96xf32>
    %c_53 = stablehlo.constant dense<0> : tensor<i32>
    %187 = stablehlo.broadcast_in_dim %c_53, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %188 = stablehlo.compare LT, %147, %187, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_54 = stablehlo.constant dense<96> : tensor<i32>
    %189 = stablehlo.broadcast_in_dim %c_54, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %190 = stablehlo.add %147, %189 : tensor<96x96xi32>
    %191 = stablehlo.select %188, %190, %147 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_55 = stablehlo.constant dense<0> : tensor<i32>
    %192 = stablehlo.broadcast_in_dim %c_55, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %193 = stablehlo.compare LT, %144, %192, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_56 = stablehlo.constant dense<96> : tensor<i32>
    %194 = stablehlo.broadcast_in_dim %c_56, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %195 = stablehlo.add %144, %194 : tensor<96x96xi32>
    %196 = stablehlo.select %193, %195, %144 : tensor<96x96xi1>, tensor<96x96xi32>
    %197 = stablehlo.broadcast_in_dim %191, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %198 = stablehlo.broadcast_in_dim %196, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %199 = stablehlo.concatenate %197, %198, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %200 = "stablehlo.gather"(%136, %199) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %202 = stablehlo.subtract %201, %140 : tensor<96x96xf32>
    %203 = stablehlo.multiply %200, %202 : tensor<96x96xf32>
    %c_58 = stablehlo.constant dense<0> : tensor<i32>
    %204 = stablehlo.broadcast_in_dim %c_58, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %205 = stablehlo.compare LT, %147, %204, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_59 = stablehlo.constant dense<96> : tensor<i32>
    %206 = stablehlo.broadcast_in_dim %c_59, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %207 = stablehlo.add %147, %206 : tensor<96x96xi32>
    %208 = stablehlo.select %205, %207, %147 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_60 = stablehlo.constant dense<0> : tensor<i32>
    %209 = stablehlo.broadcast_in_dim %c_60, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %210 = stablehlo.compare LT, %150, %209, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_61 = stablehlo.constant dense<96> : tensor<i32>
    %211 = stablehlo.broadcast_in_dim %c_61, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %212 = stablehlo.add %150, %211 : tensor<96x96xi32>
    %213 = stablehlo.select %210, %212, %150 : tensor<96x96xi1>, tensor<96x96xi32>
    %214 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %215 = stablehlo.broadcast_in_dim %213, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %216 = stablehlo.concatenate %214, %215, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %217 = "stablehlo.gather"(%136, %216) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %218 = stablehlo.multiply %217, %140 : tensor<96x96xf32>
    %219 = stablehlo.add %203, %218 : tensor<96x96xf32>
    %220 = stablehlo.multiply %219, %139 : tensor<96x96xf32>
    %221 = stablehlo.add %186, %220 : tensor<96x96xf32>
    %222 = stablehlo.broadcast_in_dim %134, dims = [1, 2] : (tensor<96x96xf32>) -> tensor<1x96x96xf32>
    %223 = stablehlo.broadcast_in_dim %221, dims = [1, 2] : (tensor<96x96xf32>) -> tensor<1x96x96xf32>
    %224 = stablehlo.concatenate %222, %223, dim = 0 : (tensor<1x96x96xf32>, tensor<1x96x96xf32>) -> tensor<2x96x96xf32>
    %225 = stablehlo.floor %42 : tensor<96x96xf32>
    %226 = stablehlo.floor %47 : tensor<96x96xf32>
    %227 = stablehlo.subtract %42, %225 : tensor<96x96xf32>
    %228 = stablehlo.subtract %47, %226 : tensor<96x96xf32>
    %229 = stablehlo.convert %225 : (tensor<96x96xf32>) -> tensor<96x96xi32>
    %c_62 = stablehlo.constant dense<96> : tensor<i32>
    %230 = call @remainder(%229, %c_62) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %231 = stablehlo.convert %226 : (tensor<96x96xf32>) -> tensor<96x96xi32>
    %c_63 = stablehlo.constant dense<96> : tensor<i32>
    %232 = call @remainder(%231, %c_63) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_64 = stablehlo.constant dense<1> : tensor<i32>
    %233 = stablehlo.broadcast_in_dim %c_64, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %234 = stablehlo.add %230, %233 : tensor<96x96xi32>
    %c_65 = stablehlo.constant dense<96> : tensor<i32>
    %235 = call @remainder(%234, %c_65) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_66 = stablehlo.constant dense<1> : tensor<i32>
    %236 = stablehlo.broadcast_in_dim %c_66, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %237 = stablehlo.add %232, %236 : tensor<96x96xi32>
    %c_67 = stablehlo.constant dense<96> : tensor<i32>
    %238 = call @remainder(%237, %c_67) : (tensor<96x96xi32>, tensor<i32>) -> tensor<96x96xi32>
    %c_68 = stablehlo.constant dense<0> : tensor<i32>
    %239 = stablehlo.broadcast_in_dim %c_68, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %240 = stablehlo.compare LT, %230, %239, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_69 = stablehlo.constant dense<96> : tensor<i32>
    %241 = stablehlo.broadcast_in_dim %c_69, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %242 = stablehlo.add %230, %241 : tensor<96x96xi32>
    %243 = stablehlo.select %240, %242, %230 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_70 = stablehlo.constant dense<0> : tensor<i32>
    %244 = stablehlo.broadcast_in_dim %c_70, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %245 = stablehlo.compare LT, %232, %244, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_71 = stablehlo.constant dense<96> : tensor<i32>
    %246 = stablehlo.broadcast_in_dim %c_71, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %247 = stablehlo.add %232, %246 : tensor<96x96xi32>
    %248 = stablehlo.select %245, %247, %232 : tensor<96x96xi1>, tensor<96x96xi32>
    %249 = stablehlo.broadcast_in_dim %243, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %250 = stablehlo.broadcast_in_dim %248, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %251 = stablehlo.concatenate %249, %250, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %252 = "stablehlo.gather"(%22, %251) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %cst_72 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %253 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %254 = stablehlo.subtract %253, %228 : tensor<96x96xf32>
    %255 = stablehlo.multiply %252, %254 : tensor<96x96xf32>
    %c_73 = stablehlo.constant dense<0> : tensor<i32>
    %256 = stablehlo.broadcast_in_dim %c_73, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %257 = stablehlo.compare LT, %230, %256, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_74 = stablehlo.constant dense<96> : tensor<i32>
    %258 = stablehlo.broadcast_in_dim %c_74, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %259 = stablehlo.add %230, %258 : tensor<96x96xi32>
    %260 = stablehlo.select %257, %259, %230 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_75 = stablehlo.constant dense<0> : tensor<i32>
    %261 = stablehlo.broadcast_in_dim %c_75, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %262 = stablehlo.compare LT, %238, %261, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_76 = stablehlo.constant dense<96> : tensor<i32>
    %263 = stablehlo.broadcast_in_dim %c_76, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %264 = stablehlo.add %238, %263 : tensor<96x96xi32>
    %265 = stablehlo.select %262, %264, %238 : tensor<96x96xi1>, tensor<96x96xi32>
    %266 = stablehlo.broadcast_in_dim %260, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %267 = stablehlo.broadcast_in_dim %265, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %268 = stablehlo.concatenate %266, %267, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %269 = "stablehlo.gather"(%22, %268) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %270 = stablehlo.multiply %269, %228 : tensor<96x96xf32>
    %271 = stablehlo.add %255, %270 : tensor<96x96xf32>
    %cst_77 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %273 = stablehlo.subtract %272, %227 : tensor<96x96xf32>
    %274 = stablehlo.multiply %271, %273 : tensor<96x96xf32>
    %c_78 = stablehlo.constant dense<0> : tensor<i32>
    %275 = stablehlo.broadcast_in_dim %c_78, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %276 = stablehlo.compare LT, %235, %275, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_79 = stablehlo.constant dense<96> : tensor<i32>
    %277 = stablehlo.broadcast_in_dim %c_79, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %278 = stablehlo.add %235, %277 : tensor<96x96xi32>
    %279 = stablehlo.select %276, %278, %235 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_80 = stablehlo.constant dense<0> : tensor<i32>
    %280 = stablehlo.broadcast_in_dim %c_80, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %281 = stablehlo.compare LT, %232, %280, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_81 = stablehlo.constant dense<96> : tensor<i32>
    %282 = stablehlo.broadcast_in_dim %c_81, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %283 = stablehlo.add %232, %282 : tensor<96x96xi32>
    %284 = stablehlo.select %281, %283, %232 : tensor<96x96xi1>, tensor<96x96xi32>
    %285 = stablehlo.broadcast_in_dim %279, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %286 = stablehlo.broadcast_in_dim %284, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %287 = stablehlo.concatenate %285, %286, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %288 = "stablehlo.gather"(%22, %287) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %cst_82 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %290 = stablehlo.subtract %289, %228 : tensor<96x96xf32>
    %291 = stablehlo.multiply %288, %290 : tensor<96x96xf32>
    %c_83 = stablehlo.constant dense<0> : tensor<i32>
    %292 = stablehlo.broadcast_in_dim %c_83, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %293 = stablehlo.compare LT, %235, %292, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_84 = stablehlo.constant dense<96> : tensor<i32>
    %294 = stablehlo.broadcast_in_dim %c_84, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %295 = stablehlo.add %235, %294 : tensor<96x96xi32>
    %296 = stablehlo.select %293, %295, %235 : tensor<96x96xi1>, tensor<96x96xi32>
    %c_85 = stablehlo.constant dense<0> : tensor<i32>
    %297 = stablehlo.broadcast_in_dim %c_85, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %298 = stablehlo.compare LT, %238, %297, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_86 = stablehlo.constant dense<96> : tensor<i32>
    %299 = stablehlo.broadcast_in_dim %c_86, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %300 = stablehlo.add %238, %299 : tensor<96x96xi32>
    %301 = stablehlo.select %298, %300, %238 : tensor<96x96xi1>, tensor<96x96xi32>
    %302 = stablehlo.broadcast_in_dim %296, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %303 = stablehlo.broadcast_in_dim %301, dims = [0, 1] : (tensor<96x96xi32>) -> tensor<96x96x1xi32>
    %304 = stablehlo.concatenate %302, %303, dim = 2 : (tensor<96x96x1xi32>, tensor<96x96x1xi32>) -> tensor<96x96x2xi32>
    %305 = "stablehlo.gather"(%22, %304) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<96x96xf32>, tensor<96x96x2xi32>) -> tensor<96x96xf32>
    %306 = stablehlo.multiply %305, %228 : tensor<96x96xf32>
    %307 = stablehlo.add %291, %306 : tensor<96x96xf32>
    %308 = stablehlo.multiply %307, %227 : tensor<96x96xf32>
    %309 = stablehlo.add %274, %308 : tensor<96x96xf32>
    %cst_87 = stablehlo.constant dense<0.991999983> : tensor<f32>
    %310 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %311 = stablehlo.multiply %310, %309 : tensor<96x96xf32>
    %312 = stablehlo.slice %224 [0:1, 0:96, 0:96] : (tensor<2x96x96xf32>) -> tensor<1x96x96xf32>
    %313 = stablehlo.reshape %312 : (tensor<1x96x96xf32>) -> tensor<96x96xf32>
    %314 = call @_roll_static(%313) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %315 = call @_roll_static_0(%313) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %316 = stablehlo.slice %224 [1:2, 0:96, 0:96] : (tensor<2x96x96xf32>) -> tensor<1x96x96xf32>
    %317 = stablehlo.reshape %316 : (tensor<1x96x96xf32>) -> tensor<96x96xf32>
    %318 = call @_roll_static_1(%317) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %319 = call @_roll_static_2(%317) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %320 = stablehlo.subtract %315, %314 : tensor<96x96xf32>
    %321 = stablehlo.add %320, %319 : tensor<96x96xf32>
    %322 = stablehlo.subtract %321, %318 : tensor<96x96xf32>
    %cst_88 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %323 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %324 = stablehlo.multiply %323, %322 : tensor<96x96xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %c_90 = stablehlo.constant dense<0> : tensor<i32>
    %326:3 = stablehlo.while(%iterArg = %324, %iterArg_102 = %c_90, %iterArg_103 = %325) : tensor<96x96xf32>, tensor<i32>, tensor<96x96xf32>
    cond {
      %c_104 = stablehlo.constant dense<12> : tensor<i32>
      %362 = stablehlo.compare LT, %iterArg_102, %c_104, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %362 : tensor<i1>
    } do {
      %362 = func.call @closed_call(%iterArg, %iterArg_103) : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
      %c_104 = stablehlo.constant dense<1> : tensor<i32>
      %363 = stablehlo.add %iterArg_102, %c_104 : tensor<i32>
      stablehlo.return %iterArg, %363, %362 : tensor<96x96xf32>, tensor<i32>, tensor<96x96xf32>
    }
    %327 = call @_roll_static(%326#2) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %328 = call @_roll_static_0(%326#2) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %329 = call @_roll_static_1(%326#2) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %330 = call @_roll_static_2(%326#2) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %331 = stablehlo.subtract %328, %327 : tensor<96x96xf32>
    %332 = stablehlo.subtract %330, %329 : tensor<96x96xf32>
    %333 = stablehlo.broadcast_in_dim %331, dims = [1, 2] : (tensor<96x96xf32>) -> tensor<1x96x96xf32>
    %334 = stablehlo.broadcast_in_dim %332, dims = [1, 2] : (tensor<96x96xf32>) -> tensor<1x96x96xf32>
    %335 = stablehlo.concatenate %333, %334, dim = 0 : (tensor<1x96x96xf32>, tensor<1x96x96xf32>) -> tensor<2x96x96xf32>
    %cst_91 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %336 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<2x96x96xf32>
    %337 = stablehlo.multiply %336, %335 : tensor<2x96x96xf32>
    %338 = stablehlo.subtract %224, %337 : tensor<2x96x96xf32>
    %c_92 = stablehlo.constant dense<0> : tensor<i32>
    %c_93 = stablehlo.constant dense<1> : tensor<i32>
    %339 = call @clip(%311, %c_92, %c_93) : (tensor<96x96xf32>, tensor<i32>, tensor<i32>) -> tensor<96x96xf32>
    %cst_94 = stablehlo.constant dense<1.600000e+00> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %341 = stablehlo.multiply %340, %339 : tensor<96x96xf32>
    %cst_95 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %342 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %343 = stablehlo.multiply %342, %339 : tensor<96x96xf32>
    %344 = stablehlo.multiply %343, %339 : tensor<96x96xf32>
    %cst_96 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %345 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %346 = stablehlo.multiply %345, %339 : tensor<96x96xf32>
    %347 = stablehlo.add %344, %346 : tensor<96x96xf32>
    %348 = stablehlo.multiply %339, %339 : tensor<96x96xf32>
    %349 = stablehlo.multiply %348, %348 : tensor<96x96xf32>
    %cst_97 = stablehlo.constant dense<8.500000e-01> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %351 = stablehlo.multiply %350, %349 : tensor<96x96xf32>
    %cst_98 = stablehlo.constant dense<1.500000e-01> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %353 = stablehlo.add %352, %351 : tensor<96x96xf32>
    %354 = stablehlo.broadcast_in_dim %341, dims = [0, 1] : (tensor<96x96xf32>) -> tensor<96x96x1xf32>
    %355 = stablehlo.broadcast_in_dim %347, dims = [0, 1] : (tensor<96x96xf32>) -> tensor<96x96x1xf32>
    %356 = stablehlo.broadcast_in_dim %353, dims = [0, 1] : (tensor<96x96xf32>) -> tensor<96x96x1xf32>
    %357 = stablehlo.concatenate %354, %355, %356, dim = 2 : (tensor<96x96x1xf32>, tensor<96x96x1xf32>, tensor<96x96x1xf32>) -> tensor<96x96x3xf32>
    %c_99 = stablehlo.constant dense<0> : tensor<i32>
    %c_100 = stablehlo.constant dense<1> : tensor<i32>
    %358 = call @clip_3(%357, %c_99, %c_100) : (tensor<96x96x3xf32>, tensor<i32>, tensor<i32>) -> tensor<96x96x3xf32>
    %cst_101 = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<96x96x3xf32>
    %360 = stablehlo.multiply %358, %359 : tensor<96x96x3xf32>
    %361 = stablehlo.convert %360 : (tensor<96x96x3xf32>) -> tensor<96x96x3xui8>
    return %338, %311, %361 : tensor<2x96x96xf32>, tensor<96x96xf32>, tensor<96x96x3xui8>
  }
  func.func private @remainder(%arg0: tensor<96x96xi32>, %arg1: tensor<i32>) -> tensor<96x96xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<96x96xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<96x96xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<96x96xi1>, tensor<96x96xi1>) -> tensor<96x96xi1>
    %12 = stablehlo.and %11, %6 : tensor<96x96xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<96x96xi32>
    %14 = stablehlo.add %4, %13 : tensor<96x96xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<96x96xi1>, tensor<96x96xi32>
    return %15 : tensor<96x96xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_roll_static(%arg0: tensor<96x96xf32>) -> tensor<96x96xf32> {
    %0 = stablehlo.slice %arg0 [95:96, 0:96] : (tensor<96x96xf32>) -> tensor<1x96xf32>
    %1 = stablehlo.slice %arg0 [0:95, 0:96] : (tensor<96x96xf32>) -> tensor<95x96xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x96xf32>, tensor<95x96xf32>) -> tensor<96x96xf32>
    return %2 : tensor<96x96xf32>
  }
  func.func private @_roll_static_0(%arg0: tensor<96x96xf32>) -> tensor<96x96xf32> {
    %0 = stablehlo.slice %arg0 [1:96, 0:96] : (tensor<96x96xf32>) -> tensor<95x96xf32>
    %1 = stablehlo.slice %arg0 [0:1, 0:96] : (tensor<96x96xf32>) -> tensor<1x96xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<95x96xf32>, tensor<1x96xf32>) -> tensor<96x96xf32>
    return %2 : tensor<96x96xf32>
  }
  func.func private @_roll_static_1(%arg0: tensor<96x96xf32>) -> tensor<96x96xf32> {
    %0 = stablehlo.slice %arg0 [0:96, 95:96] : (tensor<96x96xf32>) -> tensor<96x1xf32>
    %1 = stablehlo.slice %arg0 [0:96, 0:95] : (tensor<96x96xf32>) -> tensor<96x95xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<96x1xf32>, tensor<96x95xf32>) -> tensor<96x96xf32>
    return %2 : tensor<96x96xf32>
  }
  func.func private @_roll_static_2(%arg0: tensor<96x96xf32>) -> tensor<96x96xf32> {
    %0 = stablehlo.slice %arg0 [0:96, 1:96] : (tensor<96x96xf32>) -> tensor<96x95xf32>
    %1 = stablehlo.slice %arg0 [0:96, 0:1] : (tensor<96x96xf32>) -> tensor<96x1xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<96x95xf32>, tensor<96x1xf32>) -> tensor<96x96xf32>
    return %2 : tensor<96x96xf32>
  }
  func.func private @closed_call(%arg0: tensor<96x96xf32>, %arg1: tensor<96x96xf32>) -> tensor<96x96xf32> {
    %0 = call @_roll_static(%arg1) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %1 = call @_roll_static_0(%arg1) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %2 = call @_roll_static_1(%arg1) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %3 = call @_roll_static_2(%arg1) : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %5 = stablehlo.add %4, %0 : tensor<96x96xf32>
    %6 = stablehlo.add %5, %1 : tensor<96x96xf32>
    %7 = stablehlo.add %6, %2 : tensor<96x96xf32>
    %8 = stablehlo.add %7, %3 : tensor<96x96xf32>
    %9 = stablehlo.subtract %8, %arg0 : tensor<96x96xf32>
    %cst_0 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<96x96xf32>
    return %11 : tensor<96x96xf32>
  }
  func.func private @clip(%arg0: tensor<96x96xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<96x96xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<96x96xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<96x96xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<96x96xf32>
    return %5 : tensor<96x96xf32>
  }
  func.func private @clip_3(%arg0: tensor<96x96x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<96x96x3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<96x96x3xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<96x96x3xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<96x96x3xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<96x96x3xf32>
    return %5 : tensor<96x96x3xf32>
  }
}
