#pragma once
#include <algorithm>
#include <string_view>

#include <graft/config.hpp>
#include <graft/rewrite/detail/replacement.hpp>

// Constants of a replacement.

namespace graft::inline v1::detail {

GRAFT_INLINE Value* Replacement::constant(std::size_t at) {
  const PatternNode& here = row(at);
  const PatternAttr& attr = after_.attrs[here.attr0];
  std::string_view hint;
  Tensor tensor;
  if (here.step == Step::ints) {
    const auto words = after_.words.subspan(attr.word0, attr.word_count);
    tensor = Tensor::of<std::int64_t>({attr.word_count}, words);
  } else {
    if (attr.mode == AttrMode::capture && !slot(attr.slot).bound())
      return fail({"the replacement makes a constant of '{name}', which is absent", {}, {}, 0, name_of(attr.slot)});
    const Computed made = content(attr);
    if (std::holds_alternative<std::monostate>(made)) return decline(attr);
    tensor = as_tensor(made);
    for (std::size_t i = 0; attr.mode == AttrMode::computed && i < attr.word_count && hint.empty(); ++i) {
      const auto which = static_cast<std::size_t>(after_.words[attr.word0 + i]);
      const CaptureId id = after_.captures[which];
      if (is_value(kind_of(id)) && form_of(id) != Form::list && slots_[which].bound())
        hint = static_cast<const Value*>(slots_[which].data)->name();
    }
  }
  if (!tensor) return fail({"the replacement makes a constant of '{name}', which is not a tensor", {}, {}, 0,
                            attr.slot >= 0 ? name_of(attr.slot) : attr.name});
  if (here.step == Step::scalar) {
    const bool is_like = here.like >= 0 && slot(here.like).bound();
    const DType dtype =
        is_like ? static_cast<const Value*>(slot(here.like).data)->dtype() : static_cast<DType>(here.out);
    if (dtype == DType::undefined)
      return fail({"the element type of a scalar like '{name}' is not known", {}, {}, 0, name_of(here.like)});
    if (dtype != tensor.dtype()) tensor = Tensor::of(dtype, tensor.dims(), tensor.to<double>());
  }
  return &rewriter_.constant(std::move(tensor), hint);
}

GRAFT_INLINE Value* Replacement::folded(std::size_t at) {
  const std::size_t first = made_.size();
  Value* const result = value(at + 1);
  if (result == nullptr) return nullptr;
  std::optional<Tensor> tensor = evaluate(*result);
  if (!tensor) return nullptr;
  rewriter_.erase_unused(std::span(made_).subspan(first));
  return &rewriter_.constant(*std::move(tensor));
}

/// Evaluates nodes that the replacement has just made. Recursive to the depth of the replacement.
GRAFT_INLINE std::optional<Tensor> Replacement::evaluate(Value& value) {
  const auto no = [this](std::string_view text) {
    fail(text);
    return std::nullopt;
  };
  if (value.is_constant()) return value.constant();
  Node* const node = value.producer();
  if (std::find(made_.begin(), made_.end(), node) == made_.end())
    return no("folded(...) reads a value that is not constant");
  if (rewriter_.executor() == nullptr) {
    fail(Reason{"folded(...) needs an executor: set Context::executor, for example to node_executor()", no_executor, {},
                0});
    return std::nullopt;
  }
  std::vector<Tensor> inputs;
  for (Value* const input : node->inputs()) {
    std::optional<Tensor> tensor = input == nullptr ? std::optional(Tensor()) : evaluate(*input);
    if (!tensor) return std::nullopt;
    inputs.push_back(*std::move(tensor));
  }
  std::optional<std::vector<Tensor>> outputs = (*rewriter_.executor())(*node, inputs);
  if (!outputs || outputs->size() <= value.index()) return no("the executor cannot run an operator of folded(...)");
  return std::move((*outputs)[value.index()]);
}

}  // namespace graft::inline v1::detail
