module @jit_scene attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<128x192x3xui8> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[5.000000e-01, 0.699999988, -5.000000e-01]> : tensor<3xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<-1> : tensor<i32>
    %0 = call @_linspace(%c, %c_0) : (tensor<i32>, tensor<i32>) -> tensor<128xf32>
    %cst_1 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<128xf32>
    %cst_2 = stablehlo.constant dense<1.920000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %4 = stablehlo.divide %2, %3 : tensor<128xf32>
    %c_3 = stablehlo.constant dense<-1> : tensor<i32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %5 = call @_linspace_0(%c_3, %c_4) : (tensor<i32>, tensor<i32>) -> tensor<192xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<128xf32>) -> tensor<128x192xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<192xf32>) -> tensor<128x192xf32>
    %8 = stablehlo.cosine %arg0 : tensor<f32>
    %9 = stablehlo.sine %arg0 : tensor<f32>
    %cst_5 = stablehlo.constant dense<-4.000000e+00> : tensor<f32>
    %10 = stablehlo.multiply %cst_5, %9 : tensor<f32>
    %cst_6 = stablehlo.constant dense<-4.000000e+00> : tensor<f32>
    %11 = stablehlo.multiply %cst_6, %8 : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %13 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %14 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %15 = stablehlo.concatenate %12, %13, %14, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    %16 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %17 = stablehlo.multiply %7, %16 : tensor<128x192xf32>
    %cst_7 = stablehlo.constant dense<1.400000e+00> : tensor<f32>
    %18 = stablehlo.multiply %cst_7, %9 : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %20 = stablehlo.add %17, %19 : tensor<128x192xf32>
    %cst_8 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %21 = stablehlo.multiply %cst_8, %arg1 : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %23 = stablehlo.subtract %6, %22 : tensor<128x192xf32>
    %24 = stablehlo.negate %7 : tensor<128x192xf32>
    %25 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %26 = stablehlo.multiply %24, %25 : tensor<128x192xf32>
    %cst_9 = stablehlo.constant dense<1.400000e+00> : tensor<f32>
    %27 = stablehlo.multiply %cst_9, %8 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %29 = stablehlo.add %26, %28 : tensor<128x192xf32>
    %30 = stablehlo.broadcast_in_dim %20, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %31 = stablehlo.broadcast_in_dim %23, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %32 = stablehlo.broadcast_in_dim %29, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %33 = stablehlo.concatenate %30, %31, %32, dim = 0 : (tensor<1x128x192xf32>, tensor<1x128x192xf32>, tensor<1x128x192xf32>) -> tensor<3x128x192xf32>
    %34 = stablehlo.multiply %33, %33 : tensor<3x128x192xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<3x128x192xf32>, tensor<f32>) -> tensor<128x192xf32>
    %36 = stablehlo.sqrt %35 : tensor<128x192xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2] : (tensor<1x128x192xf32>) -> tensor<3x128x192xf32>
    %39 = stablehlo.divide %33, %38 : tensor<3x128x192xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %41:4 = stablehlo.while(%iterArg = %15, %iterArg_122 = %39, %iterArg_123 = %c_12, %iterArg_124 = %40) : tensor<3xf32>, tensor<3x128x192xf32>, tensor<i32>, tensor<128x192xf32>
    cond {
      %c_125 = stablehlo.constant dense<40> : tensor<i32>
      %391 = stablehlo.compare LT, %iterArg_123, %c_125, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %391 : tensor<i1>
    } do {
      %391 = func.call @closed_call(%iterArg, %iterArg_122, %iterArg_124) : (tensor<3xf32>, tensor<3x128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xf32>
      %c_125 = stablehlo.constant dense<1> : tensor<i32>
      %392 = stablehlo.add %iterArg_123, %c_125 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_122, %392, %391 : tensor<3xf32>, tensor<3x128x192xf32>, tensor<i32>, tensor<128x192xf32>
    }
    %42 = stablehlo.slice %15 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %43 = stablehlo.reshape %42 : (tensor<1xf32>) -> tensor<f32>
    %44 = stablehlo.slice %39 [0:1, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %45 = stablehlo.reshape %44 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %46 = stablehlo.multiply %45, %41#3 : tensor<128x192xf32>
    %47 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %48 = stablehlo.add %47, %46 : tensor<128x192xf32>
    %49 = stablehlo.slice %15 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %50 = stablehlo.reshape %49 : (tensor<1xf32>) -> tensor<f32>
    %51 = stablehlo.slice %39 [1:2, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %52 = stablehlo.reshape %51 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %53 = stablehlo.multiply %52, %41#3 : tensor<128x192xf32>
    %54 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %55 = stablehlo.add %54, %53 : tensor<128x192xf32>
    %56 = stablehlo.slice %15 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %57 = stablehlo.reshape %56 : (tensor<1xf32>) -> tensor<f32>
    %58 = stablehlo.slice %39 [2:3, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %59 = stablehlo.reshape %58 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %60 = stablehlo.multiply %59, %41#3 : tensor<128x192xf32>
    %61 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %62 = stablehlo.add %61, %60 : tensor<128x192xf32>
    %63 = stablehlo.multiply %48, %48 : tensor<128x192xf32>
    %64 = stablehlo.multiply %55, %55 : tensor<128x192xf32>
    %65 = stablehlo.add %63, %64 : tensor<128x192xf32>
    %66 = stablehlo.multiply %62, %62 : tensor<128x192xf32>
    %67 = stablehlo.add %65, %66 : tensor<128x192xf32>
    %68 = stablehlo.sqrt %67 : tensor<128x192xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %70 = stablehlo.subtract %68, %69 : tensor<128x192xf32>
    %cst_14 = stablehlo.constant dense<8.000000e-01> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %72 = stablehlo.add %55, %71 : tensor<128x192xf32>
    %cst_15 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %74 = stablehlo.multiply %73, %48 : tensor<128x192xf32>
    %75 = stablehlo.sine %74 : tensor<128x192xf32>
    %cst_16 = stablehlo.constant dense<6.000000e-02> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<128x192xf32>
    %cst_17 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %79 = stablehlo.multiply %78, %62 : tensor<128x192xf32>
    %80 = stablehlo.sine %79 : tensor<128x192xf32>
    %81 = stablehlo.multiply %77, %80 : tensor<128x192xf32>
    %82 = stablehlo.add %72, %81 : tensor<128x192xf32>
    %83 = stablehlo.abs %48 : tensor<128x192xf32>
    %cst_18 = stablehlo.constant dense<2.100000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %85 = stablehlo.subtract %83, %84 : tensor<128x192xf32>
    %86 = stablehlo.abs %85 : tensor<128x192xf32>
    %cst_19 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %88 = stablehlo.add %55, %87 : tensor<128x192xf32>
    %89 = stablehlo.abs %88 : tensor<128x192xf32>
    %90 = stablehlo.maximum %86, %89 : tensor<128x192xf32>
    %91 = stablehlo.abs %62 : tensor<128x192xf32>
    %92 = stablehlo.maximum %90, %91 : tensor<128x192xf32>
    %cst_20 = stablehlo.constant dense<4.500000e-01> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %94 = stablehlo.subtract %92, %93 : tensor<128x192xf32>
    %95 = stablehlo.subtract %82, %70 : tensor<128x192xf32>
    %cst_21 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<128x192xf32>
    %cst_22 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %99 = stablehlo.divide %97, %98 : tensor<128x192xf32>
    %cst_23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %101 = stablehlo.add %100, %99 : tensor<128x192xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = call @clip(%101, %cst_24, %cst_25) : (tensor<128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %104 = stablehlo.subtract %103, %102 : tensor<128x192xf32>
    %105 = stablehlo.multiply %82, %104 : tensor<128x192xf32>
    %106 = stablehlo.multiply %70, %102 : tensor<128x192xf32>
    %107 = stablehlo.add %105, %106 : tensor<128x192xf32>
    %cst_27 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %109 = stablehlo.multiply %108, %102 : tensor<128x192xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %111 = stablehlo.subtract %110, %102 : tensor<128x192xf32>
    %112 = stablehlo.multiply %109, %111 : tensor<128x192xf32>
    %113 = stablehlo.subtract %107, %112 : tensor<128x192xf32>
    %114 = stablehlo.minimum %113, %94 : tensor<128x192xf32>
    %cst_29 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %116 = stablehlo.add %48, %115 : tensor<128x192xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %118 = stablehlo.add %55, %117 : tensor<128x192xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %120 = stablehlo.add %62, %119 : tensor<128x192xf32>
    %121 = stablehlo.multiply %116, %116 : tensor<128x192xf32>
    %122 = stablehlo.multiply %118, %118 : tensor<128x192xf32>
    %123 = stablehlo.add %121, %122 : tensor<128x192xf32>
    %124 = stablehlo.multiply %120, %120 : tensor<128x192xf32>
    %125 = stablehlo.add %123, %124 : tensor<128x192xf32>
    %126 = stablehlo.sqrt %125 : tensor<128x192xf32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %128 = stablehlo.subtract %126, %127 : tensor<128x192xf32>
    %cst_33 = stablehlo.constant dense<8.000000e-01> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %130 = stablehlo.add %118, %129 : tensor<128x192xf32>
    %cst_34 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %132 = stablehlo.multiply %131, %116 : tensor<128x192xf32>
    %133 = stablehlo.sine %132 : tensor<128x192xf32>
    %cst_35 = stablehlo.constant dense<6.000000e-02> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %135 = stablehlo.multiply %134, %133 : tensor<128x192xf32>
    %cst_36 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %137 = stablehlo.multiply %136, %120 : tensor<128x192xf32>
    %138 = stablehlo.sine %137 : tensor<128x192xf32>
    %139 = stablehlo.multiply %135, %138 : tensor<128x192xf32>
    %140 = stablehlo.add %130, %139 : tensor<128x192xf32>
    %141 = stablehlo.abs %116 : tensor<128x192xf32>
    %cst_37 = stablehlo.constant dense<2.100000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %143 = stablehlo.subtract %141, %142 : tensor<128x192xf32>
    %144 = stablehlo.abs %143 : tensor<128x192xf32>
    %cst_38 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %146 = stablehlo.add %118, %145 : tensor<128x192xf32>
    %147 = stablehlo.abs %146 : tensor<128x192xf32>
    %148 = stablehlo.maximum %144, %147 : tensor<128x192xf32>
    %149 = stablehlo.abs %120 : tensor<128x192xf32>
    %150 = stablehlo.maximum %148, %149 : tensor<128x192xf32>
    %cst_39 = stablehlo.constant dense<4.500000e-01> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %152 = stablehlo.subtract %150, %151 : tensor<128x192xf32>
    %153 = stablehlo.subtract %140, %128 : tensor<128x192xf32>
    %cst_40 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %155 = stablehlo.multiply %154, %153 : tensor<128x192xf32>
    %cst_41 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %157 = stablehlo.divide %155, %156 : tensor<128x192xf32>
    %cst_42 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %159 = stablehlo.add %158, %157 : tensor<128x192xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %160 = call @clip(%159, %cst_43, %cst_44) : (tensor<128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %162 = stablehlo.subtract %161, %160 : tensor<128x192xf32>
    %163 = stablehlo.multiply %140, %162 : tensor<128x192xf32>
    %164 = stablehlo.multiply %128, %160 : tensor<128x192xf32>
    %165 = stablehlo.add %163, %164 : tensor<128x192xf32>
    %cst_46 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %167 = stablehlo.multiply %166, %160 : tensor<128x192xf32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %169 = stablehlo.subtract %168, %160 : tensor<128x192xf32>
    %170 = stablehlo.multiply %167, %169 : tensor<128x192xf32>
    %171 = stablehlo.subtract %165, %170 : tensor<128x192xf32>
    %172 = stablehlo.minimum %171, %152 : tensor<128x192xf32>
    %173 = stablehlo.subtract %172, %114 : tensor<128x192xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %175 = stablehlo.add %48, %174 : tensor<128x192xf32>
    %cst_49 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %177 = stablehlo.add %55, %176 : tensor<128x192xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %179 = stablehlo.add %62, %178 : tensor<128x192xf32>
    %180 = stablehlo.multiply %175, %175 : tensor<128x192xf32>
    %181 = stablehlo.multiply %177, %177 : tensor<128x192xf32>
    %182 = stablehlo.add %180, %181 : tensor<128x192xf32>
    %183 = stablehlo.multiply %179, %179 : tensor<128x192xf32>
    %184 = stablehlo.add %182, %183 : tensor<128x192xf32>
    %185 = stablehlo.sqrt %184 : tensor<128x192xf32>
    %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %187 = stablehlo.subtract %185, %186 : tensor<128x192xf32>
    %cst_52 = stablehlo.constant dense<8.000000e-01> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %189 = stablehlo.add %177, %188 : tensor<128x192xf32>
    %cst_53 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %191 = stablehlo.multiply %190, %175 : tensor<128x192xf32>
    %192 = stablehlo.sine %191 : tensor<128x192xf32>
    %cst_54 = stablehlo.constant dense<6.000000e-02> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %194 = stablehlo.multiply %193, %192 : tensor<128x192xf32>
    %cst_55 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %196 = stablehlo.multiply %195, %179 : tensor<128x192xf32>
    %197 = stablehlo.sine %196 : tensor<128x192xf32>
    %198 = stablehlo.multiply %194, %197 : tensor<128x192xf32>
    %199 = stablehlo.add %189, %198 : tensor<128x192xf32>
    %200 = stablehlo.abs %175 : tensor<128x192xf32>
    %cst_56 = stablehlo.constant dense<2.100000e+00> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %202 = stablehlo.subtract %200, %201 : tensor<128x192xf32>
    %203 = stablehlo.abs %202 : tensor<128x192xf32>
    %cst_57 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %205 = stablehlo.add %177, %204 : tensor<128x192xf32>
    %206 = stablehlo.abs %205 : tensor<128x192xf32>
    %207 = stablehlo.maximum %203, %206 : tensor<128x192xf32>
    %208 = stablehlo.abs %179 : tensor<128x192xf32>
    %209 = stablehlo.maximum %207, %208 : tensor<128x192xf32>
    %cst_58 = stablehlo.constant dense<4.500000e-01> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %211 = stablehlo.subtract %209, %210 : tensor<128x192xf32>
    %212 = stablehlo.subtract %199, %187 : tensor<128x192xf32>
    %cst_59 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %214 = stablehlo.multiply %213, %212 : tensor<128x192xf32>
    %cst_60 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %216 = stablehlo.divide %214, %215 : tensor<128x192xf32>
    %cst_61 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %218 = stablehlo.add %217, %216 : tensor<128x192xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_63 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %219 = call @clip(%218, %cst_62, %cst_63) : (tensor<128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %221 = stablehlo.subtract %220, %219 : tensor<128x192xf32>
    %222 = stablehlo.multiply %199, %221 : tensor<128x192xf32>
    %223 = stablehlo.multiply %187, %219 : tensor<128x192xf32>
    %224 = stablehlo.add %222, %223 : tensor<128x192xf32>
    %cst_65 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %226 = stablehlo.multiply %225, %219 : tensor<128x192xf32>
    %cst_66 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %228 = stablehlo.subtract %227, %219 : tensor<128x192xf32>
    %229 = stablehlo.multiply %226, %228 : tensor<128x192xf32>
    %230 = stablehlo.subtract %224, %229 : tensor<128x192xf32>
    %231 = stablehlo.minimum %230, %211 : tensor<128x192xf32>
    %232 = stablehlo.subtract %231, %114 : tensor<128x192xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %234 = stablehlo.add %48, %233 : tensor<128x192xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %235 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %236 = stablehlo.add %55, %235 : tensor<128x192xf32>
    %cst_69 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %238 = stablehlo.add %62, %237 : tensor<128x192xf32>
    %239 = stablehlo.multiply %234, %234 : tensor<128x192xf32>
    %240 = stablehlo.multiply %236, %236 : tensor<128x192xf32>
    %241 = stablehlo.add %239, %240 : tensor<128x192xf32>
    %242 = stablehlo.multiply %238, %238 : tensor<128x192xf32>
    %243 = stablehlo.add %241, %242 : tensor<128x192xf32>
    %244 = stablehlo.sqrt %243 : tensor<128x192xf32>
    %cst_70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %246 = stablehlo.subtract %244, %245 : tensor<128x192xf32>
    %cst_71 = stablehlo.constant dense<8.000000e-01> : tensor<f32>
    %247 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %248 = stablehlo.add %236, %247 : tensor<128x192xf32>
    %cst_72 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %250 = stablehlo.multiply %249, %234 : tensor<128x192xf32>
    %251 = stablehlo.sine %250 : tensor<128x192xf32>
    %cst_73 = stablehlo.constant dense<6.000000e-02> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %253 = stablehlo.multiply %252, %251 : tensor<128x192xf32>
    %cst_74 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %254 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %255 = stablehlo.multiply %254, %238 : tensor<128x192xf32>
    %256 = stablehlo.sine %255 : tensor<128x192xf32>
    %257 = stablehlo.multiply %253, %256 : tensor<128x192xf32>
    %258 = stablehlo.add %248, %257 : tensor<128x192xf32>
    %259 = stablehlo.abs %234 : tensor<128x192xf32>
    %cst_75 = stablehlo.constant dense<2.100000e+00> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %261 = stablehlo.subtract %259, %260 : tensor<128x192xf32>
    %262 = stablehlo.abs %261 : tensor<128x192xf32>
    %cst_76 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %263 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %264 = stablehlo.add %236, %263 : tensor<128x192xf32>
    %265 = stablehlo.abs %264 : tensor<128x192xf32>
    %266 = stablehlo.maximum %262, %265 : tensor<128x192xf32>
    %267 = stablehlo.abs %238 : tensor<128x192xf32>
    %268 = stablehlo.maximum %266, %267 : tensor<128x192xf32>
    %cst_77 = stablehlo.constant dense<4.500000e-01> : tensor<f32>
    %269 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %270 = stablehlo.subtract %268, %269 : tensor<128x192xf32>
    %271 = stablehlo.subtract %258, %246 : tensor<128x192xf32>
    %cst_78 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %273 = stablehlo.multiply %272, %271 : tensor<128x192xf32>
    %cst_79 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %274 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %275 = stablehlo.divide %273, %274 : tensor<128x192xf32>
    %cst_80 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %277 = stablehlo.add %276, %275 : tensor<128x192xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_82 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %278 = call @clip(%277, %cst_81, %cst_82) : (tensor<128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_83 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %279 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %280 = stablehlo.subtract %279, %278 : tensor<128x192xf32>
    %281 = stablehlo.multiply %258, %280 : tensor<128x192xf32>
    %282 = stablehlo.multiply %246, %278 : tensor<128x192xf32>
    %283 = stablehlo.add %281, %282 : tensor<128x192xf32>
    %cst_84 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %285 = stablehlo.multiply %284, %278 : tensor<128x192xf32>
    %cst_85 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %286 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %287 = stablehlo.subtract %286, %278 : tensor<128x192xf32>
    %288 = stablehlo.multiply %285, %287 : tensor<128x192xf32>
    %289 = stablehlo.subtract %283, %288 : tensor<128x192xf32>
    %290 = stablehlo.minimum %289, %270 : tensor<128x192xf32>
    %291 = stablehlo.subtract %290, %114 : tensor<128x192xf32>
    %292 = stablehlo.broadcast_in_dim %173, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %293 = stablehlo.broadcast_in_dim %232, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %294 = stablehlo.broadcast_in_dim %291, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %295 = stablehlo.concatenate %292, %293, %294, dim = 0 : (tensor<1x128x192xf32>, tensor<1x128x192xf32>, tensor<1x128x192xf32>) -> tensor<3x128x192xf32>
    %cst_86 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<3x128x192xf32>
    %297 = stablehlo.divide %295, %296 : tensor<3x128x192xf32>
    %298 = stablehlo.broadcast_in_dim %cst, dims = [0] : (tensor<3xf32>) -> tensor<3x1x1xf32>
    %299 = stablehlo.broadcast_in_dim %298, dims = [0, 1, 2] : (tensor<3x1x1xf32>) -> tensor<3x128x192xf32>
    %300 = stablehlo.multiply %297, %299 : tensor<3x128x192xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %301 = stablehlo.reduce(%300 init: %cst_87) applies stablehlo.add across dimensions = [0] : (tensor<3x128x192xf32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_89 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %302 = call @clip(%301, %cst_88, %cst_89) : (tensor<128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_90 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %303 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %c_91 = stablehlo.constant dense<1> : tensor<i32>
    %c_92 = stablehlo.constant dense<0> : tensor<i32>
    %304:7 = stablehlo.while(%iterArg = %cst, %iterArg_122 = %48, %iterArg_123 = %55, %iterArg_124 = %62, %iterArg_125 = %c_92, %iterArg_126 = %c_91, %iterArg_127 = %303) : tensor<3xf32>, tensor<128x192xf32>, tensor<128x192xf32>, tensor<128x192xf32>, tensor<i32>, tensor<i32>, tensor<128x192xf32>
    cond {
      %c_128 = stablehlo.constant dense<8> : tensor<i32>
      %391 = stablehlo.compare LT, %iterArg_125, %c_128, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %391 : tensor<i1>
    } do {
      %391:2 = func.call @closed_call_1(%iterArg, %iterArg_122, %iterArg_123, %iterArg_124, %iterArg_126, %iterArg_127) : (tensor<3xf32>, tensor<128x192xf32>, tensor<128x192xf32>, tensor<128x192xf32>, tensor<i32>, tensor<128x192xf32>) -> (tensor<i32>, tensor<128x192xf32>)
      %c_128 = stablehlo.constant dense<1> : tensor<i32>
      %392 = stablehlo.add %iterArg_125, %c_128 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_122, %iterArg_123, %iterArg_124, %392, %391#0, %391#1 : tensor<3xf32>, tensor<128x192xf32>, tensor<128x192xf32>, tensor<128x192xf32>, tensor<i32>, tensor<i32>, tensor<128x192xf32>
    }
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_94 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %305 = call @clip(%304#6, %cst_93, %cst_94) : (tensor<128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_95 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %306 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %307 = stablehlo.multiply %306, %48 : tensor<128x192xf32>
    %308 = stablehlo.floor %307 : tensor<128x192xf32>
    %cst_96 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %310 = stablehlo.multiply %309, %62 : tensor<128x192xf32>
    %311 = stablehlo.floor %310 : tensor<128x192xf32>
    %312 = stablehlo.add %308, %311 : tensor<128x192xf32>
    %c_97 = stablehlo.constant dense<2> : tensor<i32>
    %313 = call @remainder(%312, %c_97) : (tensor<128x192xf32>, tensor<i32>) -> tensor<128x192xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %314 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %315 = stablehlo.compare EQ, %313, %314, FLOAT : (tensor<128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xi1>
    %cst_99 = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %cst_100 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %316 = call @_where(%315, %cst_99, %cst_100) : (tensor<128x192xi1>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_101 = stablehlo.constant dense<-6.000000e-01> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %318 = stablehlo.compare LT, %55, %317, FLOAT : (tensor<128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xi1>
    %cst_102 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %320 = stablehlo.multiply %319, %316 : tensor<128x192xf32>
    %cst_103 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %321 = call @_where_2(%318, %320, %cst_103) : (tensor<128x192xi1>, tensor<128x192xf32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_104 = stablehlo.constant dense<0.949999988> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %323 = stablehlo.multiply %322, %321 : tensor<128x192xf32>
    %cst_105 = stablehlo.constant dense<1.500000e-01> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %325 = stablehlo.multiply %324, %55 : tensor<128x192xf32>
    %cst_106 = stablehlo.constant dense<5.500000e-01> : tensor<f32>
    %326 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %327 = stablehlo.add %326, %325 : tensor<128x192xf32>
    %328 = stablehlo.convert %321 : tensor<128x192xf32>
    %329 = stablehlo.multiply %327, %328 : tensor<128x192xf32>
    %cst_107 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %330 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %331 = stablehlo.multiply %330, %55 : tensor<128x192xf32>
    %cst_108 = stablehlo.constant dense<3.500000e-01> : tensor<f32>
    %332 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %333 = stablehlo.add %332, %331 : tensor<128x192xf32>
    %334 = stablehlo.convert %321 : tensor<128x192xf32>
    %335 = stablehlo.multiply %333, %334 : tensor<128x192xf32>
    %336 = stablehlo.convert %323 : tensor<128x192xf32>
    %337 = stablehlo.broadcast_in_dim %336, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %338 = stablehlo.broadcast_in_dim %329, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %339 = stablehlo.broadcast_in_dim %335, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %340 = stablehlo.concatenate %337, %338, %339, dim = 0 : (tensor<1x128x192xf32>, tensor<1x128x192xf32>, tensor<1x128x192xf32>) -> tensor<3x128x192xf32>
    %cst_109 = stablehlo.constant dense<8.500000e-01> : tensor<f32>
    %341 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %342 = stablehlo.multiply %341, %302 : tensor<128x192xf32>
    %343 = stablehlo.multiply %342, %305 : tensor<128x192xf32>
    %cst_110 = stablehlo.constant dense<1.500000e-01> : tensor<f32>
    %344 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %345 = stablehlo.add %344, %343 : tensor<128x192xf32>
    %346 = stablehlo.broadcast_in_dim %345, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %347 = stablehlo.broadcast_in_dim %346, dims = [0, 1, 2] : (tensor<1x128x192xf32>) -> tensor<3x128x192xf32>
    %348 = stablehlo.multiply %340, %347 : tensor<3x128x192xf32>
    %349 = stablehlo.slice %39 [1:2, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %350 = stablehlo.reshape %349 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %cst_111 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %351 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %352 = stablehlo.multiply %351, %350 : tensor<128x192xf32>
    %cst_112 = stablehlo.constant dense<4.500000e-01> : tensor<f32>
    %353 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %354 = stablehlo.add %353, %352 : tensor<128x192xf32>
    %355 = stablehlo.slice %39 [1:2, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %356 = stablehlo.reshape %355 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %cst_113 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %357 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %358 = stablehlo.multiply %357, %356 : tensor<128x192xf32>
    %cst_114 = stablehlo.constant dense<6.000000e-01> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %360 = stablehlo.add %359, %358 : tensor<128x192xf32>
    %361 = stablehlo.slice %39 [1:2, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %362 = stablehlo.reshape %361 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %cst_115 = stablehlo.constant dense<2.000000e-01> : tensor<f32>
    %363 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %364 = stablehlo.multiply %363, %362 : tensor<128x192xf32>
    %cst_116 = stablehlo.constant dense<8.000000e-01> : tensor<f32>
    %365 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %366 = stablehlo.add %365, %364 : tensor<128x192xf32>
    %367 = stablehlo.broadcast_in_dim %354, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %368 = stablehlo.broadcast_in_dim %360, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %369 = stablehlo.broadcast_in_dim %366, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %370 = stablehlo.concatenate %367, %368, %369, dim = 0 : (tensor<1x128x192xf32>, tensor<1x128x192xf32>, tensor<1x128x192xf32>) -> tensor<3x128x192xf32>
    %cst_117 = stablehlo.constant dense<-2.000000e-03> : tensor<f32>
    %371 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %372 = stablehlo.multiply %371, %41#3 : tensor<128x192xf32>
    %373 = stablehlo.multiply %372, %41#3 : tensor<128x192xf32>
    %374 = stablehlo.multiply %373, %41#3 : tensor<128x192xf32>
    %375 = stablehlo.exponential %374 : tensor<128x192xf32>
    %376 = stablehlo.broadcast_in_dim %375, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %377 = stablehlo.broadcast_in_dim %376, dims = [0, 1, 2] : (tensor<1x128x192xf32>) -> tensor<3x128x192xf32>
    %378 = stablehlo.multiply %348, %377 : tensor<3x128x192xf32>
    %cst_118 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %380 = stablehlo.subtract %379, %375 : tensor<128x192xf32>
    %381 = stablehlo.broadcast_in_dim %380, dims = [1, 2] : (tensor<128x192xf32>) -> tensor<1x128x192xf32>
    %382 = stablehlo.broadcast_in_dim %381, dims = [0, 1, 2] : (tensor<1x128x192xf32>) -> tensor<3x128x192xf32>
    %383 = stablehlo.multiply %370, %382 : tensor<3x128x192xf32>
    %384 = stablehlo.add %378, %383 : tensor<3x128x192xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_120 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %385 = call @clip_3(%384, %cst_119, %cst_120) : (tensor<3x128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<3x128x192xf32>
    %386 = stablehlo.sqrt %385 : tensor<3x128x192xf32>
    %387 = stablehlo.transpose %386, dims = [1, 2, 0] : (tensor<3x128x192xf32>) -> tensor<128x192x3xf32>
    %cst_121 = stablehlo.constant dense<2.550000e+02> : tensor<f32>
    %388 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<128x192x3xf32>
    %389 = stablehlo.multiply %387, %388 : tensor<128x192x3xf32>
    %390 = stablehlo.convert %389 : (tensor<128x192x3xf32>) -> tensor<128x192x3xui8>
    return %390 : tensor<128x192x3xui8>
  }
  func.func private @_linspace(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<128xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.iota dim = 0 : tensor<127xf32>
    %cst = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<127xf32>
    %4 = stablehlo.divide %2, %3 : tensor<127xf32>
    %5 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<127xf32>
    %7 = stablehlo.subtract %6, %4 : tensor<127xf32>
    %8 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<1xf32>) -> tensor<127xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<127xf32>
    %10 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<1xf32>) -> tensor<127xf32>
    %12 = stablehlo.multiply %11, %4 : tensor<127xf32>
    %13 = stablehlo.add %9, %12 : tensor<127xf32>
    %14 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %15 = stablehlo.concatenate %13, %14, dim = 0 : (tensor<127xf32>, tensor<1xf32>) -> tensor<128xf32>
    return %15 : tensor<128xf32>
  }
  func.func private @_linspace_0(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<192xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.iota dim = 0 : tensor<191xf32>
    %cst = stablehlo.constant dense<1.910000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<191xf32>
    %4 = stablehlo.divide %2, %3 : tensor<191xf32>
    %5 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<191xf32>
    %7 = stablehlo.subtract %6, %4 : tensor<191xf32>
    %8 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<1xf32>) -> tensor<191xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<191xf32>
    %10 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<1xf32>) -> tensor<191xf32>
    %12 = stablehlo.multiply %11, %4 : tensor<191xf32>
    %13 = stablehlo.add %9, %12 : tensor<191xf32>
    %14 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %15 = stablehlo.concatenate %13, %14, dim = 0 : (tensor<191xf32>, tensor<1xf32>) -> tensor<192xf32>
    return %15 : tensor<192xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<3x128x192xf32>, %arg2: tensor<128x192xf32>) -> tensor<128x192xf32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    %2 = stablehlo.slice %arg1 [0:1, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %4 = stablehlo.multiply %3, %arg2 : tensor<128x192xf32>
    %5 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %6 = stablehlo.add %5, %4 : tensor<128x192xf32>
    %7 = stablehlo.slice %arg0 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %8 = stablehlo.reshape %7 : (tensor<1xf32>) -> tensor<f32>
    %9 = stablehlo.slice %arg1 [1:2, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %11 = stablehlo.multiply %10, %arg2 : tensor<128x192xf32>
    %12 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %13 = stablehlo.add %12, %11 : tensor<128x192xf32>
    %14 = stablehlo.slice %arg0 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %15 = stablehlo.reshape %14 : (tensor<1xf32>) -> tensor<f32>
    %16 = stablehlo.slice %arg1 [2:3, 0:128, 0:192] : (tensor<3x128x192xf32>) -> tensor<1x128x192xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x128x192xf32>) -> tensor<128x192xf32>
    %18 = stablehlo.multiply %17, %arg2 : tensor<128x192xf32>
    %19 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %20 = stablehlo.add %19, %18 : tensor<128x192xf32>
    %21 = stablehlo.multiply %6, %6 : tensor<128x192xf32>
    %22 = stablehlo.multiply %13, %13 : tensor<128x192xf32>
    %23 = stablehlo.add %21, %22 : tensor<128x192xf32>
    %24 = stablehlo.multiply %20, %20 : tensor<128x192xf32>
    %25 = stablehlo.add %23, %24 : tensor<128x192xf32>
    %26 = stablehlo.sqrt %25 : tensor<128x192xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %28 = stablehlo.subtract %26, %27 : tensor<128x192xf32>
    %cst_0 = stablehlo.constant dense<8.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %30 = stablehlo.add %13, %29 : tensor<128x192xf32>
    %cst_1 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %32 = stablehlo.multiply %31, %6 : tensor<128x192xf32>
    %33 = stablehlo.sine %32 : tensor<128x192xf32>
    %cst_2 = stablehlo.constant dense<6.000000e-02> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %35 = stablehlo.multiply %34, %33 : tensor<128x192xf32>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %37 = stablehlo.multiply %36, %20 : tensor<128x192xf32>
    %38 = stablehlo.sine %37 : tensor<128x192xf32>
    %39 = stablehlo.multiply %35, %38 : tensor<128x192xf32>
    %40 = stablehlo.add %30, %39 : tensor<128x192xf32>
    %41 = stablehlo.abs %6 : tensor<128x192xf32>
    %cst_4 = stablehlo.constant dense<2.100000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %43 = stablehlo.subtract %41, %42 : tensor<128x192xf32>
    %44 = stablehlo.abs %43 : tensor<128x192xf32>
    %cst_5 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %46 = stablehlo.add %13, %45 : tensor<128x192xf32>
    %47 = stablehlo.abs %46 : tensor<128x192xf32>
    %48 = stablehlo.maximum %44, %47 : tensor<128x192xf32>
    %49 = stablehlo.abs %20 : tensor<128x192xf32>
    %50 = stablehlo.maximum %48, %49 : tensor<128x192xf32>
    %cst_6 = stablehlo.constant dense<4.500000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %52 = stablehlo.subtract %50, %51 : tensor<128x192xf32>
    %53 = stablehlo.subtract %40, %28 : tensor<128x192xf32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %55 = stablehlo.multiply %54, %53 : tensor<128x192xf32>
    %cst_8 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %57 = stablehlo.divide %55, %56 : tensor<128x192xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %59 = stablehlo.add %58, %57 : tensor<128x192xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = call @clip(%59, %cst_10, %cst_11) : (tensor<128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %62 = stablehlo.subtract %61, %60 : tensor<128x192xf32>
    %63 = stablehlo.multiply %40, %62 : tensor<128x192xf32>
    %64 = stablehlo.multiply %28, %60 : tensor<128x192xf32>
    %65 = stablehlo.add %63, %64 : tensor<128x192xf32>
    %cst_13 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %67 = stablehlo.multiply %66, %60 : tensor<128x192xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %69 = stablehlo.subtract %68, %60 : tensor<128x192xf32>
    %70 = stablehlo.multiply %67, %69 : tensor<128x192xf32>
    %71 = stablehlo.subtract %65, %70 : tensor<128x192xf32>
    %72 = stablehlo.minimum %71, %52 : tensor<128x192xf32>
    %cst_15 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %74 = stablehlo.multiply %73, %72 : tensor<128x192xf32>
    %75 = stablehlo.add %arg2, %74 : tensor<128x192xf32>
    return %75 : tensor<128x192xf32>
  }
  func.func private @clip(%arg0: tensor<128x192xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<128x192xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<128x192xf32>
    %3 = stablehlo.convert %arg2 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<128x192xf32>
    return %5 : tensor<128x192xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<3xf32>, %arg1: tensor<128x192xf32>, %arg2: tensor<128x192xf32>, %arg3: tensor<128x192xf32>, %arg4: tensor<i32>, %arg5: tensor<128x192xf32>) -> (tensor<i32>, tensor<128x192xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg4, %c : tensor<i32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<1.500000e-01> : tensor<f32>
    %3 = stablehlo.multiply %2, %cst : tensor<f32>
    %4 = stablehlo.convert %arg4 : (tensor<i32>) -> tensor<f32>
    %5 = stablehlo.multiply %3, %4 : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %7 = stablehlo.add %arg1, %6 : tensor<128x192xf32>
    %8 = stablehlo.slice %arg0 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %9 = stablehlo.reshape %8 : (tensor<1xf32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.500000e-01> : tensor<f32>
    %10 = stablehlo.multiply %9, %cst_0 : tensor<f32>
    %11 = stablehlo.convert %arg4 : (tensor<i32>) -> tensor<f32>
    %12 = stablehlo.multiply %10, %11 : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %14 = stablehlo.add %arg2, %13 : tensor<128x192xf32>
    %15 = stablehlo.slice %arg0 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.500000e-01> : tensor<f32>
    %17 = stablehlo.multiply %16, %cst_1 : tensor<f32>
    %18 = stablehlo.convert %arg4 : (tensor<i32>) -> tensor<f32>
    %19 = stablehlo.multiply %17, %18 : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %21 = stablehlo.add %arg3, %20 : tensor<128x192xf32>
    %22 = stablehlo.multiply %7, %7 : tensor<128x192xf32>
    %23 = stablehlo.multiply %14, %14 : tensor<128x192xf32>
    %24 = stablehlo.add %22, %23 : tensor<128x192xf32>
    %25 = stablehlo.multiply %21, %21 : tensor<128x192xf32>
    %26 = stablehlo.add %24, %25 : tensor<128x192xf32>
    %27 = stablehlo.sqrt %26 : tensor<128x192xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %29 = stablehlo.subtract %27, %28 : tensor<128x192xf32>
    %cst_3 = stablehlo.constant dense<8.000000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %31 = stablehlo.add %14, %30 : tensor<128x192xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %33 = stablehlo.multiply %32, %7 : tensor<128x192xf32>
    %34 = stablehlo.sine %33 : tensor<128x192xf32>
    %cst_5 = stablehlo.constant dense<6.000000e-02> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %36 = stablehlo.multiply %35, %34 : tensor<128x192xf32>
    %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %38 = stablehlo.multiply %37, %21 : tensor<128x192xf32>
    %39 = stablehlo.sine %38 : tensor<128x192xf32>
    %40 = stablehlo.multiply %36, %39 : tensor<128x192xf32>
    %41 = stablehlo.add %31, %40 : tensor<128x192xf32>
    %42 = stablehlo.abs %7 : tensor<128x192xf32>
    %cst_7 = stablehlo.constant dense<2.100000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %44 = stablehlo.subtract %42, %43 : tensor<128x192xf32>
    %45 = stablehlo.abs %44 : tensor<128x192xf32>
    %cst_8 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %47 = stablehlo.add %14, %46 : tensor<128x192xf32>
    %48 = stablehlo.abs %47 : tensor<128x192xf32>
    %49 = stablehlo.maximum %45, %48 : tensor<128x192xf32>
    %50 = stablehlo.abs %21 : tensor<128x192xf32>
    %51 = stablehlo.maximum %49, %50 : tensor<128x192xf32>
    %cst_9 = stablehlo.constant dense<4.500000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %53 = stablehlo.subtract %51, %52 : tensor<128x192xf32>
    %54 = stablehlo.subtract %41, %29 : tensor<128x192xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %56 = stablehlo.multiply %55, %54 : tensor<128x192xf32>
    %cst_11 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %58 = stablehlo.divide %56, %57 : tensor<128x192xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %60 = stablehlo.add %59, %58 : tensor<128x192xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = call @clip(%60, %cst_13, %cst_14) : (tensor<128x192xf32>, tensor<f32>, tensor<f32>) -> tensor<128x192xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %63 = stablehlo.subtract %62, %61 : tensor<128x192xf32>
    %64 = stablehlo.multiply %41, %63 : tensor<128x192xf32>
    %65 = stablehlo.multiply %29, %61 : tensor<128x192xf32>
    %66 = stablehlo.add %64, %65 : tensor<128x192xf32>
    %cst_16 = stablehlo.constant dense<4.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %68 = stablehlo.multiply %67, %61 : tensor<128x192xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %70 = stablehlo.subtract %69, %61 : tensor<128x192xf32>
    %71 = stablehlo.multiply %68, %70 : tensor<128x192xf32>
    %72 = stablehlo.subtract %66, %71 : tensor<128x192xf32>
    %73 = stablehlo.minimum %72, %53 : tensor<128x192xf32>
    %cst_18 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %75 = stablehlo.multiply %74, %73 : tensor<128x192xf32>
    %76 = stablehlo.convert %arg4 : (tensor<i32>) -> tensor<f32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %78 = stablehlo.divide %75, %77 : tensor<128x192xf32>
    %79 = stablehlo.minimum %arg5, %78 : tensor<128x192xf32>
    return %0, %79 : tensor<i32>, tensor<128x192xf32>
  }
  func.func private @remainder(%arg0: tensor<128x192xf32>, %arg1: tensor<i32>) -> tensor<128x192xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<128x192xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<128x192xf32>, tensor<128x192xf32>) -> tensor<128x192xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<128x192xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<128x192xi1>, tensor<128x192xi1>) -> tensor<128x192xi1>
    %10 = stablehlo.and %9, %4 : tensor<128x192xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %12 = stablehlo.add %2, %11 : tensor<128x192xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<128x192xi1>, tensor<128x192xf32>
    return %13 : tensor<128x192xf32>
  }
  func.func private @_where(%arg0: tensor<128x192xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<128x192xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<128x192xi1>, tensor<128x192xf32>
    return %2 : tensor<128x192xf32>
  }
  func.func private @_where_2(%arg0: tensor<128x192xi1>, %arg1: tensor<128x192xf32>, %arg2: tensor<f32>) -> tensor<128x192xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<128x192xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<128x192xi1>, tensor<128x192xf32>
    return %1 : tensor<128x192xf32>
  }
  func.func private @clip_3(%arg0: tensor<3x128x192xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<3x128x192xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x128x192xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<3x128x192xf32>
    %3 = stablehlo.convert %arg2 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3x128x192xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<3x128x192xf32>
    return %5 : tensor<3x128x192xf32>
  }
}
