// Runs a model once for each folder: MODEL FOLDER... reads FOLDER/input_<i>.pb, one TensorProto for each graph input
// without an initializer, and writes FOLDER/graft_<i>.pb for each graph output. For the tests that compare graft with
// another runtime.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <graft/evaluate.hpp>

namespace {

onnx::TensorProto read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto proto;
  if (!proto.ParseFromIstream(&file)) throw graft::Error("is no tensor").file(path.string());
  return proto;
}

void run(const graft::Graph& graph, const graft::Evaluator& evaluator, const std::filesystem::path& folder) {
  std::vector<onnx::TensorProto> protos;
  graft::Feeds feeds;
  protos.reserve(graph.inputs().size());
  for (const graft::Value* input : graph.inputs()) {
    if (input->initializer() != nullptr) continue;
    protos.push_back(read(folder / ("input_" + std::to_string(protos.size()) + ".pb")));
    feeds.emplace_back(input, graft::read_tensor(protos.back()));
  }
  std::vector<graft::Tensor> outputs = evaluator.run(feeds);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    onnx::TensorProto proto;
    graft::write_tensor(std::move(outputs[i]), proto);
    std::ofstream file(folder / ("graft_" + std::to_string(i) + ".pb"), std::ios::binary);
    if (!proto.SerializeToOstream(&file)) throw graft::Error("cannot be written").file(folder.string());
  }
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
