#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <graft/graph/print.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

namespace detail {

/// Writes rows in the notation of patterns: Relu(Conv(%x, %w, %b?)).
class PatternPrinter {
 public:
  explicit PatternPrinter(const RulePattern& pattern) : pattern_(pattern) {}

  std::string row(std::size_t at) const {
    const PatternNode& here = pattern_.nodes[at];
    const std::string name(here.name);
    switch (here.step) {
      case Step::value:
      case Step::constant: return (name.empty() ? "_" : "%" + name) + constraints(here);
      case Step::rest: return name.empty() ? "..." : "%" + name + "...";
      case Step::none: return "none";
      case Step::output: return name + ".out(" + std::to_string(here.out) + ")";
      case Step::op: return operation(at);
      case Step::opt: return row(at + 1) + "?";
      case Step::each: return "each(" + row(at + 1) + ")";
      case Step::either: return "either(" + row(at + 1) + ", " + row(pattern_.nodes[at + 1].end + std::size_t{1}) + ")";
      case Step::chain: return "chain(" + operators(here.op) + ", " + row(at + 1) + ")" + bound(here);
      case Step::root: return row(at + 1);
      case Step::computed: return "tensor(...)";
      case Step::folded: return "folded(" + row(at + 1) + ")";
      case Step::scalar: return "scalar(" + value(pattern_.attrs[here.attr0]) + ")";
      case Step::ints: return value(pattern_.attrs[here.attr0]);
      case Step::outputs: return "outputs" + operands(at);
      case Step::again:
      case Step::otherwise: break;
    }
    return "";
  }

  std::string constraint(const PatternAttr& wanted) const {
    switch (wanted.mode) {
      case AttrMode::rank: return "rank(" + std::to_string(wanted.literal.i) + ")";
      case AttrMode::dtype: return "dtype(" + dtypes(wanted.literal.i) + ")";
      case AttrMode::scalar: return "scalar()";
      case AttrMode::positive: return "positive()";
      case AttrMode::all_equal: return "all_equal(" + number(wanted.literal.f) + ")";
      case AttrMode::known: return "known()";
      case AttrMode::shape: return "shape" + to_string(pattern_.words.subspan(wanted.word0, wanted.word_count));
      default: return attribute(wanted);
    }
  }

  /// axis, axis=1, perm=inner, perm?, axis=1?
  std::string attribute(const PatternAttr& attr) const {
    const std::string name(attr.name);
    const std::string captured = attr.capture.empty() ? "" : "=" + std::string(attr.capture);
    if (attr.mode == AttrMode::capture) return name + captured + (attr.optional ? "?" : "");
    return name + "=" + value(attr) + (attr.optional ? "?" : "");
  }

  static std::string operators(std::string_view names) { return names.empty() ? "*" : std::string(names); }

 private:
  std::string operation(std::size_t at) const {
    const PatternNode& here = pattern_.nodes[at];
    const bool again = here.op.empty() && here.like_id != 0;  // a captured node, called with operands
    std::string text = (again ? std::string(here.name) : operators(here.op)) + operands(at);
    for (std::size_t k = 0; k < here.attr_count; ++k) {
      text += (k == 0 ? " {" : ", ") + attribute(pattern_.attrs[here.attr0 + k]);
    }
    if (here.open) text += here.attr_count == 0 ? " {..." : ", ...";
    return text + (here.attr_count == 0 && !here.open ? "" : "}") + (again ? "" : bound(here));
  }
  std::string operands(std::size_t at) const {
    std::string text;
    for (std::size_t child = at + 1; child < pattern_.nodes[at].end; child = pattern_.nodes[child].end) {
      text += (text.empty() ? "" : ", ") + row(child);
    }
    return "(" + text + ")";
  }
  static std::string bound(const PatternNode& here) { return here.name.empty() ? "" : " as " + std::string(here.name); }

  std::string constraints(const PatternNode& here) const {
    std::string text;
    for (std::size_t k = 0; k < here.attr_count; ++k) text += "." + constraint(pattern_.attrs[here.attr0 + k]);
    return text;
  }

  std::string value(const PatternAttr& attr) const {
    if (attr.mode == AttrMode::computed) return "...";
    if (attr.mode == AttrMode::capture) return std::string(attr.name);
    switch (attr.type) {
      case Kind::f32: return number(static_cast<float>(attr.literal.f));
      case Kind::str: return "\"" + std::string(attr.literal.s) + "\"";
      case Kind::ints:
      case Kind::axes: return to_string(pattern_.words.subspan(attr.word0, attr.word_count));
      case Kind::dtype: return std::string(to_string(static_cast<DType>(attr.literal.i)));
      default: return std::to_string(attr.literal.i);
    }
  }

  static std::string dtypes(std::int64_t mask) {
    std::string text;
    for (int i = 0; i < 63; ++i) {
      if ((mask >> i & 1) != 0) text += (text.empty() ? "" : ", ") + std::string(to_string(static_cast<DType>(i)));
    }
    return text;
  }

  RulePattern pattern_;
};

}  // namespace detail

}  // namespace graft::inline v1
