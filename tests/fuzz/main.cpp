// Fuzzes graft's own rules and passes, for as long as one likes.
#include <exception>
#include <filesystem>
#include <iostream>
#include <regex>
#include <string>

#include <CLI/CLI.hpp>
#include <graft/graph/model.hpp>

#include "subjects.hpp"

namespace {

struct Arguments {
  std::uint64_t seed = 1;
  std::size_t count = 200;
  double seconds = 1e9;
  std::string rules = ".*", save;
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
  CLI11_PARSE(app, argc, argv);
  try {
    return run(arguments) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "graft_fuzz: " << error.what() << "\n";
    return 2;
  }
}
