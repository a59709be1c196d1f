#pragma once
#include <graft/simplify/sequence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
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
#include <graft/simplify/detail/with_axis.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto sequence_axis = attr<"axis", std::int64_t>.named<"sequence_axis">();

inline constexpr auto new_axis = attr<"new_axis", std::int64_t>;

/// A sequence of tensors, none of them absent. It may have other readers.
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

inline constexpr auto length_of_sequence =
    rule<"length-of-sequence">(op<"SequenceLength">(constructed()).as(outer), [](const auto& m, Rewriter& rewriter) {
      Value& length = rewriter.constant(Tensor::scalar(static_cast<std::int64_t>(m[inner].input_count())));
      return rewriter.replace(*m[outer].output(0), length);
    });

inline constexpr auto insert_into_empty_sequence = rule<"insert-into-empty-sequence">(
    op<"SequenceInsert">(op<"SequenceEmpty">().with(any_attributes).shared(), x, opt(any)), op<"SequenceConstruct">(x));

/// The place of an edit in a sequence of `count` elements: without an index, `last`, which is the greatest valid place.
inline std::optional<std::size_t> place_of_edit(const Value* index, std::size_t count, std::size_t last,
                                                KnownContents& known) {
  if (index == nullptr) return last;
  const auto number = index_in(*index, known);
  if (number && *number == static_cast<std::int64_t>(last)) return last;
  return number ? infer::normalized(*number, count) : std::nullopt;
}

inline constexpr auto insert_into_sequence = rule<"insert-into-sequence">(
    op<"SequenceInsert">(op<"SequenceConstruct">(rest<>).as(inner), x, opt(y)).as(outer),
    [](const auto& m, Rewriter& rewriter) {
      std::vector<Value*> elements(m[inner].inputs().begin(), m[inner].inputs().end());
      if (std::ssize(elements) >= contents_limit) return Verdict::no("the sequence has too many elements");
      const auto place = place_of_edit(m[y], elements.size(), elements.size(), rewriter.known_contents());
      if (!place) return Verdict::no("the index is not known or out of range");
      elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*place), &m[x]);
      return rewriter.replace(*m[outer].output(0), rewriter.op("SequenceConstruct", elements));
    });

inline constexpr auto erase_from_sequence = rule<"erase-from-sequence">(
    op<"SequenceErase">(op<"SequenceConstruct">(rest<>).as(inner), opt(y)).as(outer),
    [](const auto& m, Rewriter& rewriter) {
      std::vector<Value*> elements(m[inner].inputs().begin(), m[inner].inputs().end());
      if (elements.size() < 2) return Verdict::no("no element is left");
      const auto place = place_of_edit(m[y], elements.size(), elements.size() - 1, rewriter.known_contents());
      if (!place) return Verdict::no("the index is not known or out of range");
      elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*place));
      return rewriter.replace(*m[outer].output(0), rewriter.op("SequenceConstruct", elements));
    });

inline constexpr auto concat_of_sequence =
    rule<"concat-of-sequence">(op<"ConcatFromSequence">(constructed()).with(sequence_axis, opt(new_axis)).as(outer),
                               [](const auto& m, Rewriter& rewriter) {
                                 if (!all_given(m[inner]) || m[inner].input_count() == 0)
                                   return Verdict::no("an element is absent");
                                 std::vector<Value*> parts(m[inner].inputs().begin(), m[inner].inputs().end());
                                 if (m[new_axis].value_or(0) != 0) {
                                   // Each part costs a node, so the sequence must become unused.
                                   if (m[inner].output(0)->use_count() != 1)
                                     return Verdict::no("the sequence has other readers");
                                   for (Value*& part : parts)
                                     part = &detail::with_axis("Unsqueeze", *part, m[sequence_axis], rewriter);
                                 }
                                 Value& joined = rewriter.op("Concat", parts, {{"axis", m[sequence_axis]}});
                                 return rewriter.replace(*m[outer].output(0), joined);
                               });

/// Whether all readers of a sequence with known elements can read the elements. ConcatFromSequence can if `joins` is
/// set.
inline bool can_go(const Value& sequence, bool joins, KnownContents& known) {
  return std::all_of(sequence.uses().begin(), sequence.uses().end(), [&](const Use& use) {
    const Node* const user = use.user();
    if (user == nullptr || use.index() != 0) return false;
    if (user->is("SequenceAt")) return user->input(1) != nullptr && index_in(*user->input(1), known).has_value();
    return (joins && user->is("ConcatFromSequence")) || user->is("SequenceLength");
  });
}

/// The sizes of the parts of SplitToSequence; nullopt if unknown.
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

/// The sizes in absence of `split`: 1 each.
inline std::optional<Ints> unit_sizes(const Dim& whole) {
  if (!whole.known() || whole.value() == 0 || whole.value() > contents_limit) return std::nullopt;
  return Ints(static_cast<std::size_t>(whole.value()), 1);
}

inline constexpr auto split_to_parts = rule<"split-to-parts">(
    op<"SplitToSequence">(x, opt(y)).with(opt(sequence_axis), keepdims).as(outer),
    [](const auto& m, Rewriter& rewriter) {
      const std::int64_t along = m[sequence_axis].value_or(0);
      const Shape from = m[x].shape();
      const auto place = from.known() ? infer::normalized(along, from.rank()) : std::nullopt;
      if (!place) return Verdict::no("the rank of its input is not known");
      const Contents* const split = m[y] != nullptr ? rewriter.known_contents().contents(*m[y]) : nullptr;
      if (split != nullptr && split->dims.empty() && m[keepdims] == 0)
        return Verdict::no("runtimes squeeze parts of one size, and the standard does not");
      std::optional<Ints> sizes;
      if (m[y] == nullptr) sizes = unit_sizes(from[*place]);
      else if (split != nullptr) sizes = part_sizes(*split, from[*place]);
      if (!sizes || std::ssize(*sizes) > contents_limit)
        return Verdict::no("the sizes of its parts are not known, or too many");
      const bool squeezes = m[y] == nullptr && m[keepdims] == 0;
      if (!can_go(*m[outer].output(0), !squeezes, rewriter.known_contents()))
        return Verdict::no("a reader needs the sequence itself");
      std::vector<Value*> inputs{&m[x]};
      Attributes attributes{{"axis", along}};
      if (m[outer].opset() >= 13) {
        inputs.push_back(&rewriter.constant(Tensor::of({std::ssize(*sizes)}, *sizes), "split"));
      } else {
        attributes.emplace_back("split", *sizes);
      }
      std::vector<Value*> parts;
      for (Value& part : rewriter.node("Split", inputs, sizes->size(), attributes).outputs())
        parts.push_back(squeezes ? &detail::with_axis("Squeeze", part, along, rewriter) : &part);
      return rewriter.replace(*m[outer].output(0), rewriter.op("SequenceConstruct", parts));
    });

/// The value in an optional: nullptr if it is empty, nullopt if unknown.
inline std::optional<Value*> held_by(Value* optional) {
  if (optional == nullptr) return nullptr;
  const Node* const maker = optional->producer();
  if (maker != nullptr && maker->is("Optional")) return maker->input(0);
  const onnx::TypeProto* const type = optional->type();
  if (type != nullptr && (type->has_tensor_type() || type->has_sequence_type())) return optional;
  return std::nullopt;
}

inline constexpr auto element_of_optional =
    rule<"element-of-optional">(op<"OptionalGetElement">(x).as(outer), [](const auto& m, Rewriter& rewriter) {
      const std::optional<Value*> held = held_by(&m[x]);
      if (!held) return Verdict::no("the content of its input is not known");
      if (*held == nullptr) return Verdict::no("its input is empty");
      return rewriter.replace(*m[outer].output(0), **held);
    });

inline constexpr auto optional_has_element =
    rule<"optional-has-element">(op<"OptionalHasElement">(opt(x)).as(outer), [](const auto& m, Rewriter& rewriter) {
      const std::optional<Value*> held = held_by(m[x]);
      if (!held) return Verdict::no("the content of its input is not known");
      return rewriter.replace(*m[outer].output(0), rewriter.constant(Tensor::scalar(*held != nullptr)));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView concat_of_sequence = rules::concat_of_sequence.view();

GRAFT_INLINE constinit const RuleView element_of_sequence = rules::element_of_sequence.view();

GRAFT_INLINE constinit const RuleView erase_from_sequence = rules::erase_from_sequence.view();

GRAFT_INLINE constinit const RuleView insert_into_empty_sequence = rules::insert_into_empty_sequence.view();

GRAFT_INLINE constinit const RuleView insert_into_sequence = rules::insert_into_sequence.view();

GRAFT_INLINE constinit const RuleView length_of_sequence = rules::length_of_sequence.view();

GRAFT_INLINE constinit const RuleView split_to_parts = rules::split_to_parts.view();

GRAFT_INLINE constinit const RuleView element_of_optional = rules::element_of_optional.view();

GRAFT_INLINE constinit const RuleView optional_has_element = rules::optional_has_element.view();

}  // namespace graft::inline v1
