#pragma once
#include <graft/simplify/fuse/transpose_into_gemm.hpp>

#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline bool swaps_axes(const std::optional<Ints>& order) { return !order || *order == Ints{1, 0}; }

inline std::int64_t flipped(std::int64_t is_transposed) { return is_transposed == 0 ? 1 : 0; }

inline constexpr auto swaps = predicate<swaps_axes>("its perm is not [1, 0]");

inline constexpr auto transposed = op<"Transpose">(x).with(opt(perm)).shared();

inline constexpr auto transpose_into_gemm_a =
    rule<"transpose-into-gemm-a">(op<"Gemm">(transposed, y, right).with(trans_a).as(outer), where(swaps(perm)),
                                  outer(x, y, right).with(trans_a = call<flipped>(trans_a)));

inline constexpr auto transpose_into_gemm_b =
    rule<"transpose-into-gemm-b">(op<"Gemm">(y, transposed, right).with(trans_b).as(outer), where(swaps(perm)),
                                  outer(y, x, right).with(trans_b = call<flipped>(trans_b)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView transpose_into_gemm_a = vocabulary::transpose_into_gemm_a.view();

GRAFT_INLINE constinit const RuleView transpose_into_gemm_b = vocabulary::transpose_into_gemm_b.view();

}  // namespace graft::inline v1
