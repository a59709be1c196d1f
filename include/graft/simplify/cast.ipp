#pragma once
#include <graft/simplify/cast.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

/// The numbers of a dtype: sign, binary digits, and the exponents of floats.
struct NumberFormat {
  bool has_sign = false;
  int digits = 0;
  int least = 0, most = 0;  // 2^least divides each number, and each is below 2^most

  static NumberFormat of(DType dtype) {
    if (dtype == DType::boolean) return {false, 1, 0, 1};
    if (is_integer(dtype)) {
      const int digits = static_cast<int>(bits(dtype)) - (is_signed(dtype) ? 1 : 0);
      return {is_signed(dtype), digits, 0, digits};
    }
    switch (dtype) {
      case DType::f64: return {true, 53, -1074, 1024};
      case DType::f32: return {true, 24, -149, 128};
      case DType::bf16: return {true, 8, -133, 128};
      case DType::f16: return {true, 11, -24, 16};
      default: return {};
    }
  }
};

/// Whether the second dtype holds every value of the first.
inline bool holds_all(DType from, DType into) {
  if (from == into) return from != DType::undefined;
  const NumberFormat narrow = NumberFormat::of(from), wide = NumberFormat::of(into);
  if (narrow.digits == 0 || wide.digits == 0 || into == DType::boolean) return false;
  if (is_float(from) && !is_float(into)) return false;
  // The lowest integer, -2^digits, is a power of two: a float needs a digit for it and the exponent.
  const bool reaches = narrow.most <= wide.most - (is_float(into) && is_integer(from) ? 1 : 0);
  return (wide.has_sign || !narrow.has_sign) && narrow.digits <= wide.digits && narrow.least >= wide.least && reaches;
}

inline Verdict loses_nothing(const Value& input, DType between, DType into) {
  const DType from = input.dtype();
  if (!holds_all(from, between)) return Verdict::no("the inner Cast may lose values");
  if (into == DType::string && from != between) return Verdict::no("text of the two dtypes may differ");
  const bool detours = is_float(between) && !is_float(from) && is_integer(into);
  return !detours || holds_all(from, into) ? Verdict::yes()
                                           : Verdict::no("a float may be out of the range of the integers");
}

inline constexpr auto cast_between = attr<"to", DType>.named<"between">();

inline constexpr auto inner_saturate = attr<"saturate", std::int64_t>.named<"inner_saturate">();

inline constexpr auto inner_rounding = attr<"round_mode", std::string_view>.named<"inner_rounding">();

inline constexpr auto cast_cast =
    rule<"cast-cast">(op<"Cast">(op<"Cast">(x).with(cast_between, opt(inner_saturate), opt(inner_rounding)).shared())
                          .with(cast_to)
                          .as(outer)
                          .since(6),
                      where(predicate<loses_nothing>("")(x, cast_between, cast_to)), outer(x));

inline constexpr auto fill_value = attr<"value", Tensor>;

/// Whether Cast has a defined result for the number.
inline bool converts(const Tensor& number, DType into) {
  if (number.size() != 1 || bits(number.dtype()) == 0 || is_complex(number.dtype())) return false;
  if (!is_integer(into)) return into == DType::boolean || is_float(into);
  const double value = std::trunc(number.item<double>());
  const double most = into == DType::u64 ? 0x1p64 : static_cast<double>(highest(into)) + 1;
  // Beyond 2^53 a double is less exact than the integer.
  return value >= static_cast<double>(lowest(into)) && value < most && std::abs(value) < 0x1p53;
}

inline constexpr auto cast_constant_of_shape = rule<"cast-constant-of-shape">(
    op<"Cast">(op<"ConstantOfShape">(x).with(opt(fill_value)).shared().as(inner)).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) {
      const DType into = m[outer].output(0)->dtype();
      const Tensor absent(DType::f32, {1});
      const Tensor number = m[fill_value] ? Tensor(*m[fill_value]) : absent;
      const schema::Operator* const facts = m[inner].schema();
      if (facts == nullptr || !facts->type(*facts->output(0)).contains(into))
        return rewriter.decline("ConstantOfShape does not support the dtype at this opset");
      if (!converts(number, into)) return rewriter.decline("the value is out of the range of the dtype");
      Tensor converted = evaluate(m[outer], {number}).front();
      return rewriter.replace(*m[outer].output(0),
                              rewriter.op("ConstantOfShape", {&m[x]}, {{"value", std::move(converted)}}));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView cast_cast = rules::cast_cast.view();

GRAFT_INLINE constinit const RuleView cast_constant_of_shape = rules::cast_constant_of_shape.view();

}  // namespace graft::inline v1
