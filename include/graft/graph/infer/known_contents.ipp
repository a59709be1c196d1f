#pragma once
#include <graft/graph/infer/known_contents.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::optional<Ints> KnownContents::ints(const Value& value) {
  const Contents* const found = contents(value);
  return found ? found->ints() : std::nullopt;
}

GRAFT_INLINE std::optional<Tensor> KnownContents::tensor(const Value& value) const {
  if (assume_defaults_ && value.initializer() != nullptr && value.dtype() != DType::string) {
    return read_tensor(*value.initializer(), value.graph().model().external_data());
  }
  return value.constant();
}

GRAFT_INLINE void KnownContents::forget() {
  memo_.clear();
  kept_ = 0;
}

GRAFT_INLINE void KnownContents::forget_if_edited(const Model& model) {
  if (holds_ != 0 || is_current(model)) return;
  forget();
  model_ = &model;
  edits_ = model.edit_count();
}

}  // namespace graft::inline v1
