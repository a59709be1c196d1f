// quantize() leaves a sound model sound, in each of its modes, and what it makes is written and read back.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/quantize.hpp>
#include <graft/testing.hpp>
#include <graft/testing/detail/feeds.hpp>

#include "fuzz/finding.hpp"

namespace {

graft::QuantizeOptions options_of(graft::Random& random) {
  auto options = graft::QuantizeOptions::fast();
  switch (random.integer(0, 4)) {
    case 0: options.mode = graft::DynamicOptions{}; return options;
    case 1: options.mode = graft::BlockwiseOptions{}; return options;
    default: break;
  }
  options.static_options().mix_forms = false;
  options.static_options().equalize = random.integer(0, 1) == 1;
  options.static_options().correct_biases = random.integer(0, 1) == 1;
  if (random.integer(0, 3) == 0) options.static_options().placement = graft::Placement::all_supported;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  onnx::ModelProto proto;
  if (!proto.ParseFromArray(data, static_cast<int>(size))) return 0;
  const graft::AllocationLimit limit(std::size_t{1} << 22);
  graft::Random random({reinterpret_cast<const char*>(data), size});
  try {
    graft::Model model(std::move(proto));
    graft::infer_shapes(model.graph());
    const bool is_sound = graft::verify(model).empty();
    graft::detail::FeedMaker feeds(model.graph(), 1, {}, false);
    const std::vector<graft::Feeds> samples{feeds.feeds(5), feeds.feeds(7)};
    graft::Context context;
    context.budget.steps = 200;
    graft::quantize(model, samples, graft::targets::ort_cpu_x64, options_of(random), context);
    if (is_sound) require_no_problems(model, "quantize()");
    require_round_trip(model, is_sound);
  } catch (const graft::Error&) {
  }
  return 0;
}
