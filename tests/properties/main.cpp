// Fuzzes graft's own rules and passes, for as long as one likes.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <string>

#include <CLI/CLI.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/simplify/rules.hpp>
#include <graft/testing/detail/feeds.hpp>

#include "subjects.hpp"

namespace {

struct Arguments {
  std::uint64_t seed = 1;
  std::size_t count = 200;
  double seconds = 1e9;
  std::string rules = ".*", save, write;
  bool list = false, quiet = false;
};

/// Whether all of the subjects that are asked for hold.
bool run(const Arguments& arguments) {
  const std::regex wanted(arguments.rules);
  bool holds = true;
  std::size_t graphs = 0;
  for (const Subject& subject : subjects()) {
    if (!std::regex_search(subject.name, wanted)) continue;
    if (arguments.list) {
      std::cout << subject.name << "\n";
      continue;
    }
    const graft::FuzzReport report = subject.fuzz(arguments.seed, arguments.count, arguments.seconds);
    holds = holds && report;
    graphs += report.graphs;
    std::size_t applied = 0;
    for (const auto& [rule, count] : report.applied) applied += count;
    if (!arguments.quiet || !report) {
      std::cout << subject.name << ": " << report.graphs << " graphs, " << report.changed << " rewritten, " << applied
                << " applications, " << report.orders << " by order, " << report.failures.size() << " failures\n";
    }
    if (!report) std::cout << report << std::flush;
    if (subject.rules.size() > 1) {
      for (const graft::RuleView& rule : subject.rules)
        if (report.applied.count(std::string(rule.name())) == 0 || report.applied.at(std::string(rule.name())) == 0)
          std::cout << "  " << rule.name() << " was never applied\n";
      for (const graft::FuzzFinding& example : report.order_examples)
        std::cout << "  another order makes something else: " << example.why << "\n" << example.text << "\n";
    }
    if (arguments.save.empty()) continue;
    for (const graft::FuzzFinding& failure : report.failures) {
      std::string file = subject.name + "-" + std::to_string(failure.seed) + ".onnx";
      for (char& c : file) c = c == '/' ? '-' : c;
      graft::Model(onnx::ModelProto(failure.model)).save((std::filesystem::path(arguments.save) / file).string());
    }
  }
  std::cout << graphs << " graphs\n";
  return holds;
}

void write(graft::Tensor tensor, const std::string& path) {
  onnx::TensorProto proto;
  graft::write_tensor(std::move(tensor), proto);
  std::ofstream out(path, std::ios::binary);
  proto.SerializeToOstream(&out);
}

/// Random graphs as folders, with inputs, and outputs that graft computes: for another runtime to compute them.
void write_graphs(const Arguments& arguments) {
  graft::Vocabulary vocabulary;
  using graft::DType;
  vocabulary.dtypes = {DType::f32, DType::f32, DType::f32, DType::f32, DType::f64,
                       DType::i64, DType::i32, DType::u8,  DType::i8,  DType::boolean};
  vocabulary.patterns = graft::shrinking_rules();
  vocabulary.functions = false;    // graft's evaluator calls none
  vocabulary.overridable = false;  // the runtime takes them for inputs
  for (std::size_t i = 0; i < arguments.count; ++i) {
    const std::uint64_t seed = arguments.seed * 1'000'003 + i;
    graft::Model model = graft::random_graph(seed, 3 + i % 8, vocabulary);
    graft::detail::FeedMaker maker(model.graph(), seed, {}, false);
    const graft::Feeds feeds = maker.feeds(4);
    std::vector<graft::Tensor> outputs;
    try {
      outputs = graft::Evaluator(model.graph()).run(feeds);
    } catch (const graft::Error&) {
      continue;  // extents of these symbols do not fit
    }
    const std::filesystem::path folder = std::filesystem::path(arguments.write) / std::to_string(seed);
    std::filesystem::create_directory(folder);
    model.save((folder / "model.onnx").string());
    for (std::size_t k = 0; k < feeds.size(); ++k)
      write(feeds[k].second, (folder / ("input_" + std::to_string(k) + ".pb")).string());
    for (std::size_t k = 0; k < outputs.size(); ++k)
      write(outputs[k], (folder / ("output_" + std::to_string(k) + ".pb")).string());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Fuzzes graft's own rules and passes with random graphs");
  app.add_option("--rules", arguments.rules, "Regular expression of the names to run; --list prints them")
      ->capture_default_str();
  app.add_option("--seed", arguments.seed, "Another one makes other graphs")->capture_default_str();
  app.add_option("--count", arguments.count, "Graphs for each of them")->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "Time for each of them at most");
  app.add_option("--save", arguments.save, "Folder for the graphs that fail")->check(CLI::ExistingDirectory);
  app.add_flag("--list", arguments.list, "Prints the names");
  app.add_flag("--quiet", arguments.quiet, "Prints failures alone");
  app.add_option("--write", arguments.write, "Writes random graphs with inputs and outputs to that folder, and ends")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  try {
    if (!arguments.write.empty()) {
      write_graphs(arguments);
      return 0;
    }
    return run(arguments) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "fuzz_rules: " << error.what() << "\n";
    return 2;
  }
}
