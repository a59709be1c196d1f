// Calibration with a custom observer. The samples come from a function, in two parts whose statistics are then merged.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/quantize.hpp>

namespace {

using namespace graft;

/// A range that is symmetric about 0. An observer names the statistic that it needs, here one of graft's, and computes
/// a range from it.
struct Symmetric {
  using Statistic = Extremes;
  Statistic start() const { return {}; }
  Range range(const Extremes& seen) const {
    const Range range = seen.range();
    const float reach = std::max(-range.min, range.max);
    return range.empty() ? range : Range{-reach, reach};
  }
};

Model example() {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {"N", 2, 8, 8});
  Value& w = b.constant(Tensor::of<float>({1, 2, 1, 1}, {0.5f, -0.25f}), "w");
  b.output(b.op("Relu", {&b.op("Conv", {&x, &w})}), "y");
  return b.build();
}

/// Batches of any size, each made on demand.
SampleStream batches(std::uint32_t seed, int count) {
  return SampleStream([random = std::mt19937(seed), count]() mutable -> std::optional<Sample> {
    if (count-- == 0) return std::nullopt;
    const std::int64_t batch = 1 + count % 3;
    std::vector<float> values(static_cast<std::size_t>(batch) * 2 * 8 * 8);
    for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
    return Sample({{"x", Tensor::of<float>({batch, 2, 8, 8}, values)}}, "batch " + std::to_string(count));
  });
}

}  // namespace

int main() try {
  Model model = example();
  const Symmetric observer;
  const std::vector<const Value*> values = observable(model.graph());

  Statistics first(observer.start()), second(observer.start());
  Evaluator evaluator(model.graph());
  observe(evaluator, values, batches(1, 20), first);  // on this machine
  observe(evaluator, values, batches(2, 20), second);  // and on another one
  first.merge(second);
  Ranges ranges = ranges_of(observer, first);
  for (const auto& [name, range] : ranges) std::cout << name << ": " << range.min << " to " << range.max << "\n";

  // If the work need not be shared, calibrate(batches(1, 20), observer) is a pass that does the same.
  const Target& target = targets::ort_cpu_x64;
  const Pass quantize = with_ranges(std::move(ranges)) | inject_qdq(target) |
                        quantize_weights(Granularity::per_channel, target);
  quantize.run(model);
  std::cout << audit(model.graph(), target).fused() << " convolution will run in integers\n";
} catch (const graft::Error& error) {
  std::cerr << "custom_calibration: " << error.what() << "\n";
  return 1;
}
