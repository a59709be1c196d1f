#pragma once
#include <graft/graph/tensor_file.hpp>

#include <memory>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/atomic_file.hpp>
#include <graft/graph/detail/message_file.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Tensor load_tensor(const std::string& path, std::size_t max_bytes) {
  const auto proto = std::make_shared<onnx::TensorProto>();
  detail::read_message(path, *proto, detail::MessageKind::tensor, "tensor", {.max_bytes = max_bytes});
  try {
    if (proto->data_type() == onnx::TensorProto::UNDEFINED) throw Error("is not an ONNX tensor: it has no data type");
    return read_tensor(*proto, nullptr, proto);
  } catch (Error& error) {
    throw error.file(path);
  }
}

GRAFT_INLINE void save_tensor(Tensor tensor, const std::string& path) {
  try {
    onnx::TensorProto proto;
    write_tensor(std::move(tensor), proto);
    if (proto.ByteSizeLong() > file_limit) throw Error("is over 2 GiB: protobuf cannot write it");
    AtomicFile aside(path);
    detail::write_message(proto, aside.path(), path);
    aside.publish();
  } catch (Error& error) {
    throw error.file(path);
  }
}

}  // namespace graft::inline v1
