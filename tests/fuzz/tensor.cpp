// A TensorProto is read, converted, printed and written.
#include <cstddef>
#include <cstdint>
#include <string>

#include <graft/graph.hpp>

#include "fuzz/finding.hpp"
#include "fuzz/mutation.hpp"
#include "fuzz/weights_folder.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return mutate<onnx::TensorProto>(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const graft::ExternalData external(weights_folder().path().string());
  onnx::TensorProto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return 0;
  try {
    const graft::Tensor tensor = graft::read_tensor(proto, &external);
    static_cast<void>(to_string(tensor));
    onnx::TensorProto written;
    graft::write_tensor(graft::Tensor(tensor), written);
    if (!graft::read_tensor(written).same_bytes(tensor)) finding("what was written reads back as another tensor");
    static_cast<void>(tensor.to<double>());
    static_cast<void>(tensor.to<std::int8_t>());
  } catch (const graft::Error&) {
  }
  return 0;
}
