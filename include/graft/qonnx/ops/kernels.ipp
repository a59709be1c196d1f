#pragma once
#include <graft/qonnx/ops/kernels.hpp>

#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/qonnx/ops/kernels/channels_last.hpp>
#include <graft/qonnx/ops/kernels/im2col.hpp>
#include <graft/qonnx/ops/kernels/multi_threshold.hpp>
#include <graft/qonnx/ops/kernels/quant.hpp>
#include <graft/qonnx/ops/kernels/quant_avg_pool.hpp>
#include <graft/qonnx/ops/kernels/xnor_popcount.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE const Kernels& kernels() {
  static const Kernels all = [] {
    Kernels table = Kernels::standard();
    for (const std::string_view name : domains) {
      const std::string prefix = std::string(name) + "::";
      table.add(prefix + "BipolarQuant", bipolar_quant_kernel)
          .add(prefix + "FloatQuant", float_quant_kernel)
          .add(prefix + "Im2Col", im2col_kernel)
          .add(prefix + "IntQuant", quant_kernel)
          .add(prefix + "MaxPoolNHWC", max_pool_nhwc_kernel)
          .add(prefix + "MultiThreshold", multi_threshold_kernel)
          .add(prefix + "Quant", quant_kernel)
          .add(prefix + "QuantAvgPool2d", quant_avg_pool_kernel)
          .add(prefix + "Trunc", trunc_kernel)
          .add(prefix + "XnorPopcountMatMul", xnor_popcount_kernel);
    }
    for (const std::string_view op_type : {"BatchNormalization", "Conv", "MaxPool"})
      table.add(std::string(channels_last_domain) + "::" + std::string(op_type), channels_last_kernel);
    return table;
  }();
  return all;
}

}  // namespace graft::inline v1::qonnx
