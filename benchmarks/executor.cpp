// Runs a model with graft's executor, once for each line that comes in, and prints the seconds that the run took:
// MODEL INPUT..., where INPUT is a TensorProto for each graph input without an initializer.
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <graft/evaluate.hpp>

namespace {

onnx::TensorProto read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto proto;
  if (!proto.ParseFromIstream(&file)) throw graft::Error("is no tensor").file(path);
  return proto;
}

void serve(const std::string& path, const std::vector<std::string>& inputs) {
  const graft::Model model = graft::Model::load(path);
  std::vector<onnx::TensorProto> protos;
  for (const std::string& input : inputs) protos.push_back(read(input));
  graft::Feeds feeds;
  for (const graft::Value* input : model.graph().inputs()) {
    if (input->initializer() == nullptr) feeds.emplace_back(input, graft::read_tensor(protos.at(feeds.size())));
  }
  const graft::Evaluator evaluator(model.graph());
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = std::chrono::steady_clock::now();
    evaluator.run(feeds);
    std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    serve(arguments.at(0), {arguments.begin() + 1, arguments.end()});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
