#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <graft/graph/graph.hpp>

namespace graft::inline v1 {

/// Whether an operator takes integers with their scales and zero points as inputs, or finds them as it runs: what other
/// tools make of a float model instead of putting quantizers around operators. ONNX operators since version 10 and 11,
/// and those of com.microsoft. Quantization leaves them as they are.
inline bool is_integer_form(const Node& node) {
  constexpr std::array<std::string_view, 3> onnx{"ConvInteger", "MatMulInteger", "DynamicQuantizeLinear"};
  constexpr std::array<std::string_view, 9> microsoft{
      "QGemm",        "QAttention",  "QEmbedLayerNormalization", "DynamicQuantizeMatMul", "MatMulIntegerToFloat",
      "MulInteger",   "MatMulNBits", "DynamicQuantizeLSTM",      "MatMulInteger16"};
  const bool is_microsoft = node.domain() == "com.microsoft";
  if (!is_microsoft && !node.domain().empty()) return false;
  if (node.op_type().starts_with("QLinear")) return true;
  const auto among = [&](const auto& ops) { return std::find(ops.begin(), ops.end(), node.op_type()) != ops.end(); };
  return is_microsoft ? among(microsoft) : among(onnx);
}

/// How many there are of each, in this scope.
inline std::map<std::string, std::size_t> count_integer_forms(const Graph& graph) {
  std::map<std::string, std::size_t> counts;
  for (const Node& node : graph.nodes())
    if (is_integer_form(node)) ++counts[std::string(node.op_type())];
  return counts;
}

}  // namespace graft::inline v1
