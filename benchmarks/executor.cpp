// Runs a model with graft's executor: MODEL INPUT..., where INPUT is a TensorProto for each graph input without an
// initializer. First prints bytes: the peak of the model and a run, the model's weights, and its two largest
// activations. Then it reads numbers of threads, one a line, and prints the seconds of a run on them.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph/tensor_file.hpp>

#include "support/tracked_memory.hpp"

namespace {

std::size_t weights(const graft::Model& model) {
  std::size_t bytes = 0;
  for (const graft::Value* value : model.graph().initializers())
    bytes += graft::read_tensor(*value->initializer(), model.external_data()).bytes().size();
  return bytes;
}

std::size_t two_largest_activations(const graft::Graph& graph, const graft::Feeds& feeds) {
  graft::Fetches computed;
  for (const graft::Node& node : graph.nodes()) {
    for (const graft::Value& output : node.outputs()) {
      if (!output.is_constant()) computed.emplace_back(output);
    }
  }
  std::vector<std::size_t> sizes(2);
  graft::Evaluator(graph).observe(feeds, computed, [&](std::size_t, const graft::Tensor& value) {
    sizes.push_back(value.bytes().size());
  });
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes[0] + sizes[1];
}

void serve(const std::string& path, const std::vector<std::string>& inputs) {
  const std::size_t before = TrackedMemory::live();
  const graft::Model model = graft::Model::load(path);
  graft::Feeds feeds;
  for (const graft::Value* input : model.graph().inputs())
    if (input->initializer() == nullptr) feeds.emplace_back(input, graft::load_tensor(inputs.at(feeds.size())));

  TrackedMemory::restart();
  const graft::Evaluator alone(model.graph());
  alone.run(feeds);
  std::cout << TrackedMemory::peak() - before << ' ' << weights(model) << ' '
            << two_largest_activations(model.graph(), feeds) << std::endl;

  graft::ThreadPool two(2);
  const graft::Evaluator together(model.graph(), std::ref(two));
  for (int threads; std::cin >> threads;) {
    const auto start = std::chrono::steady_clock::now();
    (threads == 1 ? alone : together).run(feeds);
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
