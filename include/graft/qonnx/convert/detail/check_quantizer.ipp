#pragma once
#include <graft/qonnx/convert/detail/check_quantizer.hpp>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether a parameter broadcasts to x and leaves its shape; what is not known is taken to fit.
inline bool check_broadcast(const Shape& parameter, std::string_view what, const Shape& x, std::string& why) {
  if (!parameter.known() || !x.known()) return true;
  const auto no = [&](std::string_view reason) {
    why = "its " + std::string(what) + " of shape " + graft::to_string(parameter) + " " + std::string(reason);
    return false;
  };
  if (parameter.rank() > x.rank()) return no("has more axes than its input");
  for (std::size_t i = 0; i < parameter.rank(); ++i) {
    const Dim own = parameter[i], other = x[x.rank() - parameter.rank() + i];
    if (own.known() && own.value() != 1 && other.known() && own.value() != other.value())
      return no("does not broadcast to its input");
  }
  return true;
}

GRAFT_INLINE bool check_quantizer(const Node& quant, std::string& why) {
  const auto no = [&](std::string reason) {
    why = std::move(reason);
    return false;
  };
  constexpr std::string_view names[] = {"x", "scale", "zero point", "bit width"};
  for (std::size_t i = 1; i < quant.input_count() && i < std::size(names); ++i) {
    const Value* const parameter = quant.input(i);
    if (parameter == nullptr || quant.input(0) == nullptr) return no("an input is absent");
    const std::optional<Tensor> constant = parameter->constant();
    const Shape shape = constant ? Shape(std::span(constant->dims())) : parameter->shape();
    if (!check_broadcast(shape, names[i], quant.input(0)->shape(), why)) return false;
    if (!constant) continue;
    if (constant->dtype() != DType::f32) return no("its parameters are not all float32");
    for (const float each : constant->data<float>()) {
      if (i == 1 && (!(each > 0) || !std::isfinite(each))) return no("its scale is not positive and finite");
      if (i == 3 && !(each >= 1)) return no(shortest_decimal(each) + " bits are no bit width");
    }
  }
  return true;
}

}  // namespace graft::inline v1::qonnx::detail
