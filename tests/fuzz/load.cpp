// A model is loaded, verified, printed, and its types are inferred, as graft-inspect does.
#include <cstddef>
#include <cstdint>
#include <string>

#include <graft/graph.hpp>

#include "fuzz/finding.hpp"
#include "fuzz/weights_folder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = weights_folder() / "model.onnx";
  write_file(path, {reinterpret_cast<const char*>(data), size});
  try {
    graft::Model model = graft::Model::load(path, {.max_memory = std::size_t{1} << 26});
    const bool is_sound = graft::verify(model).empty();
    static_cast<void>(to_string(model));
    static_cast<void>(to_dot(model.graph()));
    for (const graft::Graph* const scope : model.scopes())
      for (const graft::Value* const value : scope->initializers()) static_cast<void>(value->constant());
    graft::infer_shapes(model.graph());
    static_cast<void>(to_string(model));
    require_round_trip(model, is_sound);
  } catch (const graft::Error&) {
  }
  return 0;
}
