#pragma once
#include <graft/qonnx/ops/quantizer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/detail/scopes.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE bool is_narrow(const Node& node) { return node.attr<std::int64_t>("narrow").value_or(0) != 0; }

GRAFT_INLINE bool is_signed(const Node& node) { return node.attr<std::int64_t>("signed").value_or(1) != 0; }

GRAFT_INLINE RoundingMode rounding_mode(const Node& node) {
  const std::optional<std::string> name = node.attr<std::string>("rounding_mode");
  if (!name) return is_op(node, "Trunc") ? RoundingMode::floor : RoundingMode::half_even;
  if (const std::optional<RoundingMode> mode = rounding_mode(*name)) return *mode;
  throw Error("there is no rounding mode \"" + *name +
              "\", only ROUND (HALF_EVEN), HALF_UP, HALF_DOWN, UP, DOWN (ROUND_TO_ZERO), FLOOR and CEIL")
      .node(display_name(node))
      .field("rounding_mode");
}

GRAFT_INLINE std::optional<Quantizer> quantizer_of(const Node& quant) {
  const auto constant = [&](std::size_t i) -> std::optional<Tensor> {
    const Value* const input = quant.input(i);
    std::optional<Tensor> tensor = input != nullptr ? input->constant() : std::nullopt;
    if (tensor && tensor->dtype() != DType::f32) tensor.reset();
    return tensor;
  };
  std::optional<Tensor> scale = constant(1), zero_point = constant(2), bits = constant(3);
  if (!scale || !zero_point || !bits) return std::nullopt;
  return Quantizer{*std::move(scale), *std::move(zero_point), *std::move(bits),
                   is_signed(quant),  is_narrow(quant),       rounding_mode(quant)};
}

GRAFT_INLINE Attributes attributes_of(const Quantizer& quantizer) {
  return {{"signed", quantizer.is_signed ? 1 : 0},
          {"narrow", quantizer.is_narrow ? 1 : 0},
          {"rounding_mode", to_string(quantizer.rounding)}};
}

GRAFT_INLINE Value& insert_quant(Value& x, const Quantizer& quantizer, Node* before) {
  Graph& graph = x.graph();
  if (graph.opset(domain) == 0 && detail::in_function(graph))
    throw Error("its local function does not import " + std::string(domain)).field(x.name());
  if (graph.opset(domain) == 0) graph.model().set_opset(1, domain);
  const std::string hint(x.name());
  Value& scale = graph.add_initializer(quantizer.scale, hint + "_scale");
  Value& zero_point = graph.add_initializer(quantizer.zero_point, hint + "_zero_point");
  Value& bits = graph.add_initializer(quantizer.bits, hint + "_bits");
  Node& quant = graph.insert(std::string(domain) + "::Quant", {&x, &scale, &zero_point, &bits}, 1,
                             attributes_of(quantizer), before, hint + "_quantized");
  Value& result = *quant.output(0);
  if (x.type() != nullptr) graph.set_type(result, *x.type());
  return result;
}

}  // namespace graft::inline v1::qonnx
