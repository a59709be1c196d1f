#pragma once
#include <graft/qonnx/ops/kernels.hpp>

#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_table.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/qonnx/ops/kernels/bipolar_quant.hpp>
#include <graft/qonnx/ops/kernels/multi_threshold.hpp>
#include <graft/qonnx/ops/kernels/quant.hpp>
#include <graft/qonnx/ops/kernels/trunc.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE const Kernels& kernels() {
  static const Kernels all = [] {
    Kernels table = Kernels::standard();
    for (const std::string_view name : domains) {
      const std::string prefix = std::string(name) + "::";
      table.add(prefix + "BipolarQuant", bipolar_quant_kernel)
          .add(prefix + "IntQuant", quant_kernel)
          .add(prefix + "MultiThreshold", multi_threshold_kernel)
          .add(prefix + "Quant", quant_kernel)
          .add(prefix + "Trunc", trunc_kernel);
    }
    return table;
  }();
  return all;
}

}  // namespace graft::inline v1::qonnx
