// Runs models with the operators of QONNX, one in each folder that stands on a line of the input: model.onnx, of which
// input_<i>.pb holds the tensor of each graph input without an initializer. Writes output_<i>.pb for each graph output,
// and canonical.onnx, the model in one spelling; or error.txt with the message. For the tests that compare graft with
// the Python package qonnx.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph.hpp>
#include <graft/graph/tensor_file.hpp>
#include <graft/qonnx/ops/canonical_operators.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/rewrite/pass.hpp>

namespace {

void run(const std::filesystem::path& folder) {
  graft::Model model = graft::Model::load(folder / "model.onnx");
  graft::Feeds feeds;
  for (const graft::Value* const input : model.graph().inputs()) {
    if (input->initializer() != nullptr) continue;
    feeds.emplace_back(input, graft::load_tensor(folder / ("input_" + std::to_string(feeds.size()) + ".pb")));
  }
  std::vector<graft::Tensor> outputs = graft::Evaluator(model.graph(), graft::qonnx::kernels()).run(feeds);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    graft::save_tensor(std::move(outputs[i]), folder / ("output_" + std::to_string(i) + ".pb"));
  graft::qonnx::canonical_operators().run(model);
  model.save(folder / "canonical.onnx");
}

}  // namespace

int main() {
  for (std::string folder; std::getline(std::cin, folder);) {
    try {
      run(folder);
    } catch (const graft::Error& error) {
      std::ofstream(std::filesystem::path(folder) / "error.txt") << error.what() << '\n';
    }
  }
}
