#pragma once
#include <graft/lower/single_rope_cache.hpp>

#include <cstddef>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline bool reads_cache(const Use& use) {
  const Node* const user = use.user();
  if (user == nullptr) return false;
  const std::size_t first = user->is("com.microsoft::GroupQueryAttention") ? 7
                            : user->is("com.microsoft::RotaryEmbedding")   ? 2
                                                                             : use.index() + 1;
  return use.index() == first || use.index() == first + 1;
}

/// Rows of what a branch gives; nullopt if it is no constant.
inline std::optional<std::int64_t> rows_of_branch(const Node& choice, const char* branch, std::size_t output) {
  const Graph* const body = choice.body(branch);
  if (body == nullptr || output >= body->output_count()) return std::nullopt;
  const Value* const given = body->output(output);
  if (given == nullptr || !given->is_constant()) return std::nullopt;
  const std::optional<Tensor> contents = given->constant();
  return contents && contents->rank() == 2 ? std::optional(contents->dims()[0]) : std::nullopt;
}

inline Verdict is_choice_of_caches(const Node& choice) {
  bool then_is_large = false;
  for (std::size_t i = 0; i < choice.output_count(); ++i) {
    for (const Use& use : choice.output(i)->uses())
      if (!reads_cache(use)) return Verdict::no("what it gives is no cache of cosines or sines");
    const auto rows = rows_of_branch(choice, "then_branch", i), other = rows_of_branch(choice, "else_branch", i);
    if (!rows || !other) return Verdict::no("a branch gives no constant of rank 2");
    if (*rows == *other) return Verdict::no("no branch has more rows than the other");
    if (i != 0 && then_is_large != (*rows > *other)) return Verdict::no("the branches have more rows in turn");
    then_is_large = *rows > *other;
  }
  return Verdict::yes();
}

inline constexpr auto single_rope_cache =
    rule<"single-rope-cache">(
        op<"If">(any).as(outer), where(predicate<is_choice_of_caches>("")(outer)),
        [](const auto& m, Rewriter& rewriter) {
          const bool then_is_large =
              *rows_of_branch(m[outer], "then_branch", 0) > *rows_of_branch(m[outer], "else_branch", 0);
          const bool* const given = rewriter.context().find_argument(keeps_large_cache);
          const bool large = given != nullptr && *given;
          return rewriter.inline_body(m[outer], large == then_is_large ? "then_branch" : "else_branch");
        })
        .changes_values("angles are those of one cache for all lengths");

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView single_rope_cache = vocabulary::single_rope_cache.view();

GRAFT_INLINE Pass single_rope_caches(bool large) {
  return on_typed_graph("single_rope_caches",
                        pass("single_rope_caches", sweep(single_rope_cache), keeps_large_cache = large));
}

}  // namespace graft::inline v1
