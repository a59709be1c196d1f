// Prints a Markdown table of how graft does in a folder of the standard's backend node tests, by the opset of the
// model: [--list] FOLDER. With --list, then why each exempt, failed or not implemented test is that. Exits with 1 if
// any failed.
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string_view>

#include <graft/graph/error.hpp>

#include "evaluate/node_tests.hpp"

namespace {

constexpr std::array<std::string_view, 4> outcomes{"passed", "failed", "not implemented", "exempt"};

using Counts = std::array<std::size_t, outcomes.size()>;

void print_row(std::string_view title, const Counts& counts) {
  std::cout << "| " << title;
  for (const std::size_t count : counts) std::cout << " | " << count;
  std::cout << " |\n";
}

void print_table(const std::vector<NodeTest>& tests) {
  std::map<int, Counts> by_opset;
  Counts total{};
  for (const NodeTest& test : tests) {
    const auto outcome = static_cast<std::size_t>(test.outcome);
    ++by_opset[test.opset][outcome];
    ++total[outcome];
  }
  std::cout << "| opset";
  for (const std::string_view outcome : outcomes) std::cout << " | " << outcome;
  std::cout << " |\n|---|---|---|---|---|\n";
  for (const auto& [opset, counts] : by_opset) print_row(opset == 0 ? "none" : std::to_string(opset), counts);
  print_row("all", total);
}

}  // namespace

int main(int argc, char** argv) {
  const bool lists = argc == 3 && std::string_view(argv[1]) == "--list";
  if (argc != 2 && !lists) {
    std::cerr << "usage: graft_conformance [--list] FOLDER\n";
    return 2;
  }
  try {
    const std::vector<NodeTest> tests = run_node_tests(argv[argc - 1]);
    print_table(tests);
    bool failed = false;
    for (const NodeTest& test : tests) {
      failed = failed || test.outcome == NodeOutcome::failed;
      if (lists && test.outcome != NodeOutcome::passed)
        std::cout << outcomes[static_cast<std::size_t>(test.outcome)] << ": " << test.name << ": " << test.why << '\n';
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
