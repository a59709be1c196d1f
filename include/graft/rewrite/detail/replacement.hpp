#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <graft/graph/schema.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1::detail {

inline Tensor as_tensor(const Computed& content);

/// Codes of refusals. A driver's report mentions each of them once for each rule.
inline constexpr std::string_view no_executor = "no executor", no_edit = "no edit";

/// Builds the replacement of a match from the table of a rule, and replaces the roots by it.
class Replacement {
 public:
  Replacement(const RuleView& rule, const Matcher& found, Rewriter& rewriter)
      : before_(rule.before), after_(rule.after), slots_(found.state().slots), roots_(found.state().roots),
        rewriter_(rewriter), built_(rule.after.nodes.size()) {}

  Verdict run();

 private:
  const PatternNode& row(std::size_t at) const { return after_.nodes[at]; }
  std::span<const PatternAttr> attrs(std::size_t at) const {
    return after_.attrs.subspan(row(at).attr0, row(at).attr_count);
  }
  const Slot& slot(std::int16_t at) const { return slots_[static_cast<std::size_t>(at)]; }
  std::nullptr_t fail(const Reason& reason) {
    if (state_) state_ = Verdict::no(reason);
    return nullptr;
  }
  std::nullptr_t fail(std::string_view static_text) { return fail(Reason{static_text, {}, {}, 0}); }

  std::string_view name_of(std::int64_t slot) const;
  std::nullptr_t decline(const PatternAttr& attr);

  Verdict replace_root(std::size_t at);
  Verdict replace_outputs(std::size_t at);

  void operands(std::size_t at, std::vector<Value*>& into);
  Value* value(std::size_t at);
  Value* captured(const PatternNode& row) const;
  Value* output_of_node(const PatternNode& row);
  Node* node(std::size_t at);
  Value* chain(std::size_t at, std::span<Node* const> links);
  std::optional<std::span<Node* const>> links(const PatternNode& row) const;
  const Node* original(const PatternNode& row) const;
  std::size_t output_count(const PatternNode& row) const;
  Value* constant(std::size_t at);
  Value* folded(std::size_t at);
  std::optional<Tensor> evaluate(Value& value);

  bool is_bound(std::size_t at) const;
  std::size_t rounds(std::size_t at) const;

  Computed content(const PatternAttr& attr) const;
  void write(onnx::NodeProto& payload, std::vector<Value*>& inputs, std::size_t at);
  void keep_parameters(const Node& original, std::vector<Value*>& inputs, std::size_t at);

  RulePattern before_, after_;
  std::vector<Slot> slots_;
  std::vector<Node*> roots_;
  Rewriter& rewriter_;
  std::vector<Node*> built_;  // by row, for operators outside each(...)
  std::vector<std::size_t> building_;
  std::vector<Node*> made_;
  std::size_t round_ = 0;  // of the current each(...)
  Verdict state_ = Verdict::yes();
};

}  // namespace graft::inline v1::detail
