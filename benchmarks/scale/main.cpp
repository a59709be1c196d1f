// scale: one measurement of graft on a large model, printed as a line of JSON: processor and wall seconds by stage, and
// the peak of anonymous memory.
//   scale chain|mobilenet NODES FOLDER       simplifies and saves
//   scale layers NUMBER FOLDER               quantizes this many weights with known ranges, and saves
//   scale one_root|own_roots RULES NODES     matches rules that never apply
//   scale nested DEPTH                       simplifies nested Ifs
//   scale large|large_blockwise MIB FOLDER   quantizes weights in a data file, with known ranges or in blocks
//   scale large_gptq MIB FOLDER              the same in blocks by GPTQ, on a sample that runs within 768 MiB
//   scale large_fused MIB FOLDER             fuses the operators of a transformer whose weights are in a data file
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <time.h>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify.hpp>
#include <graft/surgery/shapes.hpp>
#include <graft/transformer.hpp>

#include "graphs.hpp"
#include "scale/anonymous_memory.hpp"
#include "scale/many_rules.hpp"
#include "scale/models.hpp"
#include "support/freed_memory.hpp"

namespace {

using namespace graft;

/// The processor time of this thread, which other processes do not change.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The bytes that the process has read from files.
std::size_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string key;
  std::size_t bytes = 0;
  file >> key >> bytes;
  return bytes;
}

class Stages {
 public:
  template <class F>
  auto operator()(const char* name, F&& f) {
    const Timed timed{*this, name};
    return f();
  }
  void print(std::size_t peak) const {
    std::printf("{\"anonymous\": %zu, \"read\": %zu", peak, bytes_read());
    for (const Stage& stage : stages_)
      std::printf(", \"%s\": %.6f, \"%s, wall\": %.6f", stage.name, stage.cpu, stage.name, stage.wall);
    std::printf("}\n");
  }

 private:
  struct Stage {
    const char* name;
    double cpu, wall;
  };
  struct Timed {
    Stages& stages;
    const char* name;
    double cpu = cpu_seconds();
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Timed() {
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
      stages.stages_.push_back({name, cpu_seconds() - cpu, wall.count()});
    }
  };
  std::vector<Stage> stages_;
};

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

void simplified(Stages& stage, onnx::ModelProto proto, const std::filesystem::path& file) {
  Model model = stage("view", [&] { return Model(std::move(proto)); });
  require(stage("simplify", [&] { return simplify().run(model); }).converged(), "simplify() did not converge");
  stage("verify", [&] { return verify(model); });
  stage("save", [&] { model.save(file); });
}

Ranges known_ranges(const Graph& graph) {
  Ranges ranges;
  for (const Value* const value : observable(graph)) ranges.set(value->name(), {-4.f, 4.f});
  return ranges;
}

/// Static quantization that tries nothing.
StaticOptions everything() {
  StaticOptions options = QuantizeOptions::fast().static_options();
  options.placement = Placement::all_supported;
  return options;
}

void quantize_to(Stages& stage, Model& model, const QuantizationMode& mode, const std::filesystem::path& file) {
  stage("simplify", [&] { return simplify().run(model); });
  QuantizeOptions options{.mode = mode, .compare = false};
  if (options.is_static()) options.static_options().ranges = known_ranges(model.graph());
  Context context;
  const QuantizeResult result =
      stage("quantize", [&] { return quantize(model, targets::ort_cpu_x64, options, context); });
  require(result.pairs + result.products != 0, "nothing was quantized");
  stage("save", [&] { model.save(file); });
}

void run(const std::vector<std::string>& words, Stages& stage) {
  const std::string& what = words.at(0);
  const std::int64_t size = std::stoll(words.at(1));
  if (what == "chain" || what == "mobilenet") {
    simplified(stage, what == "chain" ? SyntheticModel::chain(size) : SyntheticModel::mobilenet(size),
               std::filesystem::path(words.at(2)) / "out.onnx");
  } else if (what == "layers") {
    Model model = stage("view", [&] { return Model(LayerModel::small(size)); });
    quantize_to(stage, model, everything(), std::filesystem::path(words.at(2)) / "out.onnx");
  } else if (what == "one_root" || what == "own_roots") {
    Model model(SyntheticModel::mobilenet(std::stoll(words.at(2))));
    const Pass rules = fixpoint(many_rules::rules(static_cast<std::size_t>(size), what == "one_root"));
    stage("rules", [&] { return rules.run(model); });
  } else if (what == "nested") {
    Model model = stage("view", [&] { return Model(SyntheticModel::nested_ifs(size)); });
    stage("verify", [&] { return verify(model); });
    stage("infer", [&] { return infer_shapes().run(model); });
    stage("simplify", [&] { return simplify().run(model); });
    require(model.graph().nodes().size() == 1, "the bodies were not removed");
  } else if (what == "large" || what == "large_blockwise") {
    const std::filesystem::path folder = words.at(2), file = folder / "large.onnx";
    if (!std::filesystem::exists(file)) LayerModel::write_large(file, size << 20);
    Model model = stage("load", [&] { return Model::load(file.string(), {.scratch_folder = folder.string()}); });
    BlockwiseOptions blocks;
    blocks.method = BlockMethod::nearest;
    const bool is_static = what == "large";
    quantize_to(stage, model, is_static ? QuantizationMode(everything()) : blocks, folder / "out.onnx");
  } else if (what == "large_gptq") {
    const std::filesystem::path folder = words.at(2), file = folder / "large.onnx";
    if (!std::filesystem::exists(file)) LayerModel::write_large(file, size << 20);
    Model model = stage("load", [&] { return Model::load(file.string(), {.scratch_folder = folder.string()}); });
    const std::vector<Feeds> samples{{{"x", Tensor::of<std::int64_t>({1}, {0})}}};  // the row of numbers
    constexpr std::size_t most = std::size_t{768} << 20;
    const ExecutorFactory within = [](const Graph& graph) { return Evaluator(graph, {.max_bytes = most}); };
    const Pass pass = quantize_weights_blockwise(targets::ort_cpu_x64, {.method = BlockMethod::gptq}, samples,
                                                 {.make_executor = within, .max_bytes = most});
    stage("simplify", [&] { return simplify().run(model); });
    require(stage("quantize", [&] { return pass.run(model); }).changes != 0, "nothing was quantized");
    stage("save", [&] { model.save(folder / "out.onnx"); });
  } else if (what == "large_fused") {
    const std::filesystem::path folder = words.at(2), file = folder / "encoder.onnx";
    if (!std::filesystem::exists(file)) EncoderModel::write_large(file, size << 20);
    Model model = stage("load", [&] { return Model::load(file.string(), {.scratch_folder = folder.string()}); });
    stage("simplify", [&] { return simplify().run(model); });
    require(stage("quantize", [&] { return transformer_fusions().run(model); }).changes != 0, "nothing was fused");
    stage("save", [&] { model.save(folder / "out.onnx"); });
  } else {
    throw std::runtime_error("no such measurement: " + what);
  }
}

}  // namespace

int main(int argc, char** argv) {
  give_back_freed_memory();
  try {
    Stages stages;
    const AnonymousMemory memory;
    run({argv + 1, argv + argc}, stages);
    stages.print(memory.peak());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "scale: %s\n", error.what());
    return 1;
  }
}
