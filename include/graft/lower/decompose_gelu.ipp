#pragma once
#include <graft/lower/decompose_gelu.hpp>

#include <cmath>
#include <numbers>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

/// The nodes of one Gelu, over numbers of its dtype.
class GeluParts {
 public:
  GeluParts(Rewriter& rewriter, DType dtype) : rewriter_(rewriter), dtype_(dtype) {}

  Value& sum(Value& x, Value* bias) { return bias != nullptr ? rewriter_.op("Add", {&x, bias}) : x; }
  Value& by_erf(Value& x) {
    return half_times(x, rewriter_.op("Erf", {&rewriter_.op("Mul", {&x, &number(std::numbers::sqrt2 / 2)})}));
  }
  Value& by_tanh(Value& x) {
    Value& cube = rewriter_.op("Mul", {&rewriter_.op("Mul", {&x, &x}), &x});
    Value& inner = rewriter_.op("Add", {&x, &rewriter_.op("Mul", {&number(0.044715), &cube})});
    const double slope = std::sqrt(2 * std::numbers::inv_pi);
    return half_times(x, rewriter_.op("Tanh", {&rewriter_.op("Mul", {&number(slope), &inner})}));
  }

 private:
  Value& number(double value) { return rewriter_.constant(Tensor::scalar(dtype_, value), "number"); }
  /// 0.5 x (1 + y)
  Value& half_times(Value& x, Value& y) {
    return rewriter_.op("Mul", {&rewriter_.op("Mul", {&number(0.5), &x}), &rewriter_.op("Add", {&number(1), &y})});
  }

  Rewriter& rewriter_;
  DType dtype_;
};

}  // namespace detail

namespace vocabulary {

inline constexpr auto approximation = attr<"approximate", std::string_view>.named<"approximation">();

inline Verdict takes_numbers(const Value& input) {
  if (!is_float(input.dtype())) return Verdict::no("the dtype is not known");
  return input.graph().opset() >= 7 ? Verdict::yes() : Verdict::no("Mul does not broadcast before opset 7");
}

inline constexpr auto is_typed = where(predicate<takes_numbers>("")(x));

inline bool has_erf(const Value& input) { return input.graph().opset() >= 9; }

inline constexpr auto decompose_gelu =
    rule<"decompose-gelu">(either(op<"Gelu">(x).with(approximation == "none"), op<"com.microsoft::Gelu">(x),
                                  op<"com.microsoft::BiasGelu">(x, opt(addend))),
                           where(predicate<takes_numbers>("")(x), predicate<has_erf>("Erf needs opset 9")(x)),
                           [](const auto& m, Rewriter& rewriter) -> Value& {
                             detail::GeluParts parts(rewriter, m[x].dtype());
                             return parts.by_erf(parts.sum(m[x], m[addend]));
                           });

inline constexpr auto decompose_tanh_gelu = rule<"decompose-tanh-gelu">(
    either(op<"Gelu">(x).with(approximation == "tanh"), op<"com.microsoft::FastGelu">(x, opt(addend))), is_typed,
    [](const auto& m, Rewriter& rewriter) -> Value& {
      detail::GeluParts parts(rewriter, m[x].dtype());
      return parts.by_tanh(parts.sum(m[x], m[addend]));
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView decompose_gelu = vocabulary::decompose_gelu.view();

GRAFT_INLINE constinit const RuleView decompose_tanh_gelu = vocabulary::decompose_tanh_gelu.view();

GRAFT_INLINE Pass decompose_gelus() {
  return on_typed_graph("decompose_gelus", sweep(decompose_gelu, decompose_tanh_gelu));
}

}  // namespace graft::inline v1
