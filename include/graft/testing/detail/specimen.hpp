#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1::detail {

/// A model to try things on: each trial gets a copy of its own, inner types inferred.
class Specimen {
 public:
  Specimen(onnx::ModelProto proto, const std::filesystem::path& folder)
      : proto_(std::make_shared<const onnx::ModelProto>(std::move(proto))), folder_(folder) {}

  const onnx::ModelProto& proto() const { return *proto_; }
  Model copy() const {
    Model model(onnx::ModelProto(*proto_), folder_);
    infer_shapes(model.graph(), {.name_unknown = false});
    for (Graph* const function : model.functions()) infer_shapes(*function, {.name_unknown = false});
    return model;
  }
  /// Another one in the same folder.
  Specimen with(onnx::ModelProto proto) const { return Specimen(std::move(proto), folder_); }

 private:
  std::shared_ptr<const onnx::ModelProto> proto_;
  std::filesystem::path folder_;
};

}  // namespace graft::inline v1::detail
