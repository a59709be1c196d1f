#pragma once
#include <graft/qonnx/convert/format.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qonnx/convert/detail/quantized_operand.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE std::string_view to_string(Format format) {
  switch (format) {
    case Format::floating: return "float";
    case Format::qonnx: return "QONNX";
    case Format::qcdq: return "QCDQ";
    case Format::qdq: return "QDQ";
    case Format::clipped_quantized_operators: return "quantized operators with clipping";
    case Format::quantized_operators: return "quantized operators";
    case Format::integer_operators: return "integer operators";
    case Format::mixed: return "mixed";
  }
  return "";
}

GRAFT_INLINE std::ostream& operator<<(std::ostream& out, Format format) { return out << to_string(format); }

namespace detail {

/// The forms of quantization that the nodes of a graph use.
struct FormatSigns {
  bool quants = false, pairs = false, clipped_pairs = false, quantizers = false;
  bool quantized_operators = false, clipped_operators = false, integer_operators = false;

  void look_at(const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      look_at(node);
      for (const Body& body : node.bodies()) look_at(*body.graph);
    }
  }

 private:
  static bool is_integer_operator(const Node& node) {
    const bool is_standard = node.is("ConvInteger") || node.is("MatMulInteger");
    return is_standard || node.is("com.microsoft::MatMulIntegerToFloat") ||
           node.is("com.microsoft::DynamicQuantizeMatMul");
  }

  void look_at(const Node& node) {
    quants = quants || is_quantizer(node) || is_op(node, "MultiThreshold");
    quantized_operators = quantized_operators || is_quantized_operator(node);
    integer_operators = integer_operators || is_integer_operator(node);
    if (is_quantize(node)) quantizers = true;
    if (is_clip_of_integers(node)) {
      const Node* const producer = node.input(0)->producer();
      clipped_operators = clipped_operators || (producer != nullptr && is_quantized_operator(*producer));
    }
    if (!is_dequantize(node) || node.input(0) == nullptr) return;
    quantizers = true;
    const Value* integers = node.input(0);
    bool is_clipped = false;
    for (; integers->producer() != nullptr && is_clip_of_integers(*integers->producer());
         integers = integers->producer()->input(0))
      is_clipped = true;
    const bool is_pair = integers->producer() != nullptr && is_quantize(*integers->producer());
    if (!is_pair && !integers->is_constant()) return;
    pairs = true;
    clipped_pairs = clipped_pairs || is_clipped;
  }

  /// Whether it quantizes other types than floats, as far as types are known. The input of a DequantizeLinear is not
  /// float.
  static bool is_clip_of_integers(const Node& node) {
    return node.is("Clip") && node.input(0) != nullptr && !is_float(node.input(0)->dtype());
  }
};

}  // namespace detail

GRAFT_INLINE Format format_of(const Graph& graph) {
  detail::FormatSigns signs;
  signs.look_at(graph);
  if (&graph == &graph.model().graph())
    for (const Graph* const function : graph.model().functions()) signs.look_at(*function);
  const int formats =
      int{signs.quants} + int{signs.pairs} + int{signs.quantized_operators} + int{signs.integer_operators};
  if (formats > 1) return Format::mixed;
  if (signs.quants) return signs.quantizers ? Format::mixed : Format::qonnx;
  if (signs.quantized_operators)
    return signs.clipped_operators ? Format::clipped_quantized_operators : Format::quantized_operators;
  if (signs.integer_operators) return Format::integer_operators;
  if (signs.pairs) return signs.clipped_pairs ? Format::qcdq : Format::qdq;
  return signs.quantizers ? Format::qdq : Format::floating;
}

}  // namespace graft::inline v1::qonnx
