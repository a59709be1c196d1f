#pragma once
#include <graft/qonnx/convert/detail/constant_parameters.hpp>

#include <cstddef>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE std::optional<std::vector<Tensor>> constant_parameters(const Node& quantizer, std::string& why) {
  std::vector<Tensor> numbers;
  for (std::size_t i = 1; i < quantizer.input_count(); ++i) {
    std::optional<Tensor> constant = quantizer.input(i)->constant();
    if (!constant || constant->dtype() != DType::f32 || constant->size() == 0) {
      why = "its parameter '" + std::string(quantizer.input(i)->name()) + "' is no constant of float32";
      return std::nullopt;
    }
    numbers.push_back(*std::move(constant));
  }
  return numbers;
}

}  // namespace graft::inline v1::qonnx::detail
