// Samples in files: .npy, and ONNX's test data.
#include <cstddef>
#include <cstdint>
#include <string>

#include <graft/graph.hpp>

#include "examples/support/npy.hpp"
#include "fuzz/weights_folder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = weights_folder() / "sample";
  write_file(path, {reinterpret_cast<const char*>(data), size});
  for (const bool is_array : {true, false}) {
    try {
      const graft::Tensor tensor = is_array ? load_npy(path) : graft::load_tensor(path);
      static_cast<void>(to_string(tensor));
      static_cast<void>(tensor.to<float>());
    } catch (const graft::Error&) {
    }
  }
  return 0;
}
