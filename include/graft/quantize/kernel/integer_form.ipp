#pragma once
#include <graft/config.hpp>
#include <graft/quantize/kernel/integer_form.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace graft::inline v1 {

GRAFT_INLINE bool is_integer_form(const Node& node) {
  constexpr std::array<std::string_view, 3> onnx{"ConvInteger", "MatMulInteger", "DynamicQuantizeLinear"};
  constexpr std::array<std::string_view, 10> microsoft{
      "QGemm",      "QAttention",  "QEmbedLayerNormalization", "DynamicQuantizeMatMul", "MatMulIntegerToFloat",
      "MulInteger", "MatMulNBits", "DynamicQuantizeLSTM",      "MatMulInteger16",       "GatherBlockQuantized"};
  const bool is_microsoft = node.domain() == "com.microsoft";
  if (!is_microsoft && !node.domain().empty()) return false;
  if (node.op_type().starts_with("QLinear")) return true;
  const auto among = [&](const auto& ops) { return std::find(ops.begin(), ops.end(), node.op_type()) != ops.end(); };
  return is_microsoft ? among(microsoft) : among(onnx);
}

GRAFT_INLINE std::map<std::string, std::size_t> count_integer_forms(const Graph& graph) {
  std::map<std::string, std::size_t> counts;
  for (const Node& node : graph.nodes())
    if (is_integer_form(node)) ++counts[std::string(node.op_type())];
  return counts;
}

}  // namespace graft::inline v1
