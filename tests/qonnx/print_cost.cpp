// For the test against the package qonnx. Prints as JSON what graft finds out of a model: data types, costs and ranges.
// Or writes one of the networks of Table III of the QONNX paper.
//
//   graft_qonnx_cost MODEL [INPUT MIN MAX]
//   graft_qonnx_cost --write NETWORK MODEL
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>

#include "topologies/quantized_topologies.hpp"

namespace {

using graft::Graph;
using graft::Model;
using graft::Node;
using graft::Value;
namespace qonnx = graft::qonnx;

/// Writes the members of an object or the elements of a list.
class Members {
 public:
  /// The place of the next one, with its name.
  std::ostream& next(std::string_view name = {}) {
    std::cout << (is_first_ ? "" : ",\n ");
    is_first_ = false;
    if (!name.empty()) std::cout << std::quoted(std::string(name)) << ": ";
    return std::cout;
  }

 private:
  bool is_first_ = true;
};

void print(const std::vector<double>& numbers) {
  std::cout << "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::cout << (i == 0 ? "" : ", ");
    if (std::isinf(numbers[i]))
      std::cout << (numbers[i] < 0 ? "-Infinity" : "Infinity");
    else
      std::cout << numbers[i];
  }
  std::cout << "]";
}

void print(const qonnx::Cost& cost) {
  std::cout << "{";
  Members members;
  for (const auto& [key, count] : qonnx::to_map(cost)) members.next(key) << count;
  std::cout << "}";
}

void print(Model& model, const std::map<std::string, qonnx::TensorRange, std::less<>>& inputs) {
  Graph& graph = model.graph();
  Members all;
  std::cout << std::setprecision(17) << "{";
  all.next("types") << "{";
  Members types;
  const qonnx::DataTypes inferred = qonnx::infer_data_types(graph);
  for (const Node& node : graph.nodes())
    for (const Value& output : node.outputs())
      types.next(output.name()) << std::quoted(to_string(inferred.of(output)));
  std::cout << "}";
  for (const bool is_sparse : {false, true}) {
    all.next(is_sparse ? "sparse" : "dense");
    print(qonnx::inference_cost(graph, {.discount_sparsity = is_sparse}).total);
  }
  const qonnx::PropagatedRanges ranges = qonnx::propagate_ranges(graph, inputs);
  all.next("ranges") << "{";
  Members one;
  for (const Node& node : graph.nodes()) {
    for (const Value& output : node.outputs()) {
      const qonnx::TensorRange* const range = ranges.find(output);
      if (range == nullptr) continue;
      one.next(output.name()) << "[";
      print(range->min);
      std::cout << ", ";
      print(range->max);
      std::cout << "]";
    }
  }
  std::cout << "}";
  all.next("accumulators") << "{";
  Members sums;
  for (const qonnx::Accumulator& sum : ranges.accumulators)
    sums.next(sum.node->output(0)->name()) << std::quoted(to_string(sum.type));
  std::cout << "}";
  all.next("stuck") << "[";
  Members stuck;
  for (const qonnx::StuckChannel& channel : ranges.stuck)
    stuck.next() << "[" << std::quoted(std::string(channel.value->name())) << ", " << channel.channel << ", "
                 << channel.number << "]";
  std::cout << "]}\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 4 && std::string_view(argv[1]) == "--write") {
      for (const QuantizedTopology& topology : quantized_topologies()) {
        if (topology.name != argv[2]) continue;
        topology.build().save(argv[3]);
        return EXIT_SUCCESS;
      }
      throw graft::Error("there is no such network").field(argv[2]);
    }
    if (argc != 2 && argc != 5) throw graft::Error("usage: graft_qonnx_cost MODEL [INPUT MIN MAX]");
    Model model = Model::load(argv[1]);
    std::map<std::string, qonnx::TensorRange, std::less<>> inputs;
    if (argc == 5)
      inputs.emplace(argv[2], qonnx::TensorRange::of(std::strtod(argv[3], nullptr), std::strtod(argv[4], nullptr)));
    print(model, inputs);
  } catch (const graft::Error& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
