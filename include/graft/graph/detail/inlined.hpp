#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/external_data.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1::detail {

/// Holds weights of a scratch file as raw data while their model is written as one message.
class Inlined {
 public:
  Inlined() = default;
  Inlined(const Inlined&) = delete;
  Inlined& operator=(const Inlined&) = delete;
  ~Inlined() {
    for (Moved& moved : moved_) {
      delete moved.tensor->release_raw_data();
      *moved.tensor->mutable_external_data() = std::move(moved.entries);
      moved.tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    }
  }

  void take(const std::vector<onnx::TensorProto*>& tensors, const ExternalData& source) {
    for (onnx::TensorProto* const tensor : tensors) {
      if (!ExternalData::is_stowed(*tensor)) continue;
      std::string bytes = read_tensor(*tensor, &source).release();
      Moved& moved = moved_.emplace_back(Moved{tensor, {}});
      moved.entries.Swap(tensor->mutable_external_data());
      tensor->clear_data_location();
      tensor->set_raw_data(std::move(bytes));
    }
  }

  static std::size_t size(const std::vector<onnx::TensorProto*>& tensors) {
    std::size_t bytes = 0;
    for (const onnx::TensorProto* const tensor : tensors)
      if (ExternalData::is_stowed(*tensor)) bytes += external_location(*tensor).length.value_or(0);
    return bytes;
  }

 private:
  struct Moved {
    onnx::TensorProto* tensor;
    google::protobuf::RepeatedPtrField<onnx::StringStringEntryProto> entries;
  };
  std::vector<Moved> moved_;
};

}  // namespace graft::inline v1::detail
