#pragma once
#include <graft/transformer/fuse/normalization_operands.hpp>

#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

/// A value as scale or bias of a normalization; nullptr if it does not fit.
inline Value* operand_of(Rewriter& rewriter, Value& value, const Node& normalization) {
  if (is_operand(value, normalization)) return &value;
  const std::optional<Tensor> constant = value.constant();
  std::optional<Tensor> fitted = constant ? as_operand(*constant, normalization) : std::nullopt;
  return fitted ? &rewriter.constant(*std::move(fitted), value.name()) : nullptr;
}

/// The constant in a narrower dtype, if no element changes.
inline std::optional<Tensor> exactly_narrowed(const Tensor& constant, DType dtype) {
  const std::vector<double> numbers = constant.to<double>();
  Tensor narrow = Tensor::of(dtype, constant.dims(), numbers);
  return narrow.to<double>() == numbers ? std::optional(std::move(narrow)) : std::nullopt;
}

}  // namespace detail

namespace rules {

inline constexpr auto ones = cst<"ones">.all_equal(1);

inline bool fits_normalization(const Value& value, const Node& normalization) {
  if (detail::is_operand(value, normalization)) return true;
  const std::optional<Tensor> constant = value.constant();
  return constant && detail::as_operand(*constant, normalization);
}

inline constexpr auto fits_norm =
    where(predicate<fits_normalization>("it does not have the normalized extents")(y, norm));

inline constexpr auto scale_into_normalization = rule<"scale-into-normalization">(
    comm<"Mul">(one_of<"LayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization">(x, ones)
                    .with(any_attributes)
                    .as(norm),
                y),
    fits_norm, [](const auto& m, Rewriter& rewriter) -> Node& {
      return rewriter.clone(m[norm], {&m[x], detail::operand_of(rewriter, m[y], m[norm])});
    });

inline constexpr auto bias_into_layer_normalization = rule<"bias-into-layer-normalization">(
    comm<"Add">(op<"LayerNormalization">(x, addend).with(any_attributes).as(norm), y), fits_norm,
    [](const auto& m, Rewriter& rewriter) -> Node& {
      return rewriter.clone(m[norm], {&m[x], &m[addend], detail::operand_of(rewriter, m[y], m[norm])});
    });

inline Verdict can_narrow(const Value& input, const Node& widened, const Node& cast_back, const Tensor& factors,
                          const std::optional<Tensor>& summands) {
  if (widened.output(0)->dtype() != DType::f32) return Verdict::no("it does not compute in f32");
  if (cast_back.output(0)->dtype() != input.dtype()) return Verdict::no("the dtypes of its result and x differ");
  const bool is_exact = detail::exactly_narrowed(factors, input.dtype()) &&
                        (!summands || detail::exactly_narrowed(*summands, input.dtype()));
  return is_exact ? Verdict::yes() : Verdict::no("the narrow dtype does not represent its scale or bias");
}

inline constexpr auto narrow_normalization = rule<"narrow-normalization">(
    op<"Cast">(one_of<"LayerNormalization", "SimplifiedLayerNormalization", "RMSNormalization">(
                   op<"Cast">(x.dtype(DType::f16)).with(any_attributes).as(inner).shared(), scale, opt(bias))
                   .with(any_attributes)
                   .as(norm))
        .with(any_attributes)
        .as(outer),
    where(predicate<can_narrow>("")(x, inner, outer, scale, bias)), [](const auto& m, Rewriter& rewriter) -> Node& {
      const DType narrow = m[x].dtype();
      const auto constant = [&](const Value& value) -> Value* {
        return &rewriter.constant(*detail::exactly_narrowed(*value.constant(), narrow), value.name());
      };
      std::vector<Value*> inputs{&m[x], constant(m[scale])};
      if (m[bias] != nullptr) inputs.push_back(constant(*m[bias]));
      return rewriter.clone(m[norm], inputs);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView scale_into_normalization = rules::scale_into_normalization.view();

GRAFT_INLINE constinit const RuleView bias_into_layer_normalization = rules::bias_into_layer_normalization.view();

GRAFT_INLINE constinit const RuleView narrow_normalization = rules::narrow_normalization.view();

}  // namespace graft::inline v1
