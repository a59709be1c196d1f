#pragma once
#include <graft/graph/try_model.hpp>

#include <type_traits>
#include <utility>

#include <graft/config.hpp>

namespace graft::inline v1 {

namespace detail {

/// The result of f(), or what f() throws.
template <class F>
Result<std::invoke_result_t<F>> caught(F&& f) noexcept {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      f();
      return {};
    } else {
      return f();
    }
  } catch (...) {
    return caught_error();
  }
}

}  // namespace detail

GRAFT_INLINE Result<Model> try_load(const std::string& path, const LoadOptions& options) noexcept {
  return detail::caught([&] { return Model::load(path, options); });
}

GRAFT_INLINE Result<Model> try_model(onnx::ModelProto&& proto, const std::string& folder) noexcept {
  return detail::caught([&] { return Model(std::move(proto), folder); });
}

GRAFT_INLINE Result<Model> try_view(onnx::ModelProto& proto, const std::string& folder) noexcept {
  return detail::caught([&] { return Model::view(proto, folder); });
}

GRAFT_INLINE Result<void> try_commit(Model& model) noexcept {
  return detail::caught([&] { model.commit(); });
}

GRAFT_INLINE Result<void> try_save(Model& model, const std::string& path, const SaveOptions& options) noexcept {
  return detail::caught([&] { model.save(path, options); });
}

}  // namespace graft::inline v1
