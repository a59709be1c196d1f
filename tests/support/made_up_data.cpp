// Writes substitutes of the test data where there are none: whole nets with made-up weights, small enough for many
// runs, and samples for them. The layout is that of the test data.
//
//   graft_made_up_data FOLDER
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>

#include "topologies/exported_transformer.hpp"
#include "topologies/topologies.hpp"
#include "topologies/write_topology.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) return std::cerr << "usage: graft_made_up_data FOLDER\n", 2;
  const std::filesystem::path folder = argv[1], models = folder / "models", transformers = folder / "transformers";
  std::filesystem::create_directories(models);
  std::filesystem::create_directories(transformers);
  const auto narrow_resnet = [](std::int64_t size) { return resnet50v2(size, 16); };
  for (Topology topology : topologies()) {
    if (topology.name == "mobilenetv2") topology.size = 96;
    else if (topology.name == "resnet50v2") topology.size = 64, topology.build = narrow_resnet;
    else if (topology.name == "bert") topology.size = 16;
    else continue;
    write_topology(topology, models, 8);
  }
  for (const int opset : {14, 17, 20})
    exported_transformer(opset, 2).save(transformers / ("exported_" + std::to_string(opset) + ".onnx"));
  return 0;
} catch (const std::exception& error) {
  std::cerr << "graft_made_up_data: " << error.what() << "\n";
  return 1;
}
