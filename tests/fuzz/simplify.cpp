// simplify() leaves a sound model sound, and what it makes is written and read back.
#include <cstddef>
#include <cstdint>

#include <graft/graph.hpp>
#include <graft/simplify.hpp>

#include "fuzz/finding.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  onnx::ModelProto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return 0;
  static const graft::Pass pass =
      graft::simplify({.fold = {.max_bytes = 1 << 14, .max_growth = 1 << 20, .max_working_bytes = 1 << 20}});
  const graft::AllocationLimit limit(std::size_t{1} << 26);
  try {
    graft::Model model(std::move(proto));
    graft::infer_shapes(model.graph());
    const bool is_sound = graft::verify(model).empty();
    graft::Context context;
    context.budget.steps = 200;
    pass.run(model, context);
    if (is_sound) require_no_problems(model, "simplify()");
    require_round_trip(model, is_sound);
  } catch (const graft::Error&) {
  }
  return 0;
}
