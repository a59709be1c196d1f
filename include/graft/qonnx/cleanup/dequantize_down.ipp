#pragma once
#include <graft/qonnx/cleanup/dequantize_down.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/detail/bias_operand.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// A value that Mul makes of integers and a constant.
struct Scaled {
  Value* integers = nullptr;
  Value* scale = nullptr;
  Tensor factor{};

  explicit operator bool() const { return integers != nullptr; }
  bool is_scalar() const { return factor.size() == 1; }
  bool is_positive() const {
    const std::vector<float> values = factor.to<float>();
    return std::ranges::all_of(values, [](float value) { return value > 0; });
  }
};

inline bool is_any(const Node& node, const auto& ops) {
  return node.domain().empty() && std::ranges::find(ops, node.op_type()) != ops.end();
}

inline bool are_ones(const Tensor& x) {
  const std::vector<float> values = x.to<float>();
  return std::ranges::all_of(values, [](float value) { return value == 1; });
}

inline constexpr std::array<std::string_view, 10> movements{"Reshape", "Flatten", "Squeeze",   "Unsqueeze", "Slice",
                                                            "Gather",  "Expand",  "Transpose", "Identity",  "Tile"};

/// Moves scales behind what computes with integers.
class ScaleSink {
 public:
  Verdict run(Node& node, Rewriter& rewriter) {
    node_ = &node;
    rewriter_ = &rewriter;
    if (is_quantizer(node) || node.is("DequantizeLinear")) return take_out_scale();
    if (node.output_count() == 0) return not_concerned();
    bool is_scaled = false;
    for (const Value* const input : node.inputs()) is_scaled |= input != nullptr && scaled(*input);
    if (!is_scaled) return not_concerned();
    if (node.is("MatMul")) return past_matmul();
    if (node.is("Gemm")) return past_gemm();
    if (node.is("Conv") || node.is(OpName{channels_last_domain, "Conv"})) return past_conv();
    if (is_any(node, std::array<std::string_view, 5>{"Add", "Sub", "Concat", "Max", "Min"})) return past_joint();
    if (node.is("Mul")) return past_mul();
    return past_unary();
  }

 private:
  Value* input(std::size_t i) const { return node_->input(i); }

  static std::optional<Tensor> floats(const Value* value) {
    std::optional<Tensor> tensor = value != nullptr ? value->constant() : std::nullopt;
    if (tensor && tensor->dtype() != DType::f32) tensor.reset();
    return tensor;
  }

  /// Before: a quantizer of any scale. After: one of scale 1, and Mul.
  Verdict take_out_scale() {
    if (is_op(*node_, "FloatQuant")) return Verdict::no("it makes floats");
    if (is_op(*node_, "Trunc") && node_->input_count() != 5) return Verdict::no("it has a scale of its result");
    const std::optional<Tensor> scale = floats(input(1));
    if (!scale) return Verdict::no("its scale is not a float32 constant");
    if (are_ones(*scale)) return not_concerned();
    const std::vector<float> values = scale->to<float>();
    if (!std::ranges::all_of(values, [](float value) { return value > 0 && std::isfinite(value); }))
      return Verdict::no("its scale is not positive");
    std::vector<Value*> inputs(node_->inputs().begin(), node_->inputs().end());
    const bool is_linear = node_->is("DequantizeLinear");
    Dims dims = scale->dims();
    Tensor factor = *scale;
    if (is_linear) {
      const Shape shape = input(0)->shape();
      if (node_->attr<std::int64_t>("block_size").value_or(0) != 0) return Verdict::no("it scales blocks");
      if (node_->output(0)->dtype() != DType::f32) return Verdict::no("its result is not float32");
      if (scale->size() != 1) {
        std::int64_t axis = node_->attr<std::int64_t>("axis").value_or(1);
        if (axis < 0) axis += static_cast<std::int64_t>(shape.rank());
        if (!shape.known() || axis < 0 || axis >= static_cast<std::int64_t>(shape.rank()) || scale->rank() != 1)
          return Verdict::no("the axis of its scale is not known");
        Dims aligned(shape.rank(), 1);
        aligned[static_cast<std::size_t>(axis)] = scale->size();
        factor = scale->reshaped(std::move(aligned));
      } else {
        factor = scale->reshaped({});
      }
    } else if (!is_op(*node_, "BipolarQuant")) {
      inputs[0] = &divided(*input(0), *scale);
      dims.clear();
    } else {
      dims.clear();
    }
    if (is_linear && scale->size() == 1) dims = scale->dims();
    const std::vector<float> ones(static_cast<std::size_t>(element_count(dims)), 1.0F);
    inputs[1] = &rewriter_->constant(Tensor::of<float>(dims, ones), "one");
    Value& integers = *rewriter_->clone(*node_, inputs).output(0);
    return finish(integers, rewriter_->constant(factor, input(1)->name()));
  }

  Value& divided(Value& x, const Tensor& scale) {
    const std::optional<Tensor> contents = floats(&x);
    if (contents && scale.rank() <= contents->rank()) {
      if (std::optional<Tensor> quotient = divided(*contents, at_rank(scale, contents->rank())))
        return rewriter_->constant(*std::move(quotient), x.name());
    }
    return rewriter_->op("Div", {&x, input(1)});
  }

  /// Broadcast to x, of the same rank; nullopt if x would be broadcast.
  static std::optional<Tensor> divided(const Tensor& x, const Tensor& scale) {
    std::vector<float> values = x.to<float>();
    const std::span<const float> factors = scale.data<float>();
    std::vector<std::size_t> strides(x.rank());
    std::size_t stride = 1;
    for (std::size_t i = x.rank(); i-- > 0;) {
      if (scale.dims()[i] != 1 && scale.dims()[i] != x.dims()[i]) return std::nullopt;
      strides[i] = scale.dims()[i] == 1 ? 0 : stride;
      stride *= static_cast<std::size_t>(scale.dims()[i]);
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::size_t rest = k, at = 0;
      for (std::size_t i = x.rank(); i-- > 0;) {
        const auto extent = static_cast<std::size_t>(x.dims()[i]);
        at += rest % extent * strides[i];
        rest /= extent;
      }
      values[k] /= factors[at];
    }
    return Tensor::of<float>(x.dims(), values);
  }

  /// Whether the value holds integers, whatever it is fed. Each value is looked at once: edits keep what it is, and the
  /// graph gives no two values one address. Without recursion, for graphs may be deep.
  bool is_integer(const Value& value) {
    std::vector<const Value*> open{&value};
    while (!open.empty()) {
      const Value& next = *open.back();
      const std::optional<bool> found = integers_.contains(&next) ? integers_.at(&next) : find_integer(next, open);
      if (!found) continue;  // an input that comes first is on the stack now
      integers_.emplace(&next, *found);
      open.pop_back();
    }
    return integers_.at(&value);
  }

  static bool are_integers(const Value& constant) {
    const std::optional<Tensor> tensor = floats(&constant);
    if (!tensor) return false;
    const std::vector<float> values = tensor->to<float>();
    return std::ranges::all_of(values, [](float x) { return x == std::rint(x); });
  }

  static bool makes_integers(const Node& quantizer) {
    const std::optional<Tensor> scale = floats(quantizer.input(1));
    if (!scale || !are_ones(*scale)) return false;
    if (quantizer.is("DequantizeLinear")) return graft::is_integer(quantizer.input(0)->dtype());
    if (is_op(quantizer, "Trunc") && quantizer.input_count() != 5) return false;
    return is_op(quantizer, "BipolarQuant") || (quantizer.input(2) != nullptr && are_integers(*quantizer.input(2)));
  }

  /// nullopt if an input must be known first, which is put on the stack.
  std::optional<bool> find_integer(const Value& value, std::vector<const Value*>& open) const {
    if (floats(&value)) return are_integers(value);
    const Node* const node = value.producer();
    if (node == nullptr || node->output_count() == 0) return false;
    if ((is_quantizer(*node) && !is_op(*node, "FloatQuant")) || node->is("DequantizeLinear"))
      return makes_integers(*node);
    std::size_t read = 0;
    if (is_any(*node, movements) || node->is("Relu") || node->is("MaxPool") || node->is("ReduceSum") ||
        node->is(OpName{channels_last_domain, "MaxPool"}) || pads_by_0(*node)) {
      if (value.index() != 0) return false;
      read = 1;
    } else if (node->is("Conv") || node->is(OpName{channels_last_domain, "Conv"}) || node->is("MatMul") ||
               is_any(*node, std::array<std::string_view, 6>{"Add", "Sub", "Mul", "Concat", "Max", "Min"})) {
      read = node->input_count();
    } else {
      return false;
    }
    for (std::size_t i = 0; i < read; ++i) {
      const Value* const input = node->input(i);
      if (input == nullptr) continue;
      const auto known = integers_.find(input);
      if (known != integers_.end() && !known->second) return false;
      if (known != integers_.end()) continue;
      open.push_back(input);
      return std::nullopt;
    }
    return true;
  }

  static bool pads_by_0(const Node& node) {
    if (!node.is("Pad") || node.attr<std::string>("mode").value_or("constant") != "constant") return false;
    if (node.attribute("value") != nullptr) return node.attr<float>("value") == 0.0F;
    if (node.input(2) == nullptr) return true;
    const std::optional<Tensor> value = node.input(2)->constant();
    return value && value->size() == 1 && value->item<double>() == 0;
  }

  Scaled scaled(const Value& value) {
    const Node* const mul = value.producer();
    if (mul == nullptr || !mul->is("Mul")) return {};
    for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
      const std::optional<Tensor> factor = floats(mul->input(i));
      Value* const other = mul->input(1 - i);
      if (!factor || other->constant() || factor->size() == 0 || !is_integer(*other)) continue;
      const Shape shape = other->shape();
      // Broadcasting by the scale would be lost.
      if (!shape.known() || factor->rank() > shape.rank()) {
        if (factor->size() != 1 || !shape.known()) continue;
      } else if (factor->size() != 1) {
        bool is_aligned = true;
        const Dims dims = at_rank(*factor, shape.rank()).dims();
        for (std::size_t k = 0; k < dims.size(); ++k)
          is_aligned &= dims[k] == 1 || same_size(shape[k], Dim(dims[k]));
        if (!is_aligned) continue;
      }
      if (factor->size() == 1) return {other, mul->input(i), factor->reshaped({})};
      return {other, mul->input(i), at_rank(*factor, shape.rank())};
    }
    return {};
  }

  Verdict finish(Value& integers, Value& factor) {
    return rewriter_->replace(*node_->output(0), rewriter_->op("Mul", {&integers, &factor}));
  }
  Verdict finish(Value& integers, const Scaled& from, const Tensor& factor) {
    return finish(integers, rewriter_->constant(factor, from.scale->name()));
  }

  Value& with_inputs(const std::vector<std::pair<std::size_t, Value*>>& others, std::size_t count) {
    std::vector<Value*> inputs(node_->inputs().begin(), node_->inputs().end());
    inputs.resize(std::min(count, inputs.size()));
    for (const auto& [i, value] : others) inputs[i] = value;
    return *rewriter_->clone(*node_, inputs).output(0);
  }

  Verdict past_matmul() {
    if (input(0)->shape().rank() < 2 || input(1)->shape().rank() < 2) return Verdict::no("an operand is of rank 1");
    if (const Scaled rows = scaled(*input(0)); rows && (rows.is_scalar() || rows.factor.dims().back() == 1))
      return finish(with_inputs({{0, rows.integers}}, 2), rows, rows.factor);
    if (const Scaled columns = scaled(*input(1))) {
      const Dims& dims = columns.factor.dims();
      if (columns.is_scalar() || dims[dims.size() - 2] == 1)
        return finish(with_inputs({{1, columns.integers}}, 2), columns, columns.factor);
    }
    return Verdict::no("the scale differs along the axis that is summed over");
  }

  /// The operand that a product is scaled by instead: its data if they have one scale, else its weight.
  std::pair<std::size_t, Scaled> scaled_operand() {
    Scaled data = scaled(*input(0));
    if (data && data.is_scalar()) return {0, std::move(data)};
    return {1, scaled(*input(1))};
  }

  /// Adds the bias, if there is one, to what is scaled.
  Verdict finish_product(std::size_t at, const Scaled& from, const Tensor& factor, Value* addend) {
    Value& product = with_inputs({{at, from.integers}}, 2);
    if (addend == nullptr) return finish(product, from, factor);
    Value& floats_again = rewriter_->op("Mul", {&product, &rewriter_->constant(factor, from.scale->name())});
    return rewriter_->replace(*node_->output(0), rewriter_->op("Add", {&floats_again, addend}));
  }

  Verdict past_gemm() {
    if (input(2) != nullptr && node_->attr<float>("beta").value_or(1) != 1) return Verdict::no("its beta is not 1");
    const auto [at, from] = scaled_operand();
    if (!from) return Verdict::no("the scale differs along an axis that is summed over");
    Tensor factor = from.factor;
    if (!from.is_scalar()) {
      const bool is_transposed = node_->attr<std::int64_t>("transB").value_or(0) != 0;
      if (factor.dims()[is_transposed ? 1 : 0] != 1)
        return Verdict::no("the scale differs along the axis that is summed over");
      factor = factor.reshaped({1, factor.size()});
    }
    return finish_product(at, from, factor, input(2));
  }

  Verdict past_conv() {
    const std::size_t rank = input(1)->shape().rank();
    if (rank < 3) return Verdict::no("the rank of its weight is not known");
    const bool is_last = !node_->domain().empty();
    const auto [at, from] = scaled_operand();
    if (!from) return Verdict::no("the scale of its input differs from channel to channel");
    Tensor factor = from.factor;
    if (!from.is_scalar()) {
      if (factor.dims()[0] != factor.size()) return Verdict::no("the scale differs within an output channel");
      Dims dims(rank, 1);
      dims[is_last ? rank - 1 : 1] = factor.size();
      factor = factor.reshaped(std::move(dims));
    }
    const bool is_flat = input(2) != nullptr && !is_last;
    return finish_product(at, from, factor, is_flat ? &bias_operand(*input(2), rank, *rewriter_) : input(2));
  }

  Verdict past_joint() {
    const Scaled first = scaled(*input(0));
    if (!first || !first.is_scalar()) return Verdict::no("an operand has no scale of one element");
    if ((node_->is("Max") || node_->is("Min")) && !first.is_positive()) return Verdict::no("the scale is not positive");
    std::vector<std::pair<std::size_t, Value*>> integers{{0, first.integers}};
    for (std::size_t i = 1; i < node_->input_count(); ++i) {
      const Scaled other = scaled(*input(i));
      if (!other || !other.factor.same_bytes(first.factor)) return Verdict::no("the operands have unlike scales");
      integers.emplace_back(i, other.integers);
    }
    return finish(with_inputs(integers, node_->input_count()), first, first.factor);
  }

  Verdict past_mul() {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const Scaled from = scaled(*input(i));
      const std::optional<Tensor> other = floats(input(1 - i));
      if (!from || !other) continue;
      const Shape shape = from.integers->shape();
      if (other->rank() > shape.rank() && other->size() != 1) return Verdict::no("the other factor broadcasts");
      const Tensor& longer = from.is_scalar() ? *other : from.factor;
      const Tensor& shorter = from.is_scalar() ? from.factor : *other;
      if (shorter.size() != 1 && at_rank(shorter, shape.rank()).dims() != at_rank(longer, shape.rank()).dims())
        return Verdict::no("the factors are along unlike axes");
      std::vector<float> values = longer.to<float>();
      const std::vector<float> factors = shorter.to<float>();
      for (std::size_t k = 0; k < values.size(); ++k) values[k] *= factors[k % factors.size()];
      return finish(*from.integers, from, Tensor::of<float>(longer.dims(), values));
    }
    return Verdict::no("both factors are computed");
  }

  Verdict past_unary() {
    const Scaled from = input(0) != nullptr ? scaled(*input(0)) : Scaled();
    if (!from) return Verdict::no("the scale stops at an operand other than the first");
    if (node_->output_count() > 1 && node_->output(1)->is_used()) return Verdict::no("it has a second output");
    Tensor factor = from.factor;
    const bool is_max = node_->is("MaxPool") || node_->is(OpName{channels_last_domain, "MaxPool"});
    if (is_max || node_->is("AveragePool") || node_->is("GlobalAveragePool")) {
      if (!from.is_scalar()) {
        const std::size_t channels = node_->domain().empty() ? 1 : factor.rank() - 1;
        if (factor.dims()[channels] != factor.size()) return Verdict::no("the scale differs within a channel");
      }
      if (is_max && !from.is_positive()) return Verdict::no("the scale is not positive");
    } else if (node_->is("Relu") || node_->is("LeakyRelu")) {
      if (!from.is_positive()) return Verdict::no("the scale is not positive");
    } else if (node_->is("Transpose") && !from.is_scalar()) {
      const std::optional<Ints> order = order_of(*node_);
      std::optional<Tensor> permuted = order ? permuted_operand(factor, *order) : std::nullopt;
      if (!permuted) return Verdict::no("the order of its axes is not known");
      factor = *std::move(permuted);
    } else if (is_any(*node_, movements) || node_->is("ReduceSum") || node_->is("ReduceMean") || pads_by_0(*node_)) {
      if (!from.is_scalar()) return Verdict::no("the scale is not one element");
    } else {
      return Verdict::no("a scale does not go past this operator");
    }
    return finish(with_inputs({{0, from.integers}}, node_->input_count()), from, factor);
  }

  Node* node_ = nullptr;
  Rewriter* rewriter_ = nullptr;
  std::unordered_map<const Value*, bool> integers_;
};

}  // namespace detail

GRAFT_INLINE Pass dequantize_down() {
  return pass("dequantize_down", [](Graph& graph, Context& context) {
    detail::ScaleSink sink;
    const auto edit = [&sink](Node& node, Rewriter& rewriter) { return sink.run(node, rewriter); };
    return detail::repeated_node_sweep("dequantize_down", edit).run(graph, context);
  });
}

}  // namespace graft::inline v1::qonnx
