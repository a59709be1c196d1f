#pragma once
#include <graft/qonnx/convert/qdq_to_quant.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qonnx/convert/detail/check_quantizer.hpp>
#include <graft/qonnx/convert/detail/dequantized_integers.hpp>
#include <graft/qonnx/convert/detail/quantize_constant.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {
namespace detail {

/// The attributes by which a Quant gives its range of integers.
struct IntegerFormat {
  float bits = 8;
  bool is_signed = true, is_narrow = false;
};

/// The bit width, signed and narrow for which the rounded bounds are these: a whole number of bits if there is one,
/// else, if allowed, a fraction. nullopt if there is none.
std::optional<IntegerFormat> bit_width_of(std::int64_t lowest, std::int64_t highest, bool allow_fractions);

/// The least whole number of bits that holds these integers; narrow if a signed range does not use its lowest value.
IntegerFormat least_bit_width(std::int64_t lowest, std::int64_t highest);

inline constexpr int max_bits = 32;

/// Whether a Quant of that width rounds to these integers, in float32. One signed bit is -1 or 1 without 0.
inline bool is_range(const IntegerFormat& width, std::int64_t lowest, std::int64_t highest) {
  if (is_bipolar(width.bits, width.is_signed)) return false;
  const IntegerRange range = integer_range(width.bits, width.is_signed, width.is_narrow);
  return graft::detail::round_half_even(range.min) == static_cast<double>(static_cast<float>(lowest)) &&
         graft::detail::round_half_even(range.max) == static_cast<double>(static_cast<float>(highest));
}

GRAFT_INLINE std::optional<IntegerFormat> bit_width_of(std::int64_t lowest, std::int64_t highest,
                                                       bool allow_fractions) {
  const bool is_signed = lowest < 0;
  for (int bits = 1; bits <= max_bits; ++bits)
    for (const bool is_narrow : {false, true})
      if (const IntegerFormat width{static_cast<float>(bits), is_signed, is_narrow}; is_range(width, lowest, highest))
        return width;
  if (!allow_fractions || highest < 0) return std::nullopt;
  // -2^(n-1) to 2^(n-1) - 1 and, narrow, from one more; 0 to 2^n - 1. A range that rounds to [-1, 0] must not have one
  // bit.
  const auto magnitude = static_cast<float>(highest + 1);
  IntegerFormat width{std::log2(magnitude) + (is_signed ? 1.0F : 0.0F), is_signed, is_signed && lowest == -highest};
  if (is_signed && highest == 0) width.bits = 1.25F;
  return is_range(width, lowest, highest) ? std::optional(width) : std::nullopt;
}

GRAFT_INLINE IntegerFormat least_bit_width(std::int64_t lowest, std::int64_t highest) {
  const bool is_signed = lowest < 0;
  for (int bits = is_signed ? 2 : 1; bits <= max_bits; ++bits) {
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    if (!is_signed && highest < 2 * half) return {static_cast<float>(bits), false, false};
    if (is_signed && lowest >= -half && highest < half) return {static_cast<float>(bits), true, lowest > -half};
  }
  return {max_bits, is_signed, false};
}

/// (q - z) * s as DequantizeLinear computes it: the difference in int32, then in float32.
inline Tensor dequantized(const Tensor& integers, const DequantizedIntegers& from) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(integers.size()));
  std::size_t run = 1;  // number of consecutive elements with the same scale
  if (from.axis) {
    const std::span dims(integers.dims());
    run = static_cast<std::size_t>(element_count(dims.last(static_cast<std::size_t>(-*from.axis) - 1)));
  }
  for (const std::int64_t integer : integers.to<std::int64_t>()) {
    const std::size_t channel = values.size() / run % from.scales.size();
    values.push_back(static_cast<float>(integer - from.zero_points[channel]) * from.scales[channel]);
  }
  return Tensor::of<float>(integers.dims(), values);
}

/// One run of the pass.
class QdqToQuant {
 public:
  QdqToQuant(std::string_view name, Graph& graph, Context& context, const QdqToQuantOptions& options)
      : graph_(graph), context_(context), options_(options), rewriter_(graph, context) {
    report_.rules.push_back({std::string(name)});
  }

  Report run() {
    for (Graph* const scope : scopes_of(graph_))
      for (Node& node : scope->nodes()) {
        if (!is_dequantize(node) || !node.output(0)->is_used()) continue;
        if (context_.is_cancelled()) report_.outcome = Outcome::cancelled;
        if (report_.converged()) visit(node);
      }
    if (report_.changes != 0) graph_.model().drop_unused_opset("com.microsoft");
    return std::move(report_);
  }

 private:
  /// A converted DequantizeLinear: its integers and its result.
  struct Converted {
    Graph* graph;
    DequantizedIntegers from;
    Value* result;
  };

  void visit(Node& node) {
    RuleCount& count = report_.rules.front();
    ++count.tried;
    rewriter_.at(node);
    const std::string called = display_name(node);
    std::string why;
    try {
      const std::optional<DequantizedIntegers> from = dequantized_integers(node, why);
      if (Value* const result = from ? convert(node, *from, why) : nullptr) {
        Graph& graph = node.graph();
        Verdict done = rewriter_.replace(*node.output(0), *result);
        if (done) done = rewriter_.accept();
        if (done) {
          ++count.applied;
          ++report_.changes;
          if (from->x != nullptr) {
            const auto is_zero = [](std::int64_t zero_point) { return zero_point == 0; };
            if (!std::ranges::all_of(from->zero_points, is_zero)) report_.notes.push_back(inexactness(called));
            converted_[from->x].push_back({&graph, *from, result});
          }
          return;
        }
        why = to_string(done.reason());
      }
    } catch (const Error& error) {
      why = error.what();
    }
    rewriter_.rollback();
    ++count.declined;
    if (context_.refusals) report_.refusals.push_back({count.rule, called, why});
  }

  Value* convert(const Node& node, const DequantizedIntegers& from, std::string& why) {
    if (from.constant) return convert_constant(node, from, why);
    if (!zero_points_are_taken(from, why)) return nullptr;
    for (const Converted& other : converted_[from.x])  // another reader of the same integers
      if (other.graph == &node.graph() && is_same(other.from, from) && !other.result->erased()) return other.result;
    std::optional<IntegerFormat> width = bit_width_of(from.lowest, from.highest, options_.fractional_bits);
    const bool clips = !width;
    if (clips) width = bit_width_of(lowest(from.dtype), highest(from.dtype), false);
    Value& quantized = insert(*from.x, from, *width);
    if (!clips) return &quantized;
    const std::string range = std::to_string(from.lowest) + " to " + std::to_string(from.highest);
    const float scale = from.scales.front();
    if (from.scales.size() != 1) {
      why = "its range " + range + " is that of no bit width, and the Clip that remains has no bounds for each channel";
      return nullptr;
    }
    const auto bound = [&](std::int64_t integer) {
      const float value = static_cast<float>(integer - from.zero_points.front()) * scale;
      return &rewriter_.constant(Tensor::scalar(value), "bound");
    };
    return &rewriter_.op("Clip", {&quantized, bound(from.lowest), bound(from.highest)});
  }

  static bool is_same(const DequantizedIntegers& a, const DequantizedIntegers& b) {
    return a.dtype == b.dtype && a.lowest == b.lowest && a.highest == b.highest && a.scales == b.scales &&
           a.zero_points == b.zero_points && a.axis == b.axis;
  }

  Value* convert_constant(const Node& node, const DequantizedIntegers& from, std::string& why) {
    std::optional<IntegerFormat> width = bit_width_of(from.lowest, from.highest, options_.fractional_bits);
    const std::vector<std::int64_t> integers = from.constant->to<std::int64_t>();
    const bool is_sum = from.dtype == DType::i32 || from.dtype == DType::u32;
    if (options_.least_bits_of_constants && !integers.empty() && !is_sum) {
      const auto [lowest, highest] = std::ranges::minmax(integers);
      width = least_bit_width(lowest, highest);
    }
    if (!width) width = bit_width_of(lowest(from.dtype), highest(from.dtype), false);
    const Tensor values = dequantized(*from.constant, from);
    const Quantizer quantizer = quantizer_from(from, *width);
    if (!quantize_constant(values, quantizer).values.same_bytes(values)) {
      why = "its integers are too large for float32";
      return nullptr;
    }
    Value& x = rewriter_.constant(values, node.input(0)->name());
    return &insert(x, from, *width);
  }

  bool zero_points_are_taken(const DequantizedIntegers& from, std::string& why) const {
    for (const std::int64_t zero_point : from.zero_points)
      if (why.empty()) why = why_not_taken(static_cast<float>(zero_point), options_.zero_points);
    return why.empty();
  }

  static Quantizer quantizer_from(const DequantizedIntegers& from, const IntegerFormat& width) {
    return {from.scale(),    from.zero_point(), Tensor::scalar(width.bits),
            width.is_signed, width.is_narrow,   RoundingMode::half_even};
  }

  /// Inserts a Quant of x; see insert_quant().
  Value& insert(Value& x, const DequantizedIntegers& from, const IntegerFormat& width) {
    const Quantizer quantizer = quantizer_from(from, width);
    const std::string hint(x.name());
    return rewriter_.op(std::string(domain) + "::Quant",
                        {&x, &rewriter_.constant(quantizer.scale, hint + "_scale"),
                         &rewriter_.constant(quantizer.zero_point, hint + "_zero_point"),
                         &rewriter_.constant(quantizer.bits, hint + "_bits")},
                        attributes_of(quantizer));
  }

  Graph& graph_;
  Context& context_;
  QdqToQuantOptions options_;
  Rewriter rewriter_;
  Report report_;
  std::unordered_map<const Value*, std::vector<Converted>> converted_;  // by x
};

}  // namespace detail

GRAFT_INLINE Pass qdq_to_quant(const QdqToQuantOptions& options) {
  const std::string name = "qdq_to_quant";
  const auto run = [name, options](Graph& graph, Context& context) {
    infer_shapes(graph, context.infer_options());
    return detail::QdqToQuant(name, graph, context, options).run();
  };
  return detail::knowing_qonnx(pass(name, run).preserves_all());
}

}  // namespace graft::inline v1::qonnx
