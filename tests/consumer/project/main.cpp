#include <cstdio>
#include <map>
#include <string>

#include <graft/graph.hpp>

#include "passes.hpp"

// Quantizes a small model with passes that stand in another file of the program.
int main() try {
  using namespace graft;
  Builder b(13);
  Value& w = b.constant(Tensor::of<float>({1, 1, 1, 1}, {0.5f}), "w");
  Value& conv = b.op("Conv", {&b.op("Identity", {&b.input("x", DType::f32, {1, 1, 2, 2})}), &w});
  b.output(b.op("Relu", {&b.op("Relu", {&conv})}), "y");
  const Ranges ranges{{"x", {-1, 1}}, {std::string(conv.name()), {-1, 1}}, {"y", {0, 1}}};
  Model model = b.build();

  const std::string report = to_string(quantize(ranges, targets::named("ort-cpu-x64")).run(model));
  std::map<std::string, int> counts;
  for (const Node& node : model.graph().nodes()) ++counts[std::string(node.op_type())];
  std::printf("%s%s", report.c_str(), to_string(model.graph()).c_str());
  return counts["Identity"] == 0 && counts["Relu"] == 1 && counts["QuantizeLinear"] == 2 &&
                 counts["DequantizeLinear"] == 3 && report.find("2 nodes") != std::string::npos
             ? 0
             : 1;
} catch (const graft::Error& error) {
  std::fprintf(stderr, "consumer: %s\n", error.what());
  return 1;
}
