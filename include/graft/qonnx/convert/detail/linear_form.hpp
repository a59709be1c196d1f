#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/convert/format.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>
#include <graft/qonnx/ops/quantizer.hpp>

namespace graft::inline v1::qonnx::detail {

/// The form of a Quant in QCDQ: the integers between a QuantizeLinear and a DequantizeLinear.
struct LinearForm {
  struct Bounds {
    std::int64_t lowest, highest;
  };

  DType dtype = DType::i8;
  Tensor scale, zero_point;  ///< no zero_point: 0
  std::optional<std::size_t> axis;
  std::optional<Bounds> clip;
  Tensor integers;  ///< for a constant input, in the dtype
  bool is_exact = true;
};

/// The target format and opset.
struct LinearTarget {
  Format format;  ///< QCDQ or QDQ
  int opset;
  QuantToQdqOptions options;
};

/// The form of a Quant of a tensor of this shape; nullopt, and the reason, if it has none. Precondition:
/// check_float_quantizer().
std::optional<LinearForm> linear_form(const Quantizer& quantizer, const Shape& x, const LinearTarget& target,
                                      std::string& why);

/// The form for a constant input. is_bipolar: the signs of x times the scale; of the quantizer, only the scale is used.
std::optional<LinearForm> linear_form_of_constant(Quantizer quantizer, bool is_bipolar, const Tensor& x,
                                                  const LinearTarget& target, std::string& why);

}  // namespace graft::inline v1::qonnx::detail
