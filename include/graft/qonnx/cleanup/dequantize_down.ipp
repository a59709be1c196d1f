#pragma once
#include <graft/qonnx/cleanup/dequantize_down.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/cleanup/detail/float_constant.hpp>
#include <graft/qonnx/cleanup/detail/integer_values.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// The product of integers and a constant.
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

/// Moves scales behind nodes that compute with integers.
class ScaleSink {
 public:
  Verdict run(Node& node, Rewriter& rewriter) {
    node_ = &node;
    rewriter_ = &rewriter;
    if (is_quantizer(node) || node.is("DequantizeLinear")) return take_out_scale(node, rewriter);
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

  Scaled scaled(const Value& value) {
    const Node* const mul = value.producer();
    if (mul == nullptr || !mul->is("Mul")) return {};
    for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
      const std::optional<Tensor> factor = floats_of(mul->input(i));
      Value* const other = mul->input(1 - i);
      if (!factor || other->constant() || factor->size() == 0 || !integers_.contains(*other)) continue;
      const Shape shape = other->shape();
      // The broadcast by the scale would be lost.
      if (!shape.known() || factor->rank() > shape.rank()) {
        if (factor->size() != 1 || !shape.known()) continue;
      } else if (factor->size() != 1) {
        bool is_aligned = true;
        const Dims dims = at_rank(*factor, shape.rank()).dims();
        for (std::size_t k = 0; k < dims.size(); ++k) is_aligned &= dims[k] == 1 || same_size(shape[k], Dim(dims[k]));
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

  /// The operand whose scale a product can move: its data if they have one scale, else its weight.
  std::pair<std::size_t, Scaled> scaled_operand() {
    Scaled data = scaled(*input(0));
    if (data && data.is_scalar()) return {0, std::move(data)};
    return {1, scaled(*input(1))};
  }

  /// Adds the bias, if there is one, to the scaled result.
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
      if (!other || !other.factor.same_bytes(first.factor)) return Verdict::no("the operands have different scales");
      integers.emplace_back(i, other.integers);
    }
    return finish(with_inputs(integers, node_->input_count()), first, first.factor);
  }

  Verdict past_mul() {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const Scaled from = scaled(*input(i));
      const std::optional<Tensor> other = floats_of(input(1 - i));
      if (!from || !other) continue;
      const Shape shape = from.integers->shape();
      if (other->rank() > shape.rank() && other->size() != 1) return Verdict::no("the other factor broadcasts");
      const Tensor& longer = from.is_scalar() ? *other : from.factor;
      const Tensor& shorter = from.is_scalar() ? from.factor : *other;
      if (shorter.size() != 1 && at_rank(shorter, shape.rank()).dims() != at_rank(longer, shape.rank()).dims())
        return Verdict::no("the factors are along different axes");
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
    } else if (moves_elements(*node_) || node_->is("ReduceSum") || node_->is("ReduceMean") || pads_by_0(*node_)) {
      if (!from.is_scalar()) return Verdict::no("the scale is not one element");
    } else {
      return Verdict::no("a scale does not go past this operator");
    }
    return finish(with_inputs({{0, from.integers}}, node_->input_count()), from, factor);
  }

  Node* node_ = nullptr;
  Rewriter* rewriter_ = nullptr;
  IntegerValues integers_;
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
