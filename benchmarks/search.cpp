// Measures the gain of refine_ranges() and keep_fewest_in_float(), and their processor time:
//
//   search MODEL DATA [--samples 20] [--unseen 80] [--min-cosine 0.99] [--resize N ...]
//
// DATA is a folder of images or of ONNX test data. Every n-th sample calibrates and decides; unseen samples measure the
// fidelity. Everything runs on one thread.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>

#include "support/calibration.hpp"

namespace {

using namespace graft;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Arguments {
  std::string model, target = "ort-cpu-x64";
  Calibration calibration;
  std::size_t samples = 20, unseen = 80;
  double min_cosine = 0.99;
  RangeRefinement refinement;
  bool tells = false;
};

struct Split {
  std::vector<Sample> known, unseen;

  Split(const Arguments& arguments, const Model& model) {
    const Samples all = arguments.calibration.samples(model);
    const std::size_t wanted = std::min(all.size(), arguments.samples + arguments.unseen);
    for (std::size_t i = 0; i < wanted; ++i) {
      const bool is_known = (i + 1) * arguments.samples / wanted != i * arguments.samples / wanted;
      (is_known ? known : unseen).push_back(all[i * all.size() / wanted]);
    }
  }
};

class Table {
 public:
  Table(Model& prepared, const std::vector<Sample>& unseen, const Target& target)
      : prepared_(prepared), unseen_(unseen), target_(target), meter_(output_decisions(prepared.graph())) {
    const Evaluator evaluator(prepared.graph());
    for (const Sample& sample : unseen_) floats_.push_back(evaluator.run(sample.feeds));
    std::printf("%-28s %9s %7s %8s %7s %8s %9s\n", "", "seconds", "pairs", "speed", "dB", "cosine", "agreement");
  }

  void add(const std::string& label, const Pass& quantize, const Context& known, double seconds) {
    Context context = known;
    context.log = {};
    context.progress = {};
    Model copy = prepared_.clone();
    quantize.run(copy, context);
    const Audit found = audit(copy.graph(), target_);
    const ExpectedTime time = expected_time(copy.graph(), found, target_);
    std::size_t pairs = 0;
    for (const Node& node : copy.graph().nodes()) pairs += is_quantize(node);
    FidelityMeter meter = meter_;
    const Evaluator evaluator(copy.graph());
    for (std::size_t i = 0; i < unseen_.size(); ++i) {
      Feeds feeds;
      for (const auto& [value, tensor] : unseen_[i].feeds) feeds.emplace_back(std::string(value.name()), tensor);
      meter.add(floats_[i], evaluator.run(feeds));
    }
    const Fidelity reached = meter.fidelity();
    std::printf("%-28s %9.2f %7zu %7.2fx %7.2f %8.5f %9.4f\n", label.c_str(), seconds, pairs, time.speedup(),
                reached.decibels, reached.cosine, reached.agreement);
    std::fflush(stdout);
  }

 private:
  Model& prepared_;
  const std::vector<Sample>& unseen_;
  const Target& target_;
  FidelityMeter meter_;
  std::vector<std::vector<Tensor>> floats_;
};

void search(const Arguments& arguments) {
  const Target& target = targets::named(arguments.target);
  Model model = Model::load(arguments.model);
  const Split samples(arguments, model);
  QuantizeOptions options;
  options.freeze_inputs = true;
  Context context;
  if (arguments.tells) context.log = [](std::string_view text) { std::printf("  %s\n", std::string(text).c_str()); };
  double begin = processor_seconds();
  const auto seconds = [&] {
    const double now = processor_seconds(), taken = now - begin;
    begin = now;
    return taken;
  };
  (prepare_model(target, options) | calibrate(samples.known, Percentile{99.99}) |
   join_added_convs(Granularity::per_channel, target))
      .run(model, context);
  const Pass quantize = inject_qdq(target, Placement::min_cost) | quantize_weights(Granularity::per_channel, target);
  const double of_calibration = seconds();
  Table table(model, samples.unseen, target);
  table.add("calibrated", quantize, context, of_calibration);

  seconds();
  const Report refined = refine_ranges(samples.known, target, arguments.refinement).run(model, context);
  table.add("refined", quantize, context, seconds());
  for (const std::string& note : refined.notes) std::printf("  %s\n", note.c_str());

  seconds();
  const Report kept =
      keep_fewest_in_float({.cosine = arguments.min_cosine}, quantize, samples.known).run(model, context);
  table.add("fewest in float", quantize, context, seconds());
  std::printf("  %s\n", kept.notes.back().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures refine_ranges() and keep_fewest_in_float()");
  Arguments arguments;
  app.add_option("model", arguments.model)->required()->check(CLI::ExistingFile);
  app.add_option("data", arguments.calibration.data)->required()->check(CLI::ExistingDirectory);
  app.add_option("--samples", arguments.samples, "number of samples that calibrate and decide")->capture_default_str();
  app.add_option("--unseen", arguments.unseen, "number of unseen samples, which measure the fidelity")
      ->capture_default_str();
  app.add_option("--min-cosine", arguments.min_cosine, "the goal for the search of layers in float")
      ->capture_default_str();
  app.add_option("--target", arguments.target)->capture_default_str();
  app.add_option("--sweeps", arguments.refinement.sweeps, "sweeps of refine_ranges()")->capture_default_str();
  app.add_option("--step", arguments.refinement.step, "step of refine_ranges()")->capture_default_str();
  app.add_flag("--tell", arguments.tells, "print the log of the passes");
  add_sample_options(app, arguments.calibration);
  CLI11_PARSE(app, argc, argv);
  try {
    search(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "search: %s\n", error.what());
    return 1;
  }
}
