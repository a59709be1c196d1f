#pragma once
#include <graft/qonnx/datatype/infer_data_types.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/annotations.hpp>
#include <graft/qonnx/detail/constants.hpp>
#include <graft/qonnx/detail/typed_graph.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Infers the types of one graph. Annotations are read first.
class DataTypeInference {
 public:
  DataTypeInference(Graph& graph, const DataTypeOptions& options)
      : graph_(graph), options_(options), constants_(graph), types_(read_data_types(graph)) {}

  DataTypes run() {
    for (const Graph* const scope : with_bodies(graph_)) {
      for (const Node& node : scope->nodes()) {
        if (node.output_count() == 0) continue;
        const std::optional<DataType> type = type_after(node);
        for (const Value& output : node.outputs()) {
          if (output.name().empty()) continue;
          const bool has_rule = type && (&output == node.output(0) || node.is("Split"));
          types_.set(output, allowed(has_rule ? *type : type_without_rule(output)));
        }
      }
    }
    return std::move(types_);
  }

 private:
  DataType allowed(const DataType& type) const {
    const bool is_scaled = type.kind() == DataType::Kind::scaled_integer;
    return is_scaled && !options_.allow_scaled_integers ? DataType() : type;
  }

  DataType input(const Node& node, std::size_t i) const {
    return node.input(i) != nullptr ? types_.of(*node.input(i)) : DataType();
  }

  /// That of the annotation, else that of the dtype. Second outputs are positions, masks, counts and the like.
  DataType type_without_rule(const Value& value) const {
    if (const DataType* const annotated = types_.find(value)) return *annotated;
    if (value.dtype() == DType::boolean) return DataType::binary();
    return integer_of(value.dtype()).value_or(types_.of(value));
  }

  /// Of the first output, and of all of a Split. nullopt if no rule applies.
  std::optional<DataType> type_after(const Node& node) {
    if (is_qonnx_domain(node.domain())) return type_after_own(node);
    if (node.domain() == channels_last_domain) {
      if (node.op_type() == "Conv") return accumulated(node);
      return node.op_type() == "MaxPool" ? std::optional(input(node, 0)) : std::nullopt;
    }
    const std::string_view op = node.op_type();
    constexpr std::array on_integers{std::string_view("ConvInteger"),   std::string_view("MatMulInteger"),
                                     std::string_view("QGemm"),         std::string_view("QLinearConv"),
                                     std::string_view("QLinearMatMul"), std::string_view("QuantizeLinear")};
    if (std::find(on_integers.begin(), on_integers.end(), op) != on_integers.end())
      return integer_of(node.output(0)->dtype());
    if (!node.domain().empty()) return std::nullopt;
    if (op == "Sign") return DataType::ternary();
    if (op == "DequantizeLinear") {
      const Value* const x = node.input(0);
      const std::optional<DataType> type = x != nullptr ? integer_of(x->dtype()) : std::nullopt;
      return type ? DataType::scaled_integer(type->bits()) : DataType();
    }
    if (op == "Resize" || op == "Upsample") {
      if (node.attr<std::string>("mode").value_or("nearest") == "nearest") return input(node, 0);
      return std::nullopt;
    }
    constexpr std::array products{std::string_view("Add"),    std::string_view("Conv"), std::string_view("Gemm"),
                                  std::string_view("MatMul"), std::string_view("Mul"),  std::string_view("Sub")};
    if (std::find(products.begin(), products.end(), op) != products.end()) return accumulated(node);
    if (op == "Concat") return type_after_concat(node);
    if (op == "Pad") return pads_within_type(node) ? input(node, 0) : DataType();
    if (op.starts_with("Scatter")) return scatters_within_type(node) ? input(node, 0) : DataType();
    if (takes_elements(node) || op == "Clip") return input(node, 0);
    return std::nullopt;
  }

  DataType type_after_concat(const Node& node) const {
    const DataType first = input(node, 0);
    for (std::size_t i = 1; i < node.input_count(); ++i)
      if (input(node, i) != first) return {};
    return first;
  }

  /// Whether all elements of a constant have that type; with an unknown scale, only 0 does.
  bool is_all_of(const Value* value, const DataType& type) {
    const std::optional<Tensor> constant = constants_.find(value);
    if (!constant) return false;
    const std::vector<float> values = constant->to<float>();
    const bool is_scaled = type.kind() == DataType::Kind::scaled_integer;
    return std::all_of(values.begin(), values.end(),
                       [&](float number) { return is_scaled ? number == 0 : type.allows(number); });
  }

  bool pads_within_type(const Node& node) {
    const DataType type = input(node, 0);
    if (node.attr<std::string>("mode").value_or("constant") != "constant") return true;
    if (node.input(2) != nullptr) return is_all_of(node.input(2), type);
    const float number = node.attr<float>("value").value_or(0);
    return type.kind() == DataType::Kind::scaled_integer ? number == 0 : type.allows(number);
  }

  bool scatters_within_type(const Node& node) {
    if (node.attr<std::string>("reduction").value_or("none") != "none") return false;
    return input(node, 2) == input(node, 0) || is_all_of(node.input(2), input(node, 0));
  }

  std::optional<DataType> type_after_own(const Node& node) {
    if (is_quant(node)) return type_after_quant(node);
    if (is_bipolar_quant(node)) return is_all(node, 1, 1) ? DataType::bipolar() : DataType();
    if (is_op(node, "FloatQuant")) return type_after_float_quant(node);
    if (is_op(node, "Trunc")) return DataType();
    if (is_op(node, "MultiThreshold")) {
      const float scale = node.attr<float>("out_scale").value_or(1), bias = node.attr<float>("out_bias").value_or(0);
      if (std::nearbyint(scale) != scale || std::nearbyint(bias) != bias) return DataType();
      const std::string name = node.attr<std::string>("out_dtype").value_or("");
      if (name.empty()) return DataType();
      if (const std::optional<DataType> type = DataType::parse(name)) return type;
      throw Error("there is no data type \"" + name + "\"").node(display_name(node)).field("out_dtype");
    }
    if (is_op(node, "QuantAvgPool2d")) {
      const auto bits = static_cast<int>(node.attr<std::int64_t>("obits").value_or(0));
      if (bits < 1) return std::nullopt;
      const bool has_sign = node.attr<std::int64_t>("signed").value_or(0) != 0;
      return has_sign ? DataType::integer(bits) : DataType::unsigned_integer(bits);
    }
    if (is_op(node, "XnorPopcountMatMul")) return DataType::unsigned_integer(32);
    if (is_op(node, "Im2Col") || is_op(node, "MaxPoolNHWC") || is_op(node, "DebugMarker")) return input(node, 0);
    return std::nullopt;
  }

  DataType type_after_quant(const Node& node) {
    const std::optional<int> bits = integer(node, 3);
    if (!bits || *bits < 1 || !is_all(node, 2, 0) || !constants_.find(node.input(1))) return {};
    if (!is_all(node, 1, 1)) return DataType::scaled_integer(*bits);
    if (is_signed(node)) return *bits == 1 ? DataType::bipolar() : DataType::integer(*bits);
    return DataType::unsigned_integer(*bits);
  }

  DataType type_after_float_quant(const Node& node) {
    const std::optional<int> exponent = integer(node, 2), mantissa = integer(node, 3), bias = integer(node, 4);
    if (!exponent || !mantissa || !bias || !is_all(node, 1, 1)) return {};
    if (*exponent < 1 || *exponent > 8 || *mantissa < 0) return {};
    return DataType::minifloat(*exponent, *mantissa, *bias);
  }

  /// The integer in a constant of one element.
  std::optional<int> integer(const Node& node, std::size_t i) {
    const std::optional<Tensor> constant = constants_.find(node.input(i));
    if (!constant || constant->size() != 1) return std::nullopt;
    const auto value = constant->item<float>();
    if (std::nearbyint(value) != value || std::fabs(value) > 1024) return std::nullopt;
    return static_cast<int>(value);
  }

  /// Whether all elements of a constant are this number.
  bool is_all(const Node& node, std::size_t i, float number) {
    const std::optional<Tensor> constant = constants_.find(node.input(i));
    if (!constant) return false;
    const std::vector<float> values = constant->to<float>();
    return std::all_of(values.begin(), values.end(), [number](float value) { return value == number; });
  }

  /// The type of products and sums: wide enough for any.
  DataType accumulated(const Node& node) const {
    if (const std::optional<DataType> type = integer_of(node.output(0)->dtype())) return *type;
    bool are_integers = true, are_scaled = true, has_sign = node.op_type() == "Sub";
    for (const Value* const input : node.inputs()) {
      if (input == nullptr) continue;
      const DataType type = types_.of(*input);
      are_integers = are_integers && type.is_integer();
      are_scaled = are_scaled && type.is_scaled_integer();
      has_sign = has_sign || type.is_signed();
    }
    if (are_integers) return has_sign ? DataType::integer(32) : DataType::unsigned_integer(32);
    return are_scaled ? DataType::scaled_integer(32) : DataType();
  }

  static std::optional<DataType> integer_of(DType dtype) {
    if (!graft::is_integer(dtype)) return std::nullopt;
    const auto bits = static_cast<int>(graft::bits(dtype));
    return is_signed_integer(dtype) ? DataType::integer(bits) : DataType::unsigned_integer(bits);
  }

  Graph& graph_;
  DataTypeOptions options_;
  Constants constants_;
  DataTypes types_;
};

}  // namespace detail

GRAFT_INLINE DataTypes infer_data_types(Graph& graph, const DataTypeOptions& options) {
  const detail::TypedGraph typed(graph);
  return detail::DataTypeInference(graph, options).run();
}

GRAFT_INLINE Pass infer_data_types(const DataTypeOptions& options) {
  return pass("infer_data_types",
              [options](Graph& graph, Context& context) {
                context.facts.provide(infer_data_types(graph, options));
                return Report();
              })
      .provides<DataTypes>()
      .preserves_all();
}

}  // namespace graft::inline v1::qonnx
