#pragma once
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/over_root.hpp>

// Before:  x * 0.5 * (1 + Erf(x / sqrt(2)))     in any order of the factors and summands, associated in any of
//                                                 (x * (1 + e)) * 0.5, x * ((1 + e) * 0.5) and (x * 0.5) * (1 + e)
//                                               x * (1 / sqrt(2)) for the quotient
// After:   Gelu(x)                              of the main domain, since opset 20
//          com.microsoft::Gelu(x)               by the rule contrib_gelu, at any opset
//
// The constants are single elements, sqrt(2) to 2^-22, in f16 to 2^-10, in bf16 to 2^-8. (Hendrycks and Gimpel 2016,
// exact form.)

namespace graft::inline v1 {
namespace vocabulary {

inline constexpr auto root = cst<"root">.scalar();
inline constexpr auto inverse_root = cst<"inverse_root">.scalar();

inline constexpr auto one_and_erf =
    comm<"Add">(op<"Erf">(either(op<"Div">(x, root), comm<"Mul">(x, inverse_root))), unity);

/// x * 0.5 * p, in any order and association.
constexpr auto half_x_times(const pattern auto& p) {
  return either(comm<"Mul">(comm<"Mul">(x, p), half), comm<"Mul">(x, comm<"Mul">(p, half)),
                comm<"Mul">(comm<"Mul">(x, half), p));
}

inline constexpr auto erf_form = half_x_times(one_and_erf);

}  // namespace vocabulary

extern const RuleView contrib_gelu;
extern const RuleView gelu;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/gelu.ipp>
#endif
