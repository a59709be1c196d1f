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
  Specimen(onnx::ModelProto proto, const ExternalData& data)
      : proto_(std::make_shared<const onnx::ModelProto>(std::move(proto))), data_(data) {}

  const onnx::ModelProto& proto() const { return *proto_; }
  Model copy() const;
  /// Another model, with its external data in the folder of this one.
  Specimen with(onnx::ModelProto proto) const { return Specimen(std::move(proto), data_); }

 private:
  std::shared_ptr<const onnx::ModelProto> proto_;
  ExternalData data_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/testing/detail/specimen.ipp>
#endif
