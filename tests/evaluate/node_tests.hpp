#pragma once
#include <filesystem>
#include <string>
#include <vector>

/// exempt: the model asks for what graft leaves out on purpose.
enum class NodeOutcome { passed, failed, not_implemented, exempt };

/// What became of one of the standard's backend tests.
struct NodeTest {
  std::string name;
  int opset;  // of the main domain
  NodeOutcome outcome;
  std::string why{};
};

/// Runs the tests of a folder such as onnx/backend/test/data/node, each a folder with model.onnx and data sets; in the
/// order of their names. Tolerances are those of ONNX's own runner.
std::vector<NodeTest> run_node_tests(const std::filesystem::path& folder);
