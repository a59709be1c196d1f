#pragma once
#include <graft/transformer/fuse/partial_rotary_embedding.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/transformer/detail/rotation.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace rules {

inline constexpr auto turned_part = val<"turned_part">.rank(4);
inline constexpr auto kept_part = val<"kept_part">.rank(4);

inline bool is_axis_of_sizes(std::int64_t along) { return along == 3; }

inline constexpr auto partial_rotary_embedding = rule<"partial-rotary-embedding">(
    op<"Concat">(one_of<"com.microsoft::RotaryEmbedding", "RotaryEmbedding">(turned_part, rest<"more">)
                     .with(any_attributes)
                     .as(inner),
                 kept_part)
        .with(axis)
        .as(outer),
    where(predicate<is_axis_of_sizes>("the parts are not joined along the last axis")(axis)),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      const Node& turning = m[inner];
      const Node* const taken = m[turned_part].producer();
      if (taken == nullptr || taken->input(0) == nullptr) return Verdict::no("the source of the parts is not known");
      Value &whole = *taken->input(0), &result = *m[outer].output(0);
      if (Verdict fits = detail::are_start_and_rest(rewriter.known_contents(), whole, m[turned_part], m[kept_part]);
          !fits)
        return fits;
      if (turning.attr<std::int64_t>("rotary_embedding_dim").value_or(0) != 0)
        return Verdict::no("it rotates a part of the part");
      const Shape dims = whole.shape();
      if (dims.rank() != 4 || !dims[1].known()) return Verdict::no("the number of heads is not known");
      const std::int64_t heads = dims[1].value();
      Attributes attributes{{"num_heads", heads}, {"rotary_embedding_dim", m[turned_part].shape()[3].value()}};
      if (turning.attr<std::int64_t>("interleaved").value_or(0) != 0) attributes.emplace_back("interleaved", 1);
      const bool contrib = !turning.domain().empty();
      const detail::HeadView view = detail::head_view(whole, false);
      const bool flat = contrib && view.flat != nullptr && !view.steps_first && view.factor == 1;
      std::vector<Value*> inputs{flat ? view.flat : &whole};
      for (std::size_t i = 1; i < turning.input_count(); ++i) inputs.push_back(turning.input(i));
      Value& made = rewriter.op(contrib ? "com.microsoft::RotaryEmbedding" : "RotaryEmbedding", inputs, attributes);
      if (inputs[0]->type() != nullptr) made.graph().declare_type(made, *inputs[0]->type());
      return rewriter.replace(result, flat ? detail::split_heads(rewriter, made, heads, dims[3].value()) : made);
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView partial_rotary_embedding = rules::partial_rotary_embedding.view();

}  // namespace graft::inline v1
