#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

namespace detail {

/// The attribute rows and the words of an entry of .with(...).
template <class Spec>
inline constexpr std::size_t spec_rows = 0;
template <class Spec>
inline constexpr std::size_t spec_words = 0;
template <std::size_t W, class C>
inline constexpr std::size_t spec_rows<AttrSpec<W, C>> = 1;
template <std::size_t W, class C>
inline constexpr std::size_t spec_words<AttrSpec<W, C>> = W;

}  // namespace detail

/// An operator and its operands.
template <std::size_t N, std::size_t A, std::size_t W, class C>
struct Op : Pattern<N, A, W, C> {
  /// Binds the node; in a replacement, names the new node.
  template <class Node>
  constexpr auto as(const Node&) const {
    auto p = retyped<Captures<Node::id>>();
    p.nodes[0].name = Node::name;
    p.nodes[0].id = Node::id;
    return p;
  }

  /// In a replacement: takes the name, and attributes that are not written, from a captured node.
  template <class Node>
  constexpr auto like(const Node&) const {
    auto p = retyped<Captures<Node::ref, detail::only_built>>();
    p.nodes[0].like_id = Node::id;
    if (p.nodes[0].op.empty()) p.nodes[0].name = Node::name;
    return p;
  }

  /// Attributes: required or captured ones, or those to write.
  template <class... X>
  constexpr auto with(const X&... attributes) const {
    return with_specs(detail::attr_spec(attributes)...);
  }

  /// Matches from this version of the operator's domain on.
  constexpr Op since(int version) const {
    Op p = *this;
    p.nodes[0].since = static_cast<std::uint16_t>(version);
    return p;
  }
  /// Matches in versions below this one.
  constexpr Op before(int version) const {
    Op p = *this;
    p.nodes[0].before = static_cast<std::uint16_t>(version);
    return p;
  }
  /// The operand is the i-th output, not the first.
  constexpr Op out(int i) const {
    Op p = *this;
    p.nodes[0].out = static_cast<std::uint8_t>(i);
    return p;
  }
  /// Outputs may have other readers, and stay for them.
  constexpr Op shared() const {
    Op p = *this;
    p.nodes[0].shared = true;
    return p;
  }

 private:
  template <class More>
  constexpr auto retyped() const {
    Op<N, A, W, detail::Join<C, More>> p;
    p.nodes = this->nodes;
    p.attrs = this->attrs;
    p.words = this->words;
    return p;
  }

  template <std::size_t MoreWords, class More, class B>
  static constexpr void append(B& b, const AttrSpec<MoreWords, More>& spec) {
    b.append_attrs(std::array{spec.row}, spec.words);
  }
  template <class B>
  static constexpr void append(B& b, const AnyAttributes&) {
    b.result.nodes[0].open = true;
  }

  template <class... Spec>
  constexpr auto with_specs(const Spec&... specs) const {
    constexpr std::size_t count = (0 + ... + detail::spec_rows<Spec>);
    constexpr std::size_t more_words = (0 + ... + detail::spec_words<Spec>);
    detail::Builder<Op<N, A + count, W + more_words, detail::Join<C, typename Spec::captures...>>> b;
    b.result.nodes = this->nodes;
    b.nodes = N;
    b.result.nodes[0].attr_count = static_cast<std::uint8_t>(this->nodes[0].attr_count + count);
    for (std::size_t k = 1; k < N; ++k) {
      b.result.nodes[k].attr0 = static_cast<std::uint16_t>(this->nodes[k].attr0 + count);
    }
    (append(b, specs), ...);
    b.append_attrs(this->attrs, this->words);
    return b.result;
  }
};

namespace detail {

/// Replaces an operand that is not a pattern, so that its error is the only one.
template <class P>
constexpr const auto& operand(const P& p) {
  if constexpr (pattern<P>) {
    return p;
  } else {
    return none;
  }
}
template <class P>
using Operand = std::remove_cvref_t<decltype(operand(std::declval<const P&>()))>;

template <class Own, class... P>
constexpr auto make_op(std::string_view name, bool commutative, const P&... operands) {
  static_assert((pattern<P> && ...),
                "graft: an operand is not a pattern; write val<>, cst<>, rest<>, any, opt(...) or another op<>(...)");
  Builder<Op<(1 + ... + Operand<P>::node_count), (0 + ... + Operand<P>::attr_count), (0 + ... + Operand<P>::word_count),
             Join<Own, typename Operand<P>::captures...>>>
      b;
  PatternNode row;
  row.step = Step::op;
  row.op = name;
  row.commutative = commutative;
  row.operand_count = static_cast<std::uint16_t>(sizeof...(P));
  b.add(row);
  [[maybe_unused]] std::size_t k = 0;
  (b.append(operand(operands), 0, k++), ...);
  for (const PatternNode& child : b.result.nodes) {
    if (child.parent == 0 && (child.step == Step::rest || child.step == Step::each)) b.result.nodes[0].variadic = true;
  }
  return b.finish();
}

/// Operator names joined by '|' in static storage.
template <FixedString First, FixedString... More>
struct Names {
  static constexpr auto text = [] {
    std::array<char, (sizeof(First.text) + ... + sizeof(More.text))> joined{};
    std::size_t at = 0;
    const auto put = [&](std::string_view name) {
      for (const char c : name) joined[at++] = c;
      joined[at++] = '|';
    };
    put(First.view());
    (put(More.view()), ...);
    return joined;
  }();
  static constexpr std::string_view view{text.data(), text.size() - 1};
};

/// False for an operator that is known not to commute.
constexpr bool may_commute(std::string_view name) {
  const auto versions = schema::versions("", name);
  return versions.empty() || versions.back().commutative();
}

struct OperatorTag {};

}  // namespace detail

template <FixedString Name>
struct OpFront : detail::OperatorTag {
  static constexpr std::string_view names = Name.view();
  template <class... P>
  constexpr auto operator()(const P&... operands) const {
    return detail::make_op<Captures<>>(names, false, operands...);
  }
};

template <FixedString... Name>
struct OneOfFront : detail::OperatorTag {
  static constexpr std::string_view names = detail::Names<Name...>::view;
  template <class... P>
  constexpr auto operator()(const P&... operands) const {
    return detail::make_op<Captures<detail::only_looked_for>>(names, false, operands...);
  }
};

struct AnyOpFront : detail::OperatorTag {
  static constexpr std::string_view names{};
  template <class... P>
  constexpr auto operator()(const P&... operands) const {
    return detail::make_op<Captures<detail::only_looked_for>>(names, false, operands...);
  }
};

template <FixedString... Name>
struct CommFront {
  template <class... P>
  constexpr auto operator()(const P&... operands) const {
    static_assert(sizeof...(P) == 2, "graft: comm<> takes two operands; of more write op<>, in their order");
    static_assert((detail::may_commute(Name.view()) && ...),
                  "graft: comm<> of an operator whose operands may not be exchanged; write op<> or one_of<>");
    return detail::make_op<Captures<detail::only_looked_for>>(detail::Names<Name...>::view, true, operands...);
  }
};

/// op<"Conv">(x, w, opt(b)): an operator of the main domain; op<"com.microsoft::Gelu">(x): an operator of another
/// domain. Inputs without an operand must be absent; "" and a position beyond the end are the same.
template <FixedString Name>
inline constexpr OpFront<Name> op{};

/// Any of several operators.
template <FixedString... Name>
inline constexpr OneOfFront<Name...> one_of{};

/// Any operator of any domain.
inline constexpr AnyOpFront any_op{};

/// An operator of two inputs, in either order.
template <FixedString... Name>
inline constexpr CommFront<Name...> comm{};

}  // namespace graft::inline v1
