// How oneDNN's Graph API divides models: for each a line of the model and, by node, its partition; "!" behind one that
// does not compile, and in place of them all where the library ends the program, as it does in a process of its own.
//   onednn_partitions MODEL...
#include <cstddef>
#include <exception>
#include <iostream>
#include <string>
#include <unordered_map>

#include <sys/wait.h>
#include <unistd.h>

#include "onednn_graph.hpp"

namespace {

bool compiles(const dnnl::graph::partition& partition) {
  try {
    partition.compile(partition.get_input_ports(), partition.get_output_ports(), dnnl::engine(OneDnnGraph::engine, 0));
    return true;
  } catch (const dnnl::error&) {
    return false;
  }
}

void print_partitions(const std::string& path) {
  graft::Model model = graft::Model::load(path);
  graft::infer_shapes(model.graph());
  OneDnnGraph graph(model.graph());
  std::unordered_map<std::size_t, std::string> names;  // of the partition, by operation
  std::size_t count = 0;
  for (const dnnl::graph::partition& partition : graph.partitions()) {
    if (!partition.is_supported()) continue;
    const std::string name = std::to_string(count++) + (compiles(partition) ? "" : "!");
    for (const std::size_t operation : partition.get_ops()) names[operation] = name;
  }
  std::string line = path;
  for (const graft::Node& node : model.graph().nodes())
    line += "\t" + std::string(node.name()) + "=" + names[graph.operation(node)];
  std::cout << line << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (const pid_t child = fork(); child != 0) {
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFSIGNALED(status)) std::cout << argv[i] << "\t!" << std::endl;
      if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return 1;
      continue;
    }
    try {
      print_partitions(argv[i]);
      return 0;
    } catch (const std::exception& error) {
      std::cerr << argv[i] << ": " << error.what() << '\n';
      return 1;
    }
  }
}
