// Turns a float model into an 8-bit model, with Q/DQ pairs where the runtime fuses them.
//
//   quickstart                    a small ResNet that classifies shapes, on generated pictures
//   quickstart MODEL.onnx FOLDER  your model, on a folder of images or of ONNX test data
//
// Writes quantized.onnx to the current folder, and prints the operators that will fuse, and accuracy, size and time
// before and after.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <graft/quantize.hpp>

#include "shapes.hpp"
#include "support/calibration_data.hpp"

#ifdef EXAMPLES_ONNXRUNTIME
#include <graft/evaluate/onnxruntime.hpp>
struct Runtime : graft::OnnxRuntime {
  explicit Runtime(const graft::Graph& graph) : OnnxRuntime(graph, {.threads = 1}) {}
};
constexpr const char* runtime = "ONNX Runtime, on one thread";
#else
using Runtime = graft::Evaluator;
constexpr const char* runtime = "graft's evaluator, which computes in float between Q and DQ: no measure of a runtime";
#endif

Samples pictures(std::size_t first, std::size_t count) {
  return {count, [first](std::size_t i) {
            graft::Tensor image(graft::DType::f32, {1, 3, shapes::size, shapes::size});
            const std::vector<std::uint8_t> pixels = shapes::draw(first + i);
            std::transform(pixels.begin(), pixels.end(), image.mutable_data<float>().begin(),
                           [](std::uint8_t pixel) { return static_cast<float>(pixel) / 128 - 1; });
            return graft::Feeds{{"image", image}};
          }};
}

/// The outputs of a model on samples, and its cost.
struct Measured {
  std::vector<Eigen::VectorXf> results;
  std::vector<double> milliseconds;
  std::size_t bytes = 0;

  std::size_t answer(std::size_t i) const {
    return static_cast<std::size_t>(std::max_element(results[i].begin(), results[i].end()) - results[i].begin());
  }
  double median_time() const {
    std::vector<double> times = milliseconds;
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
  }
};

/// The two models take turns of some samples. Other load slows both equally, and the caches hold one model at a time.
std::array<Measured, 2> measure(std::array<graft::Model, 2>& models, const Samples& samples) {
  using Clock = std::chrono::steady_clock;
  const std::array<Runtime, 2> executors{Runtime(models[0].graph()), Runtime(models[1].graph())};
  std::array<Measured, 2> measured;
  for (std::size_t i = 0; i < 2; ++i) measured[i].bytes = models[i].commit().ByteSizeLong();
  const std::size_t turns = (samples.size() + 19) / 20;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::vector<graft::Sample> read;
    for (const graft::Sample& sample : samples.block(turn, turns)) read.push_back(sample);
    for (std::size_t i = 0; i < 2; ++i) {
      for (const graft::Sample& sample : read) {
        const auto start = Clock::now();
        const graft::Tensor result = executors[i].run(sample.feeds)[0];
        measured[i].milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        measured[i].results.push_back(Eigen::Map<const Eigen::VectorXf>(result.data<float>().data(), result.size()));
      }
    }
  }
  return measured;
}

int main(int argc, char** argv) try {
  using namespace graft;
  if (argc == 2 || argc > 3) return std::cerr << "usage: quickstart [MODEL.onnx FOLDER]\n", 2;
  const bool draws = argc == 1;
  const std::string path = draws ? QUICKSTART_MODEL : argv[1];
  std::array<Model, 2> models{Model::load(path), Model::load(path)};
  Model& model = models[1];
  const Samples calibration = draws ? pictures(0, 100) : calibration_samples(argv[2], model, {});
  const std::size_t first = 1000;  // the calibration uses only pictures below this number
  const Samples evaluation = draws ? pictures(first, 1000) : calibration;

  const Target& target = targets::ort_cpu_here();

  std::cout << "calibrates on " << calibration.size() << " pictures, compares on " << evaluation.size()
            << (draws ? " others\n" : " of them\n");
  const QuantizeResult quantized = quantize(model, calibration, target);
  for (const QuantizeTrial& trial : quantized.trials) std::cout << trial << "\n";
  const auto [before, after] = measure(models, evaluation);
  model.save("quantized.onnx");

  std::cout << quantized.audit.fused() << " of " << quantized.audit.findings.size() << " operators will fuse on "
            << target.name << "\n";
  for (const OperatorOutcome& one : quantized.outcomes)
    if (one.form == OperatorForm::in_float) std::cout << "  " << one << "\n";

  double right_before = 0, right_after = 0, alike = 0, cosine = 0;
  for (std::size_t i = 0; i < evaluation.size(); ++i) {
    right_before += before.answer(i) == shapes::kind_of(first + i);
    right_after += after.answer(i) == shapes::kind_of(first + i);
    alike += before.answer(i) == after.answer(i);
    cosine += before.results[i].normalized().dot(after.results[i].normalized());
  }
  const auto count = static_cast<double>(evaluation.size());
  if (draws)
    std::cout << "right: " << right_before / count * 100 << " % in float, " << right_after / count * 100
              << " % in 8 bits\n";
  std::cout << "same answer: " << alike / count * 100 << " %, mean cosine " << cosine / count << "\n"
            << "bytes: " << before.bytes << " in float, " << after.bytes << " in 8 bits\n"
            << "milliseconds: " << before.median_time() << " in float, " << after.median_time() << " in 8 bits, "
            << before.median_time() / after.median_time() << " times as fast, in " << runtime << "\nwrote "
            << std::filesystem::absolute("quantized.onnx").string() << "\n";
} catch (const graft::Error& error) {
  std::cerr << "quickstart: " << error.what() << "\n";
  return 1;
}
