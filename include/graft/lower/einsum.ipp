#pragma once
#include <graft/lower/einsum.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/einsum.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace detail {

/// The letters of the operands and of the result; nullopt if a term repeats a letter or has "...".
inline std::optional<std::vector<std::string>> einsum_terms(const Node& node) {
  const std::string equation(node.attr<std::string_view>("equation").value_or(""));
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  std::string_view operands = std::string_view(equation).substr(0, arrow);
  std::vector<std::string_view> texts;
  for (std::size_t comma = operands.find(','); comma != std::string_view::npos; comma = operands.find(',')) {
    texts.push_back(operands.substr(0, comma));
    operands.remove_prefix(comma + 1);
  }
  texts.push_back(operands);
  texts.push_back(std::string_view(equation).substr(arrow + 2));
  std::vector<std::string> terms;
  for (const std::string_view text : texts) {
    const auto term = infer::EinsumTerm::parse(text);
    if (!term || term->ellipsis) return std::nullopt;
    for (const char letter : term->letters)
      if (std::count(term->letters.begin(), term->letters.end(), letter) > 1) return std::nullopt;
    terms.push_back(term->letters);
  }
  if (terms.size() != node.input_count() + 1) return std::nullopt;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (!node.input(i)->shape().known() || node.input(i)->shape().rank() != terms[i].size()) return std::nullopt;
  return terms;
}

inline bool has_letter(const std::string& term, char letter) { return term.find(letter) != std::string::npos; }

/// The target of a Reshape.
class ReshapeTarget {
 public:
  /// The next extent is that of the input at the same place.
  void copy(Dim extent) {
    target_.push_back(0);
    may_copy_0_ = may_copy_0_ || !extent.known() || extent == Dim(0);
  }
  void put(Dim extent) {
    target_.push_back(extent.known() ? extent.value() : -1);
    puts_0_ = puts_0_ || extent == Dim(0);
  }

  /// nullopt if a Reshape cannot express it: 0 means a copy, and beside an inferred extent all others are known and not
  /// 0.
  std::optional<Ints> get() const {
    const auto inferred = std::count(target_.begin(), target_.end(), -1);
    if (puts_0_ || inferred > 1 || (inferred == 1 && may_copy_0_)) return std::nullopt;
    return target_;
  }

 private:
  Ints target_;
  bool may_copy_0_ = false, puts_0_ = false;
};

/// A value with a letter for each axis, to be permuted and joined.
struct LetteredValue {
  Value* value = nullptr;
  std::string letters;
  std::vector<Dim> dims;  // one for each letter

  Dim dim(char letter) const { return dims[letters.find(letter)]; }

  /// The extents of groups of adjacent letters, as a Reshape's target; nullopt if a Reshape cannot express them.
  std::optional<Ints> extents_of(const std::vector<std::string>& groups) const {
    ReshapeTarget target;
    bool is_in_place = true;  // no axes are joined yet
    for (const std::string& group : groups) {
      Dim all(1);
      for (const char letter : group) all = infer::multiply(all, dim(letter));
      is_in_place = is_in_place && group.size() == 1;
      if (is_in_place) {
        target.copy(all);
      } else {
        target.put(all);
      }
    }
    return target.get();
  }

  Ints axes_for(const std::string& order) const {
    Ints axes;
    for (const char letter : order) axes.push_back(static_cast<std::int64_t>(letters.find(letter)));
    return axes;
  }

  Value& in_order(Rewriter& rewriter, const std::string& order) const {
    return order == letters ? *value : rewriter.op("Transpose", {value}, {{"perm", axes_for(order)}});
  }
};

inline Value& reshaped_to(Rewriter& rewriter, Value& x, const Ints& target) {
  return rewriter.op("Reshape", {&x, &rewriter.ints(target)});
}

/// The operand with the letters of each group joined; nullptr if a Reshape cannot do it.
inline Value* joined(Rewriter& rewriter, const LetteredValue& x, const std::vector<std::string>& groups) {
  LetteredValue ordered{nullptr, {}, {}};
  for (const std::string& group : groups) ordered.letters += group;
  for (const char letter : ordered.letters) ordered.dims.push_back(x.dim(letter));
  const auto target = ordered.extents_of(groups);
  if (!target) return nullptr;
  const bool is_apart = std::all_of(groups.begin(), groups.end(), [](const auto& group) { return group.size() == 1; });
  const auto constant = x.value->constant();
  if (!constant) {
    Value& turned = x.in_order(rewriter, ordered.letters);
    return is_apart ? &turned : &reshaped_to(rewriter, turned, *target);
  }
  if (is_apart && ordered.letters == x.letters) return x.value;
  const Ints axes = x.axes_for(ordered.letters);
  const Tensor turned = permuted(*constant, {axes.begin(), axes.end()});
  Dims dims = *target;
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] == 0) dims[i] = turned.dims()[i];
  return &rewriter.constant(turned.reshaped(dims), x.value->name());
}

inline Verdict put_product(const Node& node, LetteredValue left, LetteredValue right, const std::string& result,
                           Rewriter& rewriter) {
  std::string batch, rows, columns, inner;
  for (const char letter : left.letters) {
    const bool kept = has_letter(result, letter), shared = has_letter(right.letters, letter);
    if (!kept && !shared) return Verdict::no("it sums over a letter of one operand");
    (!shared ? rows : kept ? batch : inner) += letter;
  }
  for (const char letter : right.letters) {
    if (has_letter(left.letters, letter)) continue;
    if (!has_letter(result, letter)) return Verdict::no("it sums over a letter of one operand");
    columns += letter;
  }
  if (inner.empty()) return Verdict::no("it sums over nothing");
  for (const char letter : inner)
    if (!same_size(left.dim(letter), right.dim(letter))) return Verdict::no("a summed letter may have two extents");
  // MatMul allows any number of row axes if the other operand is a matrix.
  const bool is_matrix = batch.empty();
  std::vector<std::string> first, second, product;
  for (const char letter : batch) first.emplace_back(1, letter);
  second = first;
  if (is_matrix) {
    for (const char letter : rows) first.emplace_back(1, letter);
  } else {
    first.push_back(rows);
  }
  product = first;
  first.push_back(inner);
  second.push_back(inner);
  second.push_back(columns);
  Value *const a = joined(rewriter, left, first), *const b = joined(rewriter, right, second);
  if (a == nullptr || b == nullptr)
    return Verdict::no("of the extents around joined ones, two are not known or one is 0");
  Value& multiplied = rewriter.op("MatMul", {a, b});

  LetteredValue made{&multiplied, batch + rows + columns, {}};
  for (const char letter : batch)
    made.dims.push_back(infer::broadcast(left.dim(letter), right.dim(letter)).value_or(Dim()));
  for (const char letter : rows) made.dims.push_back(left.dim(letter));
  for (const char letter : columns) made.dims.push_back(right.dim(letter));
  if (columns.size() != 1 || (!is_matrix && rows.size() != 1)) {
    ReshapeTarget target;
    for (std::size_t i = 0; i < made.letters.size(); ++i) {
      // Axes before all joined ones keep their place.
      if (i < batch.size() || (i < batch.size() + rows.size() && (is_matrix || rows.size() == 1))) {
        target.copy(made.dims[i]);
      } else {
        target.put(made.dims[i]);
      }
    }
    const auto extents = target.get();
    if (!extents) return Verdict::no("of the extents around split ones, two are not known or one is 0");
    made.value = &reshaped_to(rewriter, multiplied, *extents);
  }
  return rewriter.replace(*node.output(0), made.in_order(rewriter, result));
}

inline LetteredValue lettered(Value& value, const std::string& term) {
  return {&value, term, infer::to_dims(value.shape())};
}

}  // namespace detail

namespace rules {

inline constexpr auto einsum_to_matmul = rule<"einsum-to-matmul">(
    op<"Einsum">(x, y).with(any_attributes).as(outer), [](const auto& m, Rewriter& rewriter) -> Verdict {
      const Node& node = m[outer];
      const auto terms = detail::einsum_terms(node);
      if (!terms) return Verdict::no("its letters or ranks are not known, or a term repeats a letter");
      if (!is_float(node.input(0)->dtype())) return Verdict::no("it is not of floats");
      const auto first = detail::lettered(m[x], (*terms)[0]), second = detail::lettered(m[y], (*terms)[1]);
      // A constant is the matrix on the right.
      const bool swapped = m[x].is_constant() && !m[y].is_constant();
      return detail::put_product(node, swapped ? second : first, swapped ? first : second, (*terms)[2], rewriter);
    });

inline constexpr auto einsum_to_transpose = rule<"einsum-to-transpose">(
    op<"Einsum">(x).with(any_attributes).as(outer), [](const auto& m, Rewriter& rewriter) -> Verdict {
      const auto terms = detail::einsum_terms(m[outer]);
      if (!terms) return Verdict::no("its letters or rank are not known, or a term repeats a letter");
      const std::string &given = (*terms)[0], &wanted = (*terms)[1];
      if (!std::is_permutation(given.begin(), given.end(), wanted.begin(), wanted.end())) return Verdict::no("it sums");
      const Ints order = detail::lettered(m[x], given).axes_for(wanted);
      return rewriter.replace(*m[outer].output(0), rewriter.op("Transpose", {&m[x]}, {{"perm", order}}));
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView einsum_to_matmul = rules::einsum_to_matmul.view();
GRAFT_INLINE constinit const RuleView einsum_to_transpose = rules::einsum_to_transpose.view();

GRAFT_INLINE Pass einsums_to_matmuls() {
  return on_typed_graph("einsums_to_matmuls", sweep(einsum_to_matmul, einsum_to_transpose));
}

}  // namespace graft::inline v1
