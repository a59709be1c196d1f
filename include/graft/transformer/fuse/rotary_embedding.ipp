#pragma once
#include <graft/transformer/fuse/rotary_embedding.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/common_subexpressions.hpp>
#include <graft/transformer/detail/rotation.hpp>
#include <graft/transformer/detail/runtime_argument.hpp>
#include <graft/transformer/fuse/partial_rotary_embedding.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace rules {

inline constexpr auto cosine = val<"cosine">;
inline constexpr auto sine = val<"sine">;
inline constexpr auto first_part = val<"first_part">;
inline constexpr auto second_part = val<"second_part">;
inline constexpr auto axis_of_cosines = axis.named<"axis_of_cosines">();
inline constexpr auto axis_of_sines = axis.named<"axis_of_sines">();
inline constexpr auto pair_axis = axes.named<"pair_axis">();
inline constexpr auto cosine_pairs = node<"cosine_pairs">;
inline constexpr auto sine_pairs = node<"sine_pairs">;
inline constexpr auto turned_pairs = node<"turned_pairs">;

inline bool ends_at_axis(const Value& value, std::int64_t along) {
  return value.shape().known() && along + 1 == static_cast<std::int64_t>(value.shape().rank());
}

/// Whether an Add of two products reads the value, possibly through Cos, Sin, Cast, Unsqueeze, Gather, Concat and Mul
/// by a constant, which keep the halves equal.
inline bool reaches_rotation(const Node& node) {
  constexpr std::size_t enough = 256;  // readers to visit
  std::vector<const Value*> reached{node.output(0)};
  for (std::size_t i = 0; i < reached.size() && reached.size() < enough; ++i) {
    for (const Node& user : reached[i]->users()) {
      if (user.output_count() == 0) continue;
      Value& result = *user.output(0);
      const bool is_scaled =
          made_by(result, "Mul", 2) != nullptr && (user.input(0)->is_constant() || user.input(1)->is_constant());
      if (user.is("Mul") && !is_scaled) {
        for (const Node& sum : result.users()) {
          const bool adds = sum.is("Add") && sum.input(0) != nullptr && sum.input(1) != nullptr;
          if (adds && made_by(*sum.input(0), "Mul") && made_by(*sum.input(1), "Mul")) return true;
        }
      } else if (is_scaled || user.is("Cos") || user.is("Sin") || user.is("Cast") || user.is("Unsqueeze") ||
                 user.is("Gather") || user.is("Concat")) {
        reached.push_back(&result);
      }
    }
  }
  return false;
}

inline constexpr auto repeated_halves = rule<"repeated-halves">(
    one_of<"Cos", "Sin", "Cast", "Unsqueeze", "Mul", "Gather">(op<"Concat">(x, x).with(axis).shared(), rest<"more">)
        .with(any_attributes)
        .as(outer),
    where(predicate<ends_at_axis>("the halves are not joined along the last axis")(x, axis),
          predicate<reaches_rotation>("no rotation reads them")(outer)),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      const Node& node = m[outer];
      const Shape whole = node.output(0)->shape(), repeated = m[x].shape();
      if (!whole.known()) return Verdict::no("the rank of the result is not known");
      std::vector<Value*> inputs{&m[x]};
      for (std::size_t i = 1; i < node.input_count(); ++i) inputs.push_back(node.input(i));
      if (node.is("Gather") && (repeated.rank() < 2 || node.attr<std::int64_t>("axis").value_or(0) != 0))
        return Verdict::no("it does not gather rows");
      if (node.is("Mul")) {
        const bool is_single = node.input(1)->is_constant() && node.input(1)->shape().known() &&
                               node.input(1)->shape().rank() <= 1 && node.input(1)->constant()->size() == 1;
        if (!is_single) return Verdict::no("the factor is not one number");
      }
      const Dim width = repeated[repeated.rank() - 1];
      if (!width.known() || whole[whole.rank() - 1] != node.input(0)->shape()[repeated.rank() - 1])
        return Verdict::no("the last axis changes its place");
      Value& each = *rewriter.clone(node, inputs).output(0);
      Value& both = rewriter.op("Concat", {&each, &each}, {{"axis", static_cast<std::int64_t>(whole.rank()) - 1}});
      return rewriter.replace(*node.output(0), both);
    });

/// Whether the two halves of each row of a table are equal.
inline bool has_equal_halves(const Tensor& table) {
  if (table.rank() != 2 || !is_float(table.dtype()) || table.size() == 0 || table.dims()[1] % 2 != 0) return false;
  const std::size_t bytes = table.bytes().size() / static_cast<std::size_t>(table.dims()[0]) / 2;
  for (std::size_t row = 0; row < table.bytes().size(); row += 2 * bytes)
    if (std::memcmp(table.bytes().data() + row, table.bytes().data() + row + bytes, bytes) != 0) return false;
  return true;
}

inline Tensor first_half(const Tensor& table) {
  Tensor part(table.dtype(), {table.dims()[0], table.dims()[1] / 2});
  const std::size_t bytes = part.bytes().size() / static_cast<std::size_t>(table.dims()[0]);
  std::byte* to = part.mutable_bytes().data();
  for (std::size_t row = 0; row < table.bytes().size(); row += 2 * bytes, to += bytes)
    std::memcpy(to, table.bytes().data() + row, bytes);
  return part;
}

inline constexpr auto repeated_table =
    rule<"repeated-table">(op<"Gather">(w, x).with(axis == 0).as(outer),
                           where(predicate<has_equal_halves>("the halves of its rows differ")(w),
                                 predicate<reaches_rotation>("no rotation reads them")(outer)),
                           [](const auto& m, Rewriter& rewriter) -> Verdict {
                             if (m[outer].graph().opset() < 11) return Verdict::no("it needs opset 11");
                             Value& table = rewriter.constant(first_half(*m[w].constant()), m[w].name());
                             Value& rows = rewriter.op("Gather", {&table, &m[x]}, {{"axis", 0}});
                             Value& both = rewriter.op("Concat", {&rows, &rows}, {{"axis", -1}});
                             return rewriter.replace(*m[outer].output(0), both);
                           });

/// Two values stacked along a new last axis, which a Reshape joins.
constexpr auto interleaved_pairs(const pattern auto& even, const pattern auto& odd, const auto& reshape) {
  return op<"Reshape">(
             op<"Concat">(op<"Unsqueeze">(even).with(pair_axis).shared(), op<"Unsqueeze">(odd).with(pair_axis).shared())
                 .with(axis)
                 .shared(),
             any)
      .with(opt(any_allowzero))
      .as(reshape)
      .shared();
}

/// Whether a Reshape of [..., half, 2] joins exactly the last two axes.
inline bool joins_pairs(const Value& whole, const Value& part, std::int64_t stacked,
                        std::span<const std::int64_t> added) {
  const Shape all = whole.shape(), each = part.shape();
  const auto rank = static_cast<std::int64_t>(each.rank());
  if (!each.known() || all.rank() != each.rank() || stacked != rank) return false;
  if (added.size() != 1 || (added[0] != rank && added[0] != -1)) return false;
  for (std::size_t i = 0; i + 1 < all.rank(); ++i)
    if (!same_size(all[i], each[i])) return false;
  const Dim width = each[each.rank() - 1], joined = all[all.rank() - 1];
  return width.known() && joined.known() && joined.value() == 2 * width.value();
}

inline constexpr auto rotary_embedding = rule<"rotary-embedding">(
    comm<"Add">(comm<"Mul">(x, op<"Concat">(cosine, cosine).with(axis_of_cosines).shared()),
                comm<"Mul">(op<"Concat">(op<"Neg">(second_part), first_part).with(axis),
                            op<"Concat">(sine, sine).with(axis_of_sines).shared()))
        .as(outer),
    where(predicate<ends_at_axis>("the halves are not joined along the last axis")(x, axis),
          predicate<ends_at_axis>("the cosines are not repeated along the last axis")(cosine, axis_of_cosines),
          predicate<ends_at_axis>("the sines are not repeated along the last axis")(sine, axis_of_sines)),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      KnownContents& known = rewriter.known_contents();
      if (Verdict paired = detail::are_pairs(known, m[x], m[first_part], m[second_part], false); !paired) return paired;
      return detail::Rotation(m[x], m[cosine], m[sine]).replace(rewriter, *m[outer].output(0));
    });

inline constexpr auto interleaved_rotary_embedding = rule<"interleaved-rotary-embedding">(
    comm<"Add">(comm<"Mul">(x, interleaved_pairs(cosine, cosine, cosine_pairs)),
                comm<"Mul">(interleaved_pairs(op<"Neg">(second_part), first_part, turned_pairs),
                            interleaved_pairs(sine, sine, sine_pairs)))
        .as(outer),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      const bool joined = joins_pairs(*m[cosine_pairs].output(0), m[cosine], m[axis], m[pair_axis]) &&
                          joins_pairs(*m[sine_pairs].output(0), m[sine], m[axis], m[pair_axis]) &&
                          joins_pairs(*m[turned_pairs].output(0), m[first_part], m[axis], m[pair_axis]);
      if (!joined) return Verdict::no("the parts are joined in another way");
      KnownContents& known = rewriter.known_contents();
      if (Verdict paired = detail::are_pairs(known, m[x], m[first_part], m[second_part], true); !paired) return paired;
      return detail::Rotation(m[x], m[cosine], m[sine], true).replace(rewriter, *m[outer].output(0));
    });

/// Whether two values are the halves of a third, or its elements at even and odd positions.
inline Verdict are_parts(const Value& first, const Value& second) {
  const Node* const part = first.producer();
  if (part == nullptr || part->input(0) == nullptr) return Verdict::no("the source of the halves is not known");
  KnownContents known;
  if (detail::are_pairs(known, *part->input(0), first, second, true)) return Verdict::yes();
  return detail::are_pairs(known, *part->input(0), first, second, false);
}

inline constexpr auto real_part = op<"Sub">(comm<"Mul">(first_part, cosine), comm<"Mul">(second_part, sine));
inline constexpr auto imaginary_part = comm<"Add">(comm<"Mul">(first_part, sine), comm<"Mul">(second_part, cosine));

inline constexpr auto rotary_embedding_of_parts = rule<"rotary-embedding-of-parts">(
    either(op<"Concat">(real_part, imaginary_part).with(axis).as(inner),
           interleaved_pairs(real_part, imaginary_part, outer)),
    where(predicate<are_parts>("")(first_part, second_part)), [](const auto& m, Rewriter& rewriter) -> Verdict {
      const bool interleaved = m[outer] != nullptr;
      Value &whole = *m[first_part].producer()->input(0), &result = *(interleaved ? m[outer] : m[inner])->output(0);
      const bool joined = interleaved ? joins_pairs(result, m[first_part], m[axis], *m[pair_axis])
                                      : ends_at_axis(m[first_part], m[axis]);
      if (!joined) return Verdict::no("the parts are joined in another way");
      KnownContents& known = rewriter.known_contents();
      if (Verdict paired = detail::are_pairs(known, whole, m[first_part], m[second_part], interleaved); !paired)
        return paired;
      return detail::Rotation(whole, m[cosine], m[sine], interleaved).replace(rewriter, result);
    });

inline constexpr auto standard_rotary_embedding = rule<"standard-rotary-embedding">(
    op<"RotaryEmbedding">(x, cosine, sine, opt(y)).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      const Node& node = m[outer];
      const auto number = [&](const char* name) { return node.attr<std::int64_t>(name).value_or(0); };
      const FusedOperators& runtime = operators_given(rewriter.context());
      if (runtime.contains("RotaryEmbedding") || !runtime.contains("com.microsoft::RotaryEmbedding"))
        return Verdict::no("the runtime has no other operator for it");
      const Shape whole = m[x].shape();
      if (number("rotary_embedding_dim") != 0 && whole.rank() == 4 && Dim(number("rotary_embedding_dim")) != whole[3])
        return Verdict::no("it rotates a part of the heads");
      if (m[y] != nullptr || whole.rank() != 4) return Verdict::no("it looks up angles, or its heads are joined");
      detail::Rotation rotation(m[x], m[cosine], m[sine], number("interleaved") != 0, false);
      return rotation.replace(rewriter, *node.output(0));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView repeated_halves = rules::repeated_halves.view();

GRAFT_INLINE constinit const RuleView repeated_table = rules::repeated_table.view();

GRAFT_INLINE constinit const RuleView rotary_embedding = rules::rotary_embedding.view();

GRAFT_INLINE constinit const RuleView interleaved_rotary_embedding = rules::interleaved_rotary_embedding.view();

GRAFT_INLINE constinit const RuleView rotary_embedding_of_parts = rules::rotary_embedding_of_parts.view();

GRAFT_INLINE constinit const RuleView standard_rotary_embedding = rules::standard_rotary_embedding.view();

GRAFT_INLINE Pass fuse_rotary_embeddings(const FusedOperators& runtime) {
  const Pass rules =
      sweep(repeated_table) | fixpoint(repeated_halves) |
      sweep(rotary_embedding, interleaved_rotary_embedding, rotary_embedding_of_parts, standard_rotary_embedding) |
      sweep(partial_rotary_embedding);
  const Pass shared = around(rules, [](const Pass& inner, Graph& graph, Context& context) {
    Report report = inner.run(graph, context);
    if (report.changes != 0) report.add(eliminate_common_subexpressions().run(graph, context));
    return report;
  });
  return on_typed_graph("fuse_rotary_embeddings",
                        pass("fuse_rotary_embeddings", shared, rules::fused_for = runtime));
}

}  // namespace graft::inline v1
