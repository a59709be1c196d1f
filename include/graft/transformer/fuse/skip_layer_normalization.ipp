#pragma once
#include <graft/transformer/fuse/skip_layer_normalization.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether the kernel can add the second to the first: its last dims are those of the first, with at most a batch of 1
/// before.
inline bool is_skip(const Shape& whole, const Shape& skip) {
  if (same_size(whole, skip)) return true;
  if (whole.rank() != 3 || !skip.known() || skip.rank() < 2 || skip.rank() > 3) return false;
  if (skip.rank() == 3 && !same_size(skip[0], Dim(1))) return false;
  return same_size(whole[1], skip[skip.rank() - 2]) && same_size(whole[2], skip[skip.rank() - 1]);
}

/// A sum, and the parameters of its normalization.
struct NormalizedSum {
  Node& sum;
  std::vector<Value*> parameters;  // scale, bias
  float epsilon;
  std::size_t uses;  // readings of the sum by the normalization
};

/// Replaces the normalization `root` of a sum by an operator of com.microsoft over the summands.
inline Verdict fuse_skip(Rewriter& rewriter, std::string_view op, const NormalizedSum& found, Node& root) {
  Value &total = *found.sum.output(0), *whole = found.sum.input(0), *skip = found.sum.input(1);
  if (!is_skip(whole->shape(), skip->shape())) std::swap(whole, skip);
  std::vector<Value*> inputs{whole, skip};
  inputs.insert(inputs.end(), found.parameters.begin(), found.parameters.end());
  const bool is_read = total.use_count() != found.uses;
  Node& fused = rewriter.node(op, inputs, is_read ? 4 : 1, {{"epsilon", static_cast<double>(found.epsilon)}});
  if (is_read) {
    rewriter.drop_output(*fused.output(1));
    rewriter.drop_output(*fused.output(2));
  }
  std::vector<Value*> successors(root.output_count());
  successors[0] = fused.output(0);
  if (Verdict done = rewriter.replace(root, successors); !done || !is_read) return done;
  return rewriter.replace(total, *fused.output(3));
}

inline std::vector<Value*> parameters_of(const Node& normalization) {
  std::vector<Value*> parameters;
  for (std::size_t i = 1; i < normalization.input_count(); ++i) parameters.push_back(normalization.input(i));
  return parameters;
}

/// The same for a node that normalizes a sum.
inline Verdict fuse_skip(Rewriter& rewriter, std::string_view op, Node& sum, Node& normalization) {
  const float epsilon = normalization.attr<float>("epsilon").value_or(1e-5F);
  return fuse_skip(rewriter, op, {sum, parameters_of(normalization), epsilon, 1}, normalization);
}

/// Moves the bias of a summand into the last input of a fused node.
inline Node& take_bias(Rewriter& rewriter, const Node& fused, std::size_t summand, std::size_t place, Value& rest,
                       Value& biases) {
  std::vector<Value*> inputs;
  for (std::size_t i = 0; i < fused.input_count(); ++i) inputs.push_back(fused.input(i));
  inputs.resize(place + 1);
  inputs[summand] = &rest;
  inputs[place] = &biases;
  return rewriter.clone(fused, inputs);
}

}  // namespace detail

namespace rules {

inline constexpr auto total = node<"total">;

/// Whether the kernel supports the sum, and the parameters of its normalization in this scope.
inline Verdict is_skip_sum(const Node& sum, const std::vector<const Value*>& parameters, const Graph& scope) {
  const Value& summed = *sum.output(0);
  const Shape whole = summed.shape(), first_one = sum.input(0)->shape(), other = sum.input(1)->shape();
  if (summed.dtype() != DType::f32 && summed.dtype() != DType::f16) return Verdict::no("it is neither f32 nor f16");
  if (!whole.known() || (whole.rank() != 2 && whole.rank() != 3))
    return Verdict::no("the sum is not known to have rank 2 or 3");
  if (&sum.graph() != &scope) return Verdict::no("the sum is computed in another scope");
  for (const Value* const factor : parameters) {
    if (factor == nullptr) continue;
    const Shape extents = factor->shape();
    if (!extents.known() || extents.rank() != 1 || !same_size(extents[0], whole[whole.rank() - 1]))
      return Verdict::no("its scale or bias is not known to have the last extent");
    if (factor->dtype() != summed.dtype()) return Verdict::no("its scale or bias has another dtype");
  }
  const bool fits = (same_size(whole, first_one) && detail::is_skip(first_one, other)) ||
                    (same_size(whole, other) && detail::is_skip(other, first_one));
  return fits ? Verdict::yes() : Verdict::no("the summands are not known to have equal shapes");
}

inline Verdict is_skip_normalization(const Node& sum, const Node& normalization) {
  const auto first = normalization.attr<std::int64_t>("axis").value_or(-1);
  const std::size_t rank = sum.output(0)->shape().rank();
  if (first != -1 && first + 1 != static_cast<std::int64_t>(rank))
    return Verdict::no("it normalizes more than the last axis");
  const std::vector<Value*> parameters = detail::parameters_of(normalization);
  return is_skip_sum(sum, {parameters.begin(), parameters.end()}, normalization.graph());
}

/// The same for x / Sqrt(ReduceMean(x^2) + epsilon) * factors, where x is a sum, or a Cast of a sum to f32.
inline Verdict is_skip_root(const Value& input, const Ints& over, const Value& factors, const Node& product) {
  const Node* const producer = input.producer();
  const Node* const sum = product.output(0)->dtype() == input.dtype() ? producer
                          : made_by(input, "Cast") != nullptr         ? producer->input(0)->producer()
                                                                      : nullptr;
  if (sum == nullptr || !sum->is("Add")) return Verdict::no("it does not normalize a sum");
  if (over.size() != 1 || !are_last_axes(input.shape(), over)) return Verdict::no("the mean is not over the last axis");
  return is_skip_sum(*sum, {&factors}, product.graph());
}

inline constexpr auto summands = op<"Add">(any, any).as(total).shared();

inline constexpr auto is_skip_norm = where(predicate<is_skip_normalization>("")(total, norm));

inline constexpr auto skip_layer_normalization = rule<"skip-layer-normalization">(
    op<"LayerNormalization">(summands, any, opt(any)).with(first_axis, epsilon).as(norm), is_skip_norm,
    [](const auto& m, Rewriter& rewriter) {
      return detail::fuse_skip(rewriter, "com.microsoft::SkipLayerNormalization", m[total], m[norm]);
    });

inline constexpr auto skip_simplified_layer_normalization = rule<"skip-simplified-layer-normalization">(
    one_of<"SimplifiedLayerNormalization", "RMSNormalization">(summands, any).with(first_axis, epsilon).as(norm),
    is_skip_norm, [](const auto& m, Rewriter& rewriter) {
      return detail::fuse_skip(rewriter, "com.microsoft::SkipSimplifiedLayerNormalization", m[total], m[norm]);
    });

/// Replaces the product with the factors y by the operator.
inline constexpr auto skip_of_root = [](const auto& m, Rewriter& rewriter) {
  Value& input = m[x];
  const bool is_widened = input.dtype() != m[outer].output(0)->dtype();
  const std::size_t own_uses = is_widened ? 1 : m[two] != nullptr ? 2 : 3;
  Node& sum = *(is_widened ? input.producer()->input(0) : &input)->producer();
  return detail::fuse_skip(rewriter, "com.microsoft::SkipSimplifiedLayerNormalization",
                           {sum, {&m[y]}, as_float(*m[tiny].constant()), own_uses}, m[outer]);
};

inline constexpr auto is_skip_product = where(predicate<is_skip_root>("")(x, axes, y, outer));

inline constexpr auto skip_root_mean_square =
    rule<"skip-root-mean-square">(comm<"Mul">(over_root_mean_square(), y).as(outer), is_skip_product, skip_of_root);

inline constexpr auto skip_wide_root_mean_square = rule<"skip-wide-root-mean-square">(
    comm<"Mul">(op<"Cast">(over_root_mean_square()).with(any_attributes), y).as(outer), is_skip_product, skip_of_root);

inline constexpr auto biased = comm<"Add">(x, b).as(total);

inline constexpr auto is_skip_bias = where(predicate<is_bias_of_rows>("")(x, b));

inline constexpr auto bias_into_skip_layer_normalization = rule<"bias-into-skip-layer-normalization">(
    either(op<"com.microsoft::SkipLayerNormalization">(biased, any, any, opt(any)).with(any_attributes).as(norm),
           op<"com.microsoft::SkipLayerNormalization">(any, biased, any, opt(any)).with(any_attributes).as(norm)),
    is_skip_bias, [](const auto& m, Rewriter& rewriter) -> Node& {
      const std::size_t summand = m[norm].input(0) == m[total].output(0) ? 0 : 1;
      return detail::take_bias(rewriter, m[norm], summand, 4, m[x], m[b]);
    });

inline constexpr auto bias_into_skip_simplified_layer_normalization =
    rule<"bias-into-skip-simplified-layer-normalization">(
        either(op<"com.microsoft::SkipSimplifiedLayerNormalization">(biased, any, any).with(any_attributes).as(norm),
               op<"com.microsoft::SkipSimplifiedLayerNormalization">(any, biased, any).with(any_attributes).as(norm)),
        is_skip_bias, [](const auto& m, Rewriter& rewriter) -> Node& {
          const std::size_t summand = m[norm].input(0) == m[total].output(0) ? 0 : 1;
          return detail::take_bias(rewriter, m[norm], summand, 3, m[x], m[b]);
        });

}  // namespace rules

GRAFT_INLINE constinit const RuleView skip_layer_normalization = rules::skip_layer_normalization.view();

GRAFT_INLINE constinit const RuleView skip_simplified_layer_normalization =
    rules::skip_simplified_layer_normalization.view();

GRAFT_INLINE constinit const RuleView skip_root_mean_square = rules::skip_root_mean_square.view();

GRAFT_INLINE constinit const RuleView skip_wide_root_mean_square = rules::skip_wide_root_mean_square.view();

GRAFT_INLINE constinit const RuleView bias_into_skip_layer_normalization =
    rules::bias_into_skip_layer_normalization.view();

GRAFT_INLINE constinit const RuleView bias_into_skip_simplified_layer_normalization =
    rules::bias_into_skip_simplified_layer_normalization.view();

GRAFT_INLINE Pass fuse_skip_layer_normalizations(const FusedOperators& runtime) {
  constexpr std::string_view skip = "com.microsoft::SkipLayerNormalization";
  constexpr std::string_view simplified = "com.microsoft::SkipSimplifiedLayerNormalization";
  return detail::fusions("fuse_skip_layer_normalizations", runtime,
                         {{skip, skip_layer_normalization},
                          {skip, bias_into_skip_layer_normalization},
                          {simplified, skip_simplified_layer_normalization},
                          {simplified, skip_root_mean_square},
                          {simplified, skip_wide_root_mean_square},
                          {simplified, bias_into_skip_simplified_layer_normalization}});
}

}  // namespace graft::inline v1
