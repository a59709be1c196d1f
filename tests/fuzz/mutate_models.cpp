// The mutator of the targets whose input is a model.
#include <cstddef>
#include <cstdint>

#include <graft/graph/onnx.hpp>

#include "fuzz/mutation.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return mutate<onnx::ModelProto>(data, size, max_size, seed);
}
