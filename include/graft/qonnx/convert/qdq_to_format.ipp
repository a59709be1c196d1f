#pragma once
#include <graft/qonnx/convert/qdq_to_format.hpp>

#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/qonnx/convert/qdq_to_quant.hpp>
#include <graft/qonnx/convert/qdq_to_quantized_operators.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass qdq_to_format(Format format, std::vector<BitWidth> widths) {
  if (!widths.empty() && format != Format::qcdq && format != Format::qonnx)
    throw Error("a bit width other than 8 needs the format QCDQ or QONNX").field(widths.front().tensors.text());
  switch (format) {
    case Format::qdq: return pass("qdq_to_qdq", [](Graph&, Context&) { return Report(); }).preserves_all();
    case Format::quantized_operators: return qdq_to_quantized_operators();
    case Format::qonnx:
    case Format::qcdq: break;
    default: throw Error("quantize() cannot be followed by the format " + std::string(to_string(format)));
  }
  Pass passes = qdq_to_quant({.zero_points = ZeroPoints::any, .least_bits_of_constants = true});
  if (!widths.empty()) passes |= set_bit_widths(std::move(widths));
  if (format == Format::qonnx) return passes;
  return passes | quant_to_qcdq({.clip_constants = true, .zero_points = ZeroPoints::any});
}

}  // namespace graft::inline v1::qonnx
