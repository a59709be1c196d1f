#pragma once
#include <memory>
#include <string>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// A model to try things on: each trial gets a copy of its own, inner types inferred.
class Specimen {
 public:
  Specimen(onnx::ModelProto proto, const std::string& folder)
      : proto_(std::make_shared<const onnx::ModelProto>(std::move(proto))), folder_(folder) {}

  const onnx::ModelProto& proto() const { return *proto_; }
  Model copy() const;
  /// Another one in the same folder.
  Specimen with(onnx::ModelProto proto) const { return Specimen(std::move(proto), folder_); }

 private:
  std::shared_ptr<const onnx::ModelProto> proto_;
  std::string folder_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/testing/detail/specimen.ipp>
#endif
