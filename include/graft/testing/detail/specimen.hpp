#pragma once
#include <memory>
#include <utility>

#include <graft/graph/external_data.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// A model for trials: each trial gets a new copy, with inferred inner types.
class Specimen {
 public:
  /// Of the model as of its last commit.
  explicit Specimen(const Model& model)
      : proto_(std::make_shared<const onnx::ModelProto>(model.proto())),
        data_(*model.external_data()),
        operators_(model.operators()) {}

  const onnx::ModelProto& proto() const { return *proto_; }
  Model copy() const;
  /// Another model, with its external data in the folder of this one.
  Specimen with(onnx::ModelProto proto) const {
    Specimen other = *this;
    other.proto_ = std::make_shared<const onnx::ModelProto>(std::move(proto));
    return other;
  }

 private:
  std::shared_ptr<const onnx::ModelProto> proto_;
  ExternalData data_;
  Operators operators_;
};

}  // namespace graft::inline v1::detail
