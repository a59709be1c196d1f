#pragma once
#include <graft/qonnx/cost/inference_cost.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/infer_data_types.hpp>
#include <graft/qonnx/detail/constants.hpp>
#include <graft/qonnx/detail/typed_graph.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// The positions of a product's operands and of their zero points; an absent zero point is 0.
struct OperandPlaces {
  std::size_t x = 0, w = 1;
  std::optional<std::size_t> x_zero{}, w_zero{};
};

/// nullopt unless it is a convolution.
inline std::optional<OperandPlaces> operands_of_conv(const Node& node) {
  if (node.is("Conv") || node.is(OpName{channels_last_domain, "Conv"})) return OperandPlaces{};
  if (node.is("ConvInteger")) return OperandPlaces{0, 1, 2, 3};
  if (node.is("QLinearConv")) return OperandPlaces{0, 3, 2, 5};
  return std::nullopt;
}

/// nullopt unless it is a product of matrices.
inline std::optional<OperandPlaces> operands_of_matmul(const Node& node) {
  if (node.is("MatMul") || node.is("Gemm")) return OperandPlaces{};
  if (node.is("MatMulInteger")) return OperandPlaces{0, 1, 2, 3};
  if (node.is("QLinearMatMul") || node.is("com.microsoft::QGemm")) return OperandPlaces{0, 3, 2, 5};
  return std::nullopt;
}

inline double product(std::span<const std::int64_t> dims) {
  double result = 1;
  for (const std::int64_t dim : dims) result *= static_cast<double>(dim);
  return result;
}

/// Counts one graph.
class CostCounter {
 public:
  CostCounter(Graph& graph, const DataTypes& types, const InferenceCostOptions& options)
      : graph_(graph), types_(types), options_(options), constants_(graph) {}

  InferenceCost run() {
    for (const Graph* const scope : with_bodies(graph_))
      for (const Node& node : scope->nodes())
        if (!constants_.has_outputs_of(node)) count(node);
    return std::move(result_);
  }

 private:
  void count(const Node& node) {
    if (const auto operands = operands_of_conv(node)) return count_conv(node, *operands);
    if (const auto operands = operands_of_matmul(node)) return count_matmul(node, *operands);
    if (node.is("Upsample")) return count_upsample(node);
    if (multiplies(node)) ++result_.other_operators[std::string(node.op_type())];
  }

  /// Whether the operator multiplies, or may multiply, more than elementwise. Operators with bodies are counted by
  /// their bodies.
  static bool multiplies(const Node& node) {
    if (is_qonnx_domain(node.domain())) return node.op_type() == "XnorPopcountMatMul";
    if (node.domain() == channels_last_domain) return false;
    if (!node.domain().empty()) return !is_quantizer(node);
    if (node.is("Resize")) return node.attr<std::string>("mode").value_or("nearest") != "nearest";
    constexpr std::array ops{std::string_view("AffineGrid"),
                             std::string_view("Attention"),
                             std::string_view("ConvTranspose"),
                             std::string_view("DFT"),
                             std::string_view("DeformConv"),
                             std::string_view("Det"),
                             std::string_view("Einsum"),
                             std::string_view("GRU"),
                             std::string_view("GlobalLpPool"),
                             std::string_view("GridSample"),
                             std::string_view("GroupNormalization"),
                             std::string_view("InstanceNormalization"),
                             std::string_view("LRN"),
                             std::string_view("LSTM"),
                             std::string_view("LayerNormalization"),
                             std::string_view("LogSoftmax"),
                             std::string_view("LpNormalization"),
                             std::string_view("LpPool"),
                             std::string_view("MeanVarianceNormalization"),
                             std::string_view("RMSNormalization"),
                             std::string_view("RNN"),
                             std::string_view("RoiAlign"),
                             std::string_view("RotaryEmbedding"),
                             std::string_view("STFT"),
                             std::string_view("Softmax")};
    return std::find(ops.begin(), ops.end(), node.op_type()) != ops.end();
  }

  void decline(const Node& node, std::string why) { result_.uncounted.push_back({display_name(node), std::move(why)}); }

  std::optional<Dims> dims(const Node& node, const Value* value, std::string_view what) {
    std::optional<Dims> known = value != nullptr ? value->shape().dims() : std::nullopt;
    if (!known && value != nullptr)
      if (const std::optional<Tensor> constant = constants_.find(value)) known = constant->dims();
    if (!known) decline(node, "the shape of its " + std::string(what) + " is not known");
    return known;
  }

  /// The number of weight elements that count. zero: the zero point; nullptr: 0.
  double weights_that_count(const Value& weight, const Value* zero, double all) {
    if (!options_.discount_sparsity) return all;
    const std::optional<Tensor> constant = constants_.find(&weight);
    if (!constant) return all;
    std::vector<float> zeros{0.0F};
    if (zero != nullptr) {
      const std::optional<Tensor> known = constants_.find(zero);
      zeros = known ? known->to<float>() : std::vector<float>();
    }
    const auto other = [&](float each) { return each != zeros[0]; };
    if (zeros.empty() || std::any_of(zeros.begin(), zeros.end(), other)) return all;
    const std::vector<float> values = constant->to<float>();
    return all - static_cast<double>(std::count(values.begin(), values.end(), zeros[0]));
  }

  /// The integer type of the dtype, unless a narrower type is known.
  DataType type_of(const Value& value) const {
    const DataType type = types_.of(value);
    const DType dtype = value.dtype();
    if (type != DataType() || !graft::is_integer(dtype)) return type;
    const auto bits = static_cast<int>(graft::bits(dtype));
    return is_signed_integer(dtype) ? DataType::integer(bits) : DataType::unsigned_integer(bits);
  }

  DataType activation_type(const Value& value) const {
    const DataType type = type_of(value);
    const bool is_scaled = type.kind() == DataType::Kind::scaled_integer;
    return is_scaled && options_.scaled_activations_as_float ? DataType() : type;
  }

  static const Value* optional_input(const Node& node, std::optional<std::size_t> place) {
    return place ? node.input(*place) : nullptr;
  }

  void count_conv(const Node& node, const OperandPlaces& places) {
    const Value *const x = node.input(places.x), *const w = node.input(places.w);
    const std::optional<Dims> weight = dims(node, w, "weight");
    if (!weight) return;
    const std::optional<Dims> out = dims(node, node.output(0), "output");
    if (!out) return;
    if (weight->size() < 3 || out->size() < 2) return decline(node, "its shapes are not those of a Conv");
    const double terms = product(std::span(*weight).subspan(1));
    add(node, *x, *w, optional_input(node, places.w_zero), terms, product(*out), product(*weight));
  }

  void count_matmul(const Node& node, const OperandPlaces& places) {
    const Value *a = node.input(places.x), *b = node.input(places.w);
    const std::optional<Dims> left = dims(node, a, "first input");
    if (!left) return;
    const std::optional<Dims> right = dims(node, b, "second input");
    if (!right) return;
    const std::optional<Dims> out = dims(node, node.output(0), "output");
    if (!out) return;
    if (left->empty() || right->empty()) return decline(node, "a scalar is not a matrix");
    const bool is_transposed = node.attr<std::int64_t>("transA").value_or(0) != 0;
    const auto terms = static_cast<double>(is_transposed ? left->front() : left->back());
    const bool is_weight_first = constants_.has(*a) && !constants_.has(*b);
    if (is_weight_first) std::swap(a, b);
    add(node, *a, *b, optional_input(node, is_weight_first ? places.x_zero : places.w_zero), terms, product(*out),
        product(is_weight_first ? *left : *right));
  }

  void add(const Node& node, const Value& x, const Value& w, const Value* zero, double terms, double outputs,
           double weights) {
    const bool is_constant = constants_.has(w);
    const double counted = is_constant ? weights_that_count(w, zero, weights) : 0;
    const DataType activation = activation_type(x);
    const DataType weight = is_constant ? type_of(w) : activation_type(w);
    const double all = terms * outputs;
    const double macs = is_constant && weights != 0 ? all * counted / weights : all;
    Cost cost;
    cost.macs[{activation, weight}] = macs;
    cost.weights[weight] = counted;
    cost.outputs[activation_type(*node.output(0))] = outputs;
    if (terms != 0) cost.accumulated_bops = accumulated_bops(macs / terms, terms, 1, activation.bits(), weight.bits());
    add(node, std::move(cost));
  }

  void add(const Node& node, Cost cost) {
    result_.total += cost;
    result_.nodes.push_back({display_name(node), std::string(node.op_type()), std::move(cost)});
  }

  void count_upsample(const Node& node) {
    const std::string mode = node.attr<std::string>("mode").value_or("nearest");
    if (mode != "nearest" && mode != "linear") return decline(node, "there is no mode \"" + mode + "\"");
    const std::optional<Dims> out = dims(node, node.output(0), "output");
    if (!out) return;
    double scaled = 0;
    if (mode == "linear") {
      const auto scales = scales_of(node);
      if (!scales) return decline(node, "its scales are not constant");
      scaled = static_cast<double>(std::count_if(scales->begin(), scales->end(), [](float s) { return s > 1; }));
    }
    const DataType type = activation_type(*node.input(0));
    Cost cost;
    cost.macs[{type, type}] = 2 * scaled * product(*out);
    cost.outputs[activation_type(*node.output(0))] = product(*out);
    add(node, std::move(cost));
  }

  /// An attribute before opset 9.
  std::optional<std::vector<float>> scales_of(const Node& node) {
    if (const std::optional<Tensor> scales = constants_.find(node.input(1))) return scales->to<float>();
    return node.attr<std::vector<float>>("scales");
  }

  Graph& graph_;
  const DataTypes& types_;
  InferenceCostOptions options_;
  Constants constants_;
  InferenceCost result_;
};

/// Formats rows of cells: the first column is left-aligned, others right-aligned.
inline std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::ostringstream text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text << (i == 0 ? "" : "  ") << (i == 0 ? std::left : std::right);
      text << std::setw(static_cast<int>(widths[i])) << row[i];
    }
    text << "\n";
  }
  return text.str();
}

inline std::string whole(double number) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << number;
  return text.str();
}

}  // namespace detail

GRAFT_INLINE InferenceCost inference_cost(Graph& graph, const DataTypes& types, const InferenceCostOptions& options) {
  const detail::TypedGraph typed(graph);
  return detail::CostCounter(graph, types, options).run();
}

GRAFT_INLINE InferenceCost inference_cost(Graph& graph, const InferenceCostOptions& options) {
  return inference_cost(graph, infer_data_types(graph), options);
}

GRAFT_INLINE std::string to_string(const InferenceCost& cost) {
  std::vector<std::vector<std::string>> rows{
      {"node", "operator", "activation", "weight", "MACs", "BOPs", "weight bits", "output bits"}};
  const auto add = [&rows](const std::string& name, const std::string& op, const std::string& activation,
                           const std::string& weight, const Cost& one) {
    rows.push_back({name, op, activation, weight, detail::whole(one.total_macs()), detail::whole(one.total_bops()),
                    detail::whole(one.weight_bits()), detail::whole(one.output_bits())});
  };
  for (const NodeCost& node : cost.nodes) {
    const Operands& types = node.cost.macs.begin()->first;
    add(node.node, node.op_type, to_string(types.activation), to_string(types.weight), node.cost);
  }
  add("total", "", "", "", cost.total);
  std::string text = detail::table(rows);
  for (const InferenceCost::Uncounted& node : cost.uncounted)
    text += "not counted: '" + node.node + "': " + node.why + "\n";
  for (const auto& [op, count] : cost.other_operators)
    text += "not counted: " + op + ", " + std::to_string(count) + " of them\n";
  return text;
}

GRAFT_INLINE std::ostream& operator<<(std::ostream& out, const InferenceCost& cost) { return out << to_string(cost); }

}  // namespace graft::inline v1::qonnx
