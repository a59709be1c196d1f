#pragma once
#include <graft/simplify/fold/cast_constant_of_shape.hpp>

#include <cmath>
#include <optional>
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
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto fill_value = attr<"value", Tensor>;

/// Whether Cast makes a defined number of it.
inline bool converts(const Tensor& number, DType into) {
  if (number.size() != 1 || bits(number.dtype()) == 0 || is_complex(number.dtype())) return false;
  if (!is_integer(into)) return into == DType::boolean || is_float(into);
  const double value = std::trunc(number.item<double>());
  const double most = into == DType::u64 ? 0x1p64 : static_cast<double>(highest(into)) + 1;
  // Beyond 2^53 a double says less than the integer did.
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
        return rewriter.decline("ConstantOfShape has no such dtype here");
      if (!converts(number, into)) return rewriter.decline("the value is out of the range of that dtype");
      Tensor converted = evaluate(m[outer], {number}).front();
      return rewriter.replace(*m[outer].output(0),
                              rewriter.op("ConstantOfShape", {&m[x]}, {{"value", std::move(converted)}}));
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView cast_constant_of_shape = vocabulary::cast_constant_of_shape.view();

}  // namespace graft::inline v1
