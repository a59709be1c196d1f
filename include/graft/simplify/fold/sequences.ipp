#pragma once
#include <graft/simplify/fold/sequences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto sequence_axis = attr<"axis", std::int64_t>.named<"sequence_axis">();

inline constexpr auto new_axis = attr<"new_axis", std::int64_t>;

/// A sequence of tensors that are all there; the sequence may have other readers.
constexpr auto constructed() { return op<"SequenceConstruct">(rest<>).shared().as(inner); }

inline bool all_given(const Node& node) {
  return std::none_of(node.inputs().begin(), node.inputs().end(), [](const Value* input) { return input == nullptr; });
}

inline std::optional<std::int64_t> index_in(const Value& index, KnownContents& known) {
  const std::optional<Ints> numbers = known.ints(index);
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

inline constexpr auto element_of_sequence =
    rule<"element-of-sequence">(op<"SequenceAt">(constructed(), y).as(outer), [](const auto& m, Rewriter& rewriter) {
      const auto index = index_in(m[y], rewriter.known_contents());
      if (!index) return Verdict::no("the index is not known");
      const auto place = infer::normalized(*index, m[inner].input_count());
      if (!place) return Verdict::no("the index is out of range");
      Value* const element = m[inner].input(*place);
      if (element == nullptr) return Verdict::no("the element is absent");
      return rewriter.replace(*m[outer].output(0), *element);
    });

inline constexpr auto length_of_sequence = rule<"length-of-sequence">(
    op<"SequenceLength">(constructed()).as(outer), [](const auto& m, Rewriter& rewriter) {
      Value& length = rewriter.constant(Tensor::scalar(static_cast<std::int64_t>(m[inner].input_count())));
      return rewriter.replace(*m[outer].output(0), length);
    });

inline Value& with_new_axis(Value& value, std::int64_t at, Rewriter& rewriter) {
  if (value.graph().opset() < 13) return rewriter.op("Unsqueeze", {&value}, {{"axes", {at}}});
  return rewriter.op("Unsqueeze", {&value, &rewriter.constant(Tensor::of<std::int64_t>({1}, {at}), "axes")});
}

inline constexpr auto concat_of_sequence =
    rule<"concat-of-sequence">(op<"ConcatFromSequence">(constructed()).with(sequence_axis, opt(new_axis)).as(outer),
                               [](const auto& m, Rewriter& rewriter) {
      if (!all_given(m[inner]) || m[inner].input_count() == 0) return Verdict::no("an element is absent");
      std::vector<Value*> parts(m[inner].inputs().begin(), m[inner].inputs().end());
      if (m[new_axis].value_or(0) != 0) {
        // Each part costs a node, so the sequence has to go.
        if (m[inner].output(0)->use_count() != 1) return Verdict::no("the sequence is used elsewhere too");
        for (Value*& part : parts) part = &with_new_axis(*part, m[sequence_axis], rewriter);
      }
      Value& joined = rewriter.op("Concat", parts, {{"axis", m[sequence_axis]}});
      return rewriter.replace(*m[outer].output(0), joined);
    });

/// Whether all that reads a sequence of known elements can do without it.
inline bool can_go(const Value& sequence, KnownContents& known) {
  return std::all_of(sequence.uses().begin(), sequence.uses().end(), [&](const Use& use) {
    const Node* const user = use.user();
    if (user == nullptr || use.index() != 0) return false;
    if (user->is("SequenceAt")) return user->input(1) != nullptr && index_in(*user->input(1), known).has_value();
    return user->is("ConcatFromSequence") || user->is("SequenceLength");
  });
}

/// The sizes of the parts that SplitToSequence makes; nullopt if they are not known.
inline std::optional<Ints> part_sizes(const Contents& split, const Dim& whole) {
  const std::optional<Ints> given = split.ints();
  if (!given || split.dims.size() > 1) return std::nullopt;
  if (split.dims.size() == 1) {
    const bool has_negative = std::any_of(given->begin(), given->end(), [](std::int64_t size) { return size < 0; });
    const std::int64_t sum = std::accumulate(given->begin(), given->end(), std::int64_t{0});
    return given->empty() || has_negative || (whole.known() && whole.value() != sum) ? std::nullopt : given;
  }
  const std::int64_t size = given->front();
  if (!whole.known() || whole.value() == 0 || size <= 0) return std::nullopt;
  if ((whole.value() - 1) / size >= contents_limit) return std::nullopt;
  Ints sizes(static_cast<std::size_t>((whole.value() - 1) / size + 1), size);
  sizes.back() = whole.value() - size * (std::ssize(sizes) - 1);
  return sizes;
}

inline constexpr auto split_to_parts =
    rule<"split-to-parts">(op<"SplitToSequence">(x, y).with(opt(sequence_axis), keepdims == 1).as(outer),
                           [](const auto& m, Rewriter& rewriter) {
      const std::int64_t along = m[sequence_axis].value_or(0);
      const Shape from = m[x].shape();
      const auto place = from.known() ? infer::normalized(along, from.rank()) : std::nullopt;
      if (!place) return Verdict::no("the rank of its input is not known");
      const Contents* const split = rewriter.known_contents().contents(m[y]);
      const std::optional<Ints> sizes = split != nullptr ? part_sizes(*split, from[*place]) : std::nullopt;
      if (!sizes || std::ssize(*sizes) > contents_limit) return Verdict::no("the sizes of its parts are not known");
      if (!can_go(*m[outer].output(0), rewriter.known_contents())) return Verdict::no("the sequence is used as one");
      std::vector<Value*> inputs{&m[x]};
      Attributes attributes{{"axis", along}};
      if (m[outer].opset() >= 13) {
        inputs.push_back(&rewriter.constant(Tensor::of({std::ssize(*sizes)}, *sizes), "split"));
      } else {
        attributes.emplace_back("split", *sizes);
      }
      std::vector<Value*> parts;
      for (Value& part : rewriter.node("Split", inputs, sizes->size(), attributes).outputs()) parts.push_back(&part);
      return rewriter.replace(*m[outer].output(0), rewriter.op("SequenceConstruct", parts));
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView concat_of_sequence = vocabulary::concat_of_sequence.view();

GRAFT_INLINE constinit const RuleView element_of_sequence = vocabulary::element_of_sequence.view();

GRAFT_INLINE constinit const RuleView length_of_sequence = vocabulary::length_of_sequence.view();

GRAFT_INLINE constinit const RuleView split_to_parts = vocabulary::split_to_parts.view();

}  // namespace graft::inline v1
