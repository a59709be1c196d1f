#pragma once
#include <graft/graph/model.hpp>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Model& Model::operator=(Model&& other) noexcept {
  store_ = std::move(other.store_);
  store_->model = this;
  return *this;
}

GRAFT_INLINE OpId Model::op_id(std::string_view qualified) {
  const OpName name = OpName::parse(qualified);
  return op_id(name.domain, name.op_type);
}

GRAFT_INLINE OpId Model::find_op(std::string_view qualified) const {
  const OpName name = OpName::parse(qualified);
  return find_op(name.domain, name.op_type);
}

GRAFT_INLINE Model::Model(std::unique_ptr<onnx::ModelProto> owned, const std::string& folder,
                          std::string file, const LoadOptions& options)
    : store_(std::make_unique<detail::Store>(*this, *owned, std::move(file))) {
  store_->owned = std::move(owned);
  open(folder, options);
}

GRAFT_INLINE Model::Model(onnx::ModelProto* proto, const std::string& folder)
    : store_(std::make_unique<detail::Store>(*this, *proto, "")) {
  open(folder, {});
}

GRAFT_INLINE detail::Store::Store(Model& owner, onnx::ModelProto& model_proto, std::string model_file)
    : model(&owner), proto(&model_proto), file(std::move(model_file)) {
  nothing.flags_ = Value::erased_flag;
}

}  // namespace graft::inline v1
