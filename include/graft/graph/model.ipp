#pragma once
#include <graft/graph/model.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/external_data.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Model::Model(onnx::ModelProto proto, const std::string& folder)
    : Model(std::make_unique<onnx::ModelProto>(std::move(proto)), {.external = ExternalData(folder)}) {}

GRAFT_INLINE Model Model::view(onnx::ModelProto& proto, const std::string& folder) {
  return Model(&proto, {.external = ExternalData(folder)});
}

GRAFT_INLINE Model::Model(Model&& other) noexcept : store_(std::move(other.store_)) { store_->model = this; }

GRAFT_INLINE Model::~Model() = default;

GRAFT_INLINE bool Model::is_view() const { return store_->owned == nullptr; }
GRAFT_INLINE Graph& Model::graph() const { return store_->graphs.front(); }
GRAFT_INLINE const std::vector<Graph*>& Model::functions() const { return store_->functions; }
GRAFT_INLINE int Model::ir_version() const { return store_->ir_version; }
GRAFT_INLINE int Model::opset(std::string_view domain) const { return store_->version_of(domain); }

GRAFT_INLINE OpId Model::op_id(std::string_view domain, std::string_view op_type) {
  return store_->ops.intern(domain, op_type);
}

GRAFT_INLINE OpId Model::find_op(std::string_view domain, std::string_view op_type) const {
  return store_->ops.find(domain, op_type);
}

GRAFT_INLINE const OpName& Model::op_name(OpId id) const { return store_->ops.name(id); }
GRAFT_INLINE void Model::add_operators(const Operators& operators) { store_->add_operators(operators); }
GRAFT_INLINE const Operators& Model::operators() const { return store_->operators; }

GRAFT_INLINE const schema::Operator* Model::find_schema(std::string_view domain, std::string_view op_type,
                                                        int version) const {
  return store_->find_schema({canonical_domain(domain), op_type}, version);
}

GRAFT_INLINE const std::string& Model::file() const { return store_->file; }
GRAFT_INLINE const ExternalData* Model::external_data() const { return &store_->external; }
GRAFT_INLINE bool Model::was_unsorted() const { return store_->reordered; }
GRAFT_INLINE std::uint64_t Model::edit_count() const { return store_->journal.edits(); }
GRAFT_INLINE std::uint64_t Model::change_count() const { return store_->journal.changes(); }
GRAFT_INLINE const onnx::ModelProto& Model::proto() const { return *store_->proto; }

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

GRAFT_INLINE Model::Model(std::unique_ptr<onnx::ModelProto> owned, detail::BesideProto&& beside)
    : store_(std::make_unique<detail::Store>(*this, *owned, std::move(beside))) {
  store_->owned = std::move(owned);
  open();
}

GRAFT_INLINE Model::Model(onnx::ModelProto* proto, detail::BesideProto&& beside)
    : store_(std::make_unique<detail::Store>(*this, *proto, std::move(beside))) {
  open();
}

GRAFT_INLINE detail::Store::Store(Model& owner, onnx::ModelProto& model_proto, BesideProto&& beside)
    : BesideProto(std::move(beside)), model(&owner), proto(&model_proto) {
  nothing.flags_ = Value::erased_flag;
}

}  // namespace graft::inline v1
