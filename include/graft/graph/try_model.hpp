#pragma once
#include <string>

#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/result.hpp>

namespace graft::inline v1 {

// Model's functions that throw, for programs without exceptions. An exception that is not an Error becomes one with the
// code "out_of_memory" or "foreign_exception".

/// Model::load().
Result<Model> try_load(const std::string& path, const LoadOptions& options = {}) noexcept;
/// Model(proto, folder). The proto is moved from in any case.
Result<Model> try_model(onnx::ModelProto&& proto, const std::string& folder = {}) noexcept;
/// Model::view().
Result<Model> try_view(onnx::ModelProto& proto, const std::string& folder = {}) noexcept;
/// model.commit(). The committed proto is model.proto().
Result<void> try_commit(Model& model) noexcept;
/// model.save().
Result<void> try_save(Model& model, const std::string& path, const SaveOptions& options = {}) noexcept;

}  // namespace graft::inline v1
