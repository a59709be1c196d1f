#pragma once
#include <cstdint>
#include <string_view>

#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// A node of the pattern, bound by .as(...): Node&.
template <FixedString Name>
struct NodeCapture {
  static constexpr CaptureId id = capture_id(Name.view(), Kind::node);
  static constexpr CaptureId ref = capture_id(Name.view(), Kind::node, Form::ref);
  static constexpr std::string_view name = Name.view();

  /// The i-th output of the node, as an operand.
  constexpr auto out(int i) const {
    Pattern<1, 0, 0, Captures<ref>> p;
    p.nodes[0].step = Step::output;
    p.nodes[0].out = static_cast<std::uint8_t>(i);
    p.nodes[0].name = name;
    p.nodes[0].id = id;
    return p;
  }

  /// In a replacement: builds this node again over these operands, with its attributes and name. A chain is built again
  /// over one operand.
  template <class... P>
  constexpr auto operator()(const P&... operands) const {
    return detail::make_op<Captures<ref, detail::only_built>>({}, false, operands...).like(*this);
  }
};

template <FixedString Name>
inline constexpr NodeCapture<Name> node{};

}  // namespace graft::inline v1
