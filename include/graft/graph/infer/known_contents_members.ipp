#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/builtins.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/infer/table.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const Contents* KnownContents::contents(const Value& value) {
  forget_if_edited(value.graph().model());
  std::vector<const Value*> open{&value};
  while (!open.empty()) {
    const Value& next = *open.back();
    if (memo_.contains(&next)) {
      open.pop_back();
      continue;
    }
    const infer::OperatorRule* const rule = rule_for(next);
    const std::size_t before = open.size();
    if (rule != nullptr && rule->contents_from == infer::From::contents) {
      for (const Value* const input : next.producer()->inputs()) {
        if (input != nullptr && !memo_.contains(input)) open.push_back(input);
      }
    }
    if (open.size() != before) continue;
    std::optional<Contents> found = rule != nullptr ? evaluate(next, *rule) : std::nullopt;
    ++computed_;
    if (!found) found = leaf(next);
    if (found) {
      const std::size_t size = found->elements.size();
      if (size > small_contents && kept_ + size > kept_contents_limit) {
        found.reset();
      } else {
        kept_ += size;
        found->elements.shrink_to_fit();
      }
    }
    memo_.emplace(&next, std::move(found));
    open.pop_back();
  }
  const std::optional<Contents>& found = memo_.at(&value);
  return found ? &*found : nullptr;
}

GRAFT_INLINE const infer::OperatorRule* KnownContents::rule_for(const Value& value) {
  const Node* const producer = value.producer();
  const DType dtype = value.dtype();
  if (producer == nullptr || (dtype != DType::undefined && !infer::is_followed(dtype))) return nullptr;
  const infer::OperatorRule* const rule = infer::find_rule(producer->domain(), producer->op_type());
  return rule != nullptr && rule->contents != nullptr ? rule : nullptr;
}

GRAFT_INLINE std::optional<Contents> KnownContents::evaluate(const Value& value, const infer::OperatorRule& rule) {
  Node& producer = *value.producer();
  for (const onnx::AttributeProto& attribute : producer.proto().attribute()) {
    if (is_reference(attribute)) return std::nullopt;
  }
  std::optional<Contents> found = rule.contents(InferContext(producer, *this, value.index()));
  if (!found || std::ssize(found->elements) > contents_limit) return std::nullopt;
  return element_count(found->dims) == std::ssize(found->elements) ? std::move(found) : std::nullopt;
}

GRAFT_INLINE std::optional<Contents> KnownContents::leaf(const Value& value) const {
  const DType dtype = value.dtype();
  if (dtype != DType::undefined && !infer::is_followed(dtype)) return std::nullopt;
  if (const std::optional<Tensor> constant = tensor(value)) {
    if (!infer::is_followed(constant->dtype()) || constant->size() > contents_limit) return std::nullopt;
    const Ints values = constant->to<std::int64_t>();
    return Contents{constant->dtype(), constant->dims(), {values.begin(), values.end()}};
  }
  auto dims = value.shape().dims();
  if (dtype == DType::undefined || !dims) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t dim : *dims) {
    if (builtins::multiply_overflows(count, dim, count)) return std::nullopt;
  }
  if (count > contents_limit) return std::nullopt;
  return Contents{dtype, std::move(*dims), std::vector<Integer>(static_cast<std::size_t>(count))};
}

GRAFT_INLINE const Contents* InferContext::contents(std::size_t i) const {
  if (!has(i)) return nullptr;
  const Contents* const found = known_.contents(*node_.input(i));
  const auto is_open = [](const Integer& element) { return !element.known() && !element.symbolic(); };
  if (found == nullptr || std::any_of(found->elements.begin(), found->elements.end(), is_open)) depend_on_data();
  return found;
}
GRAFT_INLINE std::optional<Tensor> InferContext::constant(std::size_t i) const {
  if (!has(i)) return std::nullopt;
  std::optional<Tensor> found = known_.tensor(*node_.input(i));
  if (!found) depend_on_data();
  return found;
}

}  // namespace graft::inline v1
