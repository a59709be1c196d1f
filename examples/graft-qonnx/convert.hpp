#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>
#include <graft/rewrite.hpp>
#include <graft/surgery.hpp>

/// What a conversion leads to.
enum class Destination { quant, qcdq, qdq, qop, integer, multithreshold };

struct ConvertOptions {
  Destination to = Destination::quant;
  graft::qonnx::ZeroPoints zero_points = graft::qonnx::ZeroPoints::even;
  bool narrow_types = false, lower_rest = false, keep_overridable = false;
  int opset = 0;  // 0: what the conversion needs
};

/// Whatever the model is in becomes Quant or Q/DQ on the way; what it has already stays.
inline graft::Pass conversion(const ConvertOptions& options) {
  namespace qonnx = graft::qonnx;
  const bool is_narrow = options.narrow_types;
  const int wanted = options.opset != 0 ? options.opset
                     : options.to == Destination::quant || options.to == Destination::multithreshold ? 0
                     : is_narrow                                                                     ? 21
                                                                                                     : 13;
  graft::Pass pass = qonnx::canonical_operators();
  if (!options.keep_overridable) pass |= graft::freeze_inputs();
  pass |= qonnx::fold_transpose_into_quantized_constant();  // products are to read their weights themselves
  if (wanted != 0) pass |= graft::raise_opset(wanted);
  const qonnx::QuantToQdqOptions to_qdq{
      .narrow_types = is_narrow, .lower_rest = options.lower_rest, .zero_points = options.zero_points};
  const graft::Pass from_thresholds = qonnx::multi_threshold_to_quant();
  const graft::Pass from_operators = qonnx::quantized_operators_to_qdq();
  const graft::Pass to_quant = from_operators | qonnx::qdq_to_quant();
  switch (options.to) {
    case Destination::quant: return pass | from_thresholds | to_quant;
    case Destination::qcdq: return pass | from_thresholds | from_operators | qonnx::quant_to_qcdq(to_qdq);
    case Destination::qdq: return pass | from_thresholds | from_operators | qonnx::quant_to_qdq(to_qdq);
    case Destination::qop:
      return pass | from_thresholds | qonnx::quant_to_qcdq(to_qdq) | qonnx::qdq_to_quantized_operators();
    case Destination::integer:
      return pass | from_thresholds | from_operators | qonnx::quant_to_qcdq(to_qdq) |
             qonnx::qdq_to_integer_operators();
    case Destination::multithreshold: return pass | to_quant | qonnx::quant_to_multi_threshold();
  }
  return pass;
}
