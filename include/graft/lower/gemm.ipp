#pragma once
#include <graft/lower/gemm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/gemm.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto gemm_alpha = attr<"alpha", float>;

inline std::vector<double> times_alpha(const Tensor& weights, float factor) {
  std::vector<double> values = weights.to<double>();
  for (double& value : values) value *= static_cast<double>(factor);
  return values;
}

inline Verdict takes_alpha(const Tensor& weights, float factor) {
  if (factor == 1 || factor == 0) return Verdict::no("its alpha is 0 or 1");
  if (!is_float(weights.dtype())) return Verdict::no("its weight is not of a float dtype");
  return fit(times_alpha(weights, factor), weights.dtype());
}

inline bool is_read_once(const Value& weights) { return weights.has_one_use(); }

inline Tensor with_alpha(const Tensor& weights, float factor) {
  return Tensor::of(weights.dtype(), weights.dims(), times_alpha(weights, factor));
}

inline constexpr auto gemm_alpha_into_weight = rule<"gemm-alpha-into-weight">(
    op<"Gemm">(x, w, opt(b)).with(gemm_alpha).as(outer).since(7),
    where(predicate<is_read_once>("its weight is shared")(w), predicate<takes_alpha>("")(w, gemm_alpha)),
    outer(x, tensor<with_alpha>(w, gemm_alpha), opt(b)).with(gemm_alpha = 1.f));

}  // namespace rules

GRAFT_INLINE constinit const RuleView gemm_alpha_into_weight = rules::gemm_alpha_into_weight.view();

namespace detail {

inline Value& transposed_if(bool transposes, Value& matrix, Rewriter& rewriter) {
  if (!transposes) return matrix;
  const std::optional<Tensor> constant = matrix.constant();
  if (constant && constant->rank() == 2 && bits(constant->dtype()) >= 8)
    return rewriter.constant(permuted(*constant, {1, 0}), matrix.name());
  return rewriter.op("Transpose", {&matrix}, {{"perm", Ints{1, 0}}});
}

/// MatMul and Add for a Gemm, over another x.
inline Value& matmul_add(const Node& gemm, Value& x, Rewriter& rewriter) {
  const auto is_set = [&](const char* name) { return gemm.attr<std::int64_t>(name).value_or(0) != 0; };
  const auto scaled = [&](Value& value, const char* name) -> Value& {
    const float factor = gemm.attr<float>(name).value_or(1);
    if (factor == 1) return value;
    const Tensor number = Tensor::scalar(gemm.input(0)->dtype(), factor);
    return rewriter.op("Mul", {&value, &rewriter.constant(number, name)});
  };
  Value& left = transposed_if(is_set("transA"), x, rewriter);
  Value& right = transposed_if(is_set("transB"), *gemm.input(1), rewriter);
  Value& product = scaled(rewriter.op("MatMul", {&left, &right}), "alpha");
  if (gemm.input(2) == nullptr) return product;
  return rewriter.op("Add", {&product, &scaled(*gemm.input(2), "beta")});
}

}  // namespace detail

namespace rules {

inline Verdict is_plain_or_of_floats(const Node& gemm) {
  if (gemm.opset() < 7) return Verdict::no("it needs opset 7");
  const bool is_plain = gemm.attr<float>("alpha").value_or(1) == 1 && gemm.attr<float>("beta").value_or(1) == 1;
  return is_plain || is_float(gemm.input(0)->dtype()) ? Verdict::yes()
                                                      : Verdict::no("its factors are not of a float dtype");
}

inline constexpr auto plain_or_of_floats = predicate<is_plain_or_of_floats>("");

/// Whether the input has the leading extents of the result, all except the last one. One may be unknown, because it
/// follows from the others.
inline bool has_batches_of(const Shape& input, const Shape& result) {
  if (!input.known() || input.rank() < result.rank()) return false;
  std::size_t open = 0;
  for (std::size_t i = 0; i + 1 < result.rank(); ++i) {
    if (same_size(input[i], result[i])) continue;
    if (result[i] != Dim() || input[i] == Dim(0) || ++open > 1) return false;
  }
  return true;
}

inline Verdict keeps_rows(const Value& input, const Node& gemm, const Node& last) {
  const Shape rows = gemm.input(0)->shape(), product = gemm.output(0)->shape(), result = last.output(0)->shape();
  if (gemm.attr<std::int64_t>("transA").value_or(0) != 0) return Verdict::no("it transposes its rows");
  if (rows.rank() != 2 || product.rank() != 2 || result.rank() < 2)
    return Verdict::no("the rank of its result is not known");
  if (!has_batches_of(input.shape(), result))
    return Verdict::no("the leading extents of the result and the input differ");
  if (!same_size(result[result.rank() - 1], product[1])) return Verdict::no("rows are not the last axis of the result");
  Dim width(1);
  for (std::size_t i = result.rank() - 1; i < input.shape().rank(); ++i) {
    const Dim extent = input.shape()[i];
    width = width == Dim(1) ? extent : width.known() && extent.known() ? Dim(width.value() * extent.value()) : Dim();
  }
  if (!same_size(width, rows[1])) return Verdict::no("rows are not the last axes of the input");
  const Value* const added = gemm.input(2);
  if (added == nullptr) return Verdict::yes();
  const Shape dims = added->shape();
  return dims.known() && dims.rank() <= 2 && (dims.rank() < 2 || same_size(dims[0], Dim(1)))
             ? Verdict::yes()
             : Verdict::no("the addend may differ from row to row");
}

/// Whether a constant that the rule transposes becomes unused. Another reader, such as the Gather of a tied embedding,
/// would keep both forms in the model. Gemms that transpose it, too, share the new constant.
inline bool stores_once(const Node& gemm) {
  const auto transposes = [](const Node& each) { return each.attr<std::int64_t>("transB").value_or(0) != 0; };
  const auto is_alike = [&](const Use& use) {
    return use.user() != nullptr && use.user()->is("Gemm") && use.index() == 1 && transposes(*use.user());
  };
  const Value& weight = *gemm.input(1);
  return !transposes(gemm) || !weight.constant() || std::all_of(weight.uses().begin(), weight.uses().end(), is_alike);
}

inline constexpr auto gemm_to_matmul_add = rule<"gemm-to-matmul-add">(
    op<"Gemm">(x, y, opt(addend)).with(any_attributes).as(inner), where(plain_or_of_floats(inner)),
    [](const auto& m, Rewriter& rewriter) -> Value& { return detail::matmul_add(m[inner], m[x], rewriter); });

inline constexpr auto reshaped_gemm_to_matmul_add = rule<"reshaped-gemm-to-matmul-add">(
    reshaping(op<"Gemm">(reshaping(x), y, opt(addend)).with(any_attributes).as(inner)).as(outer),
    where(plain_or_of_floats(inner), predicate<keeps_rows>("")(x, inner, outer),
          predicate<stores_once>("its weight has other readers and would be stored twice")(inner)),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      Value* rows = &m[x];
      const std::size_t rank = m[outer].output(0)->shape().rank();
      if (m[x].shape().rank() != rank) {
        Ints target(rank, 0);
        const Dim width = m[inner].input(0)->shape()[1];
        target.back() = width.known() ? width.value() : -1;
        rows = &rewriter.op("Reshape", {rows, &rewriter.ints(target, "joined")});
      }
      return rewriter.replace(*m[outer].output(0), detail::matmul_add(m[inner], *rows, rewriter));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView gemm_to_matmul_add = rules::gemm_to_matmul_add.view();

GRAFT_INLINE constinit const RuleView reshaped_gemm_to_matmul_add = rules::reshaped_gemm_to_matmul_add.view();

GRAFT_INLINE Pass gemms_to_matmul_adds() {
  // A Gemm comes before its Reshape, so the sweep for a Gemm alone is second.
  return on_typed_graph("gemms_to_matmul_adds", sweep(reshaped_gemm_to_matmul_add) | sweep(gemm_to_matmul_add));
}

namespace rules {

inline constexpr auto batched_matmul_add_relu_to_gemm =
    rule<"batched-matmul-add-relu-to-gemm">(op<"Relu">(batched_product_and_addend), is_batch_of_rows,
                                            op<"Reshape">(op<"Relu">(gemm_of_rows)).with(shape = call<batch_of>(x, y)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView batched_matmul_add_relu_to_gemm =
    rules::batched_matmul_add_relu_to_gemm.view();

GRAFT_INLINE Pass matmul_adds_to_gemms() {
  // An Add comes before its Relu, so the sweep for an Add alone is second.
  return on_typed_graph("matmul_adds_to_gemms",
                        sweep(batched_matmul_add_relu_to_gemm) | sweep(matmul_add_to_gemm, batched_matmul_add_to_gemm));
}

}  // namespace graft::inline v1
