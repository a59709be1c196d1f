#pragma once
#include <graft/simplify/eliminate/remove_dropout.hpp>

#include <cstdint>

#include <graft/config.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto remove_dropout =
    rule<"remove-dropout">(op<"Dropout">(x, opt(any), opt(cst<"training_mode">.all_equal(0)))
                               .with(opt(attr<"ratio", float>), opt(attr<"seed", std::int64_t>),
                                     opt(attr<"is_test", std::int64_t> == 1)),
                           x);

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView remove_dropout = vocabulary::remove_dropout.view();

}  // namespace graft::inline v1
