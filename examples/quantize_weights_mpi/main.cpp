// quantize_weights_mpi: stores the weights of a language model, or of another transformer, in few bits by GPTQ. The
// ranks of Open MPI share the products. The result is the same to the bit for any number of ranks.
//   mpirun -n 4 quantize_weights_mpi MODEL.onnx --calibration PATH -o OUTPUT.onnx
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>

#include "support/calibration.hpp"
#include "support/data_files.hpp"
#include "support/freed_memory.hpp"
#include "support/gather_bytes.hpp"
#include "support/mpi.hpp"
#include "support/progress_line.hpp"
#include "support/scratch.hpp"
#include "support/writable.hpp"

namespace {

struct Options {
  std::filesystem::path model, output;
  std::string target = "ort-cpu-x64";
  Calibration calibration;
  graft::BlockwiseOptions blocks{.method = graft::BlockMethod::gptq};
  bool is_standard = false, reconstructs = false;
  std::size_t block_steps = 0;
};

void run(const Options& options, const Rank& own) {
  using namespace graft;
  Model model = Model::load(options.model.string(), scratch_beside(options.output));
  check_initializers(model);
  check_apart(options.output, {options.model});
  check_apart(options.output, data_files(model));
  if (own.rank == 0) check_replaceable(options.output);
  const std::shared_ptr<const Target> target = targets::named_or_loaded(options.target);
  const Samples samples = options.calibration.samples(model);
  if (own.rank == 0) tell_preprocessing(samples);
  ProgressLine line("quantizing, rank 0");
  Context context;
  context.threads = options.calibration.threads;
  context.progress = [&](const Progress& at) {
    if (own.rank == 0) line(at.done, at.total);
  };
  BlockwiseLearning learning;
  learning.ranks = {static_cast<std::size_t>(own.rank), static_cast<std::size_t>(own.count),
                    [&](std::string bytes) { return gather_bytes(bytes, own.count); }};
  const SampleSource source = options.calibration.source(samples);
  Pass pass = prepare_model(*target, {.mode = options.blocks, .freeze_inputs = true});
  if (options.blocks.bits_per_weight) pass = pass | choose_weight_bits(*target, options.blocks, source, learning);
  Report report = pass.run(model, context);
  std::optional<Model> floats;
  if (options.reconstructs) floats = model.clone();
  report.add(quantize_weights_blockwise(*target, options.blocks, source, learning).run(model, context));
  if (floats) {
    const WeightForms none = Granularity::per_channel;  // blocks have their own forms
    const Reconstruction rounding{.block_steps = options.block_steps, .ranks = learning.ranks};
    report.add(reconstruct(floats->graph(), source, none, *target, rounding).run(model, context));
  }
  if (own.rank != 0) return;
  for (const char* const name : {"choose_weight_bits", "quantize_weights_blockwise", "reconstruct"})
    if (const Report* const step = report.step(name))
      for (const std::string& note : step->notes) std::fprintf(stderr, "%s\n", note.c_str());
  model.save(options.output.string());
  std::printf("%zu products, %d %s\n", context.facts.find<IntegerCounts>()->products, own.count,
              own.count == 1 ? "rank" : "ranks");
}

}  // namespace

int main(int argc, char** argv) {
  give_back_freed_memory();
  Options options;
  CLI::App app("Stores weights in few bits by GPTQ. The ranks of MPI share the products.", "quantize_weights_mpi");
  app.add_option("MODEL", options.model, "the float model")->required();
  app.add_option("--calibration", options.calibration.data, calibration_help)->required();
  app.add_option("-o,--output", options.output, "write the quantized model to this file")->required();
  app.add_option("--target", options.target, "the runtime: " + graft::targets::names())->capture_default_str();
  app.add_option("--weight-only", options.blocks.weights.bits, "bits of a weight")
      ->type_name("BITS")
      ->check(CLI::IsMember({2, 4, 8}))
      ->capture_default_str();
  app.add_option("--bits-per-weight", options.blocks.bits_per_weight,
                 "the most bits of a weight on average, with scales: weights that lose most on samples get more");
  app.add_option("--block", options.blocks.weights.block_size,
                 "number of weights that share a scale: a power of two from 16 to 256")
      ->capture_default_str();
  app.add_flag("--symmetric", options.blocks.weights.symmetric, "use no zero points");
  app.add_flag("--standard", options.is_standard, "write DequantizeLinear of opset 21 instead of MatMulNBits");
  auto* const reconstruct =
      app.add_flag("--reconstruct", options.reconstructs,
                   "then learn the rounding layer by layer, with the errors of earlier layers");
  app.add_option("--reconstruct-blocks", options.block_steps,
                 "also learn blocks of layers, by so many steps of gradient descent each, as in 100")
      ->needs(reconstruct);
  add_threads_option(app, options.calibration.threads, "number of threads of a rank");
  add_sample_options(app, options.calibration);
  return run_ranks(
      app, argc, argv,
      [&] {
        if (options.is_standard) options.blocks.operators = graft::BlockOperators::standard;
      },
      [&](const Rank& own) { run(options, own); });
}
