// Runs a model once for each folder: MODEL FOLDER... reads FOLDER/input_<i>.pb, one TensorProto for each graph input
// without an initializer, and writes FOLDER/graft_<i>.pb for each graph output. For the tests that compare graft with
// another runtime.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph/tensor_file.hpp>

namespace {

void run(const graft::Graph& graph, const graft::Evaluator& evaluator, const std::filesystem::path& folder) {
  graft::Feeds feeds;
  for (const graft::Value* input : graph.inputs()) {
    if (input->initializer() != nullptr) continue;
    feeds.emplace_back(input, graft::load_tensor(folder / ("input_" + std::to_string(feeds.size()) + ".pb")));
  }
  std::vector<graft::Tensor> outputs = evaluator.run(feeds);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    graft::save_tensor(std::move(outputs[i]), folder / ("graft_" + std::to_string(i) + ".pb"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: graft_run_model MODEL FOLDER...\n";
    return 2;
  }
  int status = EXIT_SUCCESS;
  const auto report = [&status](const graft::Error& error) {
    std::cerr << error.what() << '\n';
    status = EXIT_FAILURE;
  };
  try {
    const graft::Model model = graft::Model::load(argv[1]);
    const graft::Evaluator evaluator(model.graph());
    for (int i = 2; i < argc; ++i) {
      try {
        run(model.graph(), evaluator, argv[i]);
      } catch (const graft::Error& error) {
        report(error);
      }
    }
  } catch (const graft::Error& error) {
    report(error);
  }
  return status;
}
