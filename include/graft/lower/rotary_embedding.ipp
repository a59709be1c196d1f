#pragma once
#include <graft/lower/rotary_embedding.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
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
namespace detail {

/// The form of a RotaryEmbedding by its attributes and types.
struct RotaryForm {
  bool flat = false, interleaved = false;
  std::int64_t turned = 0;             // elements of a head, an even number
  std::int64_t heads = -1, head = -1;  // of a flat x; -1: inferred
  bool has_rest = false;               // some elements of a head stay
  float scale = 1;

  Verdict read(const Node& node);
};

GRAFT_INLINE Verdict RotaryForm::read(const Node& node) {
  const Shape x = node.input(0)->shape(), positions = node.input(1)->shape(), angles = node.input(2)->shape();
  const auto number = [&](const char* name) { return node.attr<std::int64_t>(name).value_or(0); };
  if (node.graph().opset() < 13) return Verdict::no("it needs opset 13");
  if (number("is_packed_batching") != 0) return Verdict::no("its batches are packed");
  if (!x.known() || (x.rank() != 3 && x.rank() != 4)) return Verdict::no("its input is not known to be of rank 3 or 4");
  if (!positions.known() || positions.rank() > 2) return Verdict::no("the rank of its positions is not known");
  if (!angles.known() || angles.rank() != 2 || !angles[1].known())
    return Verdict::no("the extents of its cosines are not known");
  flat = x.rank() == 3;
  interleaved = number("interleaved") != 0;
  scale = node.attr<float>("scale").value_or(1);
  if (scale != 1 && node.input(0)->dtype() == DType::undefined) return Verdict::no("the dtype is not known");
  const std::int64_t part = number("rotary_embedding_dim"), count = number("num_heads");
  turned = 2 * angles[1].value();
  if (part > 0 && part != turned) return Verdict::no("the width of its cosines does not match rotary_embedding_dim");
  if (part > 0 && flat && count < 1) return Verdict::no("rotary_embedding_dim requires num_heads");
  const Dim width = x[x.rank() - 1];
  if (!flat) {
    if (width.known() && (part > 0 ? width.value() < part : width.value() != turned))
      return Verdict::no("the size of its heads does not match its cosines");
    has_rest = part > 0 && (!width.known() || width.value() != part);
    return Verdict::yes();
  }
  if (part > 0) {
    heads = count;
    if (width.known() && (width.value() % count != 0 || width.value() / count < part))
      return Verdict::no("the size of its heads does not match its cosines");
    if (width.known()) head = width.value() / count;
    has_rest = head != part;
  } else {
    head = turned;
    if (width.known() && (turned == 0 || width.value() % turned != 0 || (count > 0 && count * turned != width.value())))
      return Verdict::no("the size of its heads does not match its cosines");
    if (width.known()) heads = width.value() / turned;
    if (heads < 0 && count > 0) heads = count;
  }
  return Verdict::yes();
}

class RotaryDecomposition {
 public:
  RotaryDecomposition(Rewriter& rewriter, const Node& node, const RotaryForm& form)
      : rewriter_(rewriter), node_(node), form_(form) {}

  Value& result() {
    Value* x = node_.input(0);
    if (form_.scale != 1)
      x = &op("Mul", {x, &rewriter_.constant(Tensor::of<float>(x->dtype(), {}, {form_.scale}), "scale")});
    if (form_.flat) x = &op("Reshape", {x, &ints({0, 0, form_.heads, form_.head})});
    Value &cosine = angles(*node_.input(2)), &sine = angles(*node_.input(3));
    const std::int64_t turned = form_.turned, step = form_.interleaved ? 2 : 1;
    Value& a = slice(*x, 0, form_.interleaved ? turned : turned / 2, step);
    Value& b = slice(*x, form_.interleaved ? 1 : turned / 2, turned, step);
    Value& first = op("Sub", {&op("Mul", {&a, &cosine}), &op("Mul", {&b, &sine})});
    Value& second = op("Add", {&op("Mul", {&a, &sine}), &op("Mul", {&b, &cosine})});
    Value* y = form_.interleaved ? &alternating(first, second) : nullptr;
    if (form_.has_rest) {
      Value& rest = slice(*x, turned, std::numeric_limits<std::int64_t>::max(), 1);
      y = y != nullptr ? &concat({y, &rest}) : &concat({&first, &second, &rest});
    } else if (y == nullptr) {
      y = &concat({&first, &second});
    }
    return form_.flat ? op("Reshape", {y, &ints({0, 0, whole_width()})}) : *y;
  }

 private:
  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return rewriter_.op(name, inputs, attributes);
  }
  Value& ints(const Ints& values) { return rewriter_.ints(values); }
  Value& concat(std::initializer_list<Value*> parts) { return op("Concat", parts, {{"axis", -1}}); }
  Value& slice(Value& x, std::int64_t first, std::int64_t end, std::int64_t step) {
    return op("Slice", {&x, &ints({first}), &ints({end}), &ints({-1}), &ints({step})});
  }
  /// Interleaves the elements of both.
  Value& alternating(Value& first, Value& second) {
    Value& pairs = concat({&op("Unsqueeze", {&first, &ints({-1})}), &op("Unsqueeze", {&second, &ints({-1})})});
    return op("Reshape", {&pairs, &ints({0, 0, 0, form_.turned})});
  }
  std::int64_t whole_width() const {
    const Dim width = node_.input(0)->shape()[2];
    return width.known() ? width.value() : -1;
  }

  /// The rows of a table at the positions, with an axis of extent 1 for the heads.
  Value& angles(Value& table) {
    if (node_.input(1)->shape().rank() == 2)
      return op("Unsqueeze", {&op("Gather", {&table, node_.input(1)}), &ints({form_.flat ? 2 : 1})});
    Value& rows = op("Gather", {&table, &positions_from_first()});
    return form_.flat ? op("Unsqueeze", {&rows, &ints({1})}) : rows;  // else [steps, half] broadcasts
  }
  Value& positions_from_first() {
    if (positions_ != nullptr) return *positions_;
    const std::int64_t axis = form_.flat ? 1 : 2;
    const Dim steps = node_.input(0)->shape()[static_cast<std::size_t>(axis)];
    const auto number = [&](std::int64_t value) { return &rewriter_.constant(Tensor::scalar(value), "number"); };
    Value* counted = nullptr;
    if (steps.known()) {
      Ints numbers(static_cast<std::size_t>(steps.value()));
      std::iota(numbers.begin(), numbers.end(), 0);
      counted = &ints(numbers);
    } else {
      Value& extent = op("Gather", {&op("Shape", {node_.input(0)}), number(axis)}, {{"axis", 0}});
      counted = &op("Range", {number(0), &extent, number(1)});
    }
    return *(positions_ = &op("Add", {counted, node_.input(1)}));
  }

  Rewriter& rewriter_;
  const Node& node_;
  const RotaryForm& form_;
  Value* positions_ = nullptr;
};

}  // namespace detail

namespace rules {

inline Verdict has_rotary_form(const Node& node) { return detail::RotaryForm().read(node); }

inline constexpr auto decompose_rotary_embedding = rule<"decompose-rotary-embedding">(
    op<"com.microsoft::RotaryEmbedding">(any, any, any, any).with(any_attributes).as(outer),
    where(predicate<has_rotary_form>("")(outer)), [](const auto& m, Rewriter& rewriter) -> Value& {
      detail::RotaryForm form;
      (void)form.read(m[outer]);
      return detail::RotaryDecomposition(rewriter, m[outer], form).result();
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView decompose_rotary_embedding = rules::decompose_rotary_embedding.view();

GRAFT_INLINE Pass decompose_rotary_embeddings() {
  return on_typed_graph("decompose_rotary_embeddings", sweep(decompose_rotary_embedding));
}

namespace rules {

inline bool reads_cache(const Use& use) {
  const Node* const user = use.user();
  if (user == nullptr) return false;
  const std::size_t first = user->is("com.microsoft::GroupQueryAttention") ? 7
                            : user->is("com.microsoft::RotaryEmbedding")   ? 2
                                                                           : use.index() + 1;
  return use.index() == first || use.index() == first + 1;
}

/// The number of rows of a branch's output; nullopt if it is not constant.
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
      if (!reads_cache(use)) return Verdict::no("its outputs are not caches of cosines or sines");
    const auto rows = rows_of_branch(choice, "then_branch", i), other = rows_of_branch(choice, "else_branch", i);
    if (!rows || !other) return Verdict::no("a branch does not return a constant of rank 2");
    if (*rows == *other) return Verdict::no("no branch has more rows than the other");
    if (i != 0 && then_is_large != (*rows > *other))
      return Verdict::no("neither branch has the larger caches throughout");
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

}  // namespace rules

GRAFT_INLINE constinit const RuleView single_rope_cache = rules::single_rope_cache.view();

GRAFT_INLINE Pass single_rope_caches(bool large) {
  return on_typed_graph("single_rope_caches",
                        pass("single_rope_caches", sweep(single_rope_cache), keeps_large_cache = large));
}

}  // namespace graft::inline v1
