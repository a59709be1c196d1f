#include <graft/quantize/run/check_options.hpp>

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/observers/from_histogram.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

struct Case {
  std::string option;
  std::function<void(QuantizeOptions&)> set;
};

const std::vector<Case> unheeded{
    {"placement", [](QuantizeOptions& o) { o.placement = Placement::all_supported; }},
    {"commute", [](QuantizeOptions& o) { o.commute = true; }},
    {"observers", [](QuantizeOptions& o) { o.observers = {RangeChoice::of("percentile 99", Percentile{99})}; }},
    {"observer", [](QuantizeOptions& o) { o.observer = Percentile{99}; }},
    {"ranges", [](QuantizeOptions& o) { o.ranges.emplace(); }},
    {"range_overrides",
     [](QuantizeOptions& o) {
       o.range_overrides = {{"x", {0, 1}}};
     }},
    {"activation_overrides",
     [](QuantizeOptions& o) {
       o.activation_overrides = {{"x", DType::u16}};
     }},
    {"format", [](QuantizeOptions& o) { o.format = QuantizedFormat::qcdq; }},
    {"bit_widths",
     [](QuantizeOptions& o) {
       o.bit_widths = {{"x", 4}};
     }},
    {"goal", [](QuantizeOptions& o) { o.goal.emplace(); }},
    {"analyze", [](QuantizeOptions& o) { o.analyze = true; }},
    {"exclude_ends", [](QuantizeOptions& o) { o.exclude_ends = true; }},
    {"weights", [](QuantizeOptions& o) { o.weights = Granularity::per_tensor; }},
    {"weights",
     [](QuantizeOptions& o) {
       o.weights = {Granularity::per_channel, {{"y", Granularity::per_tensor}}};
     }},
};

std::string field_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.field();
  }
  return "";
}

}  // namespace

TEST_CASE("options that a mode does not heed are refused, and named", "[quantize]") {
  for (const QuantizationMode& mode : {QuantizationMode(DynamicOptions()), QuantizationMode(BlockwiseOptions())}) {
    for (const auto& [option, set] : unheeded) {
      INFO(option);
      QuantizeOptions options;
      set(options);
      CHECK(field_of([&] { check_options(options); }).empty());
      options.mode = mode;
      CHECK(field_of([&] { check_options(options); }) == option);
      Model model = graph("x: f32[N,32]; y = MatMul(x, f32[32,8] random)");
      Context context;
      CHECK(field_of([&] { quantize(model, targets::ort_cpu_x64, options, context); }) == option);
    }
  }
}

TEST_CASE("options that a mode heeds, or that help static quantization by default, are not refused", "[quantize]") {
  QuantizeOptions options = QuantizeOptions::fast();
  options.mode = DynamicOptions{.weights = Granularity::per_tensor};
  options.exclude = {"head.*"};
  options.freeze_inputs = true;
  options.fuse_transformers = false;
  options.max_held_out = 3;
  CHECK(field_of([&] { check_options(options); }).empty());
}
