// Writes models of well-known topologies with random weights, all or the named ones, each with its samples, images of
// structured noise or random words: FOLDER/NAME.onnx, FOLDER/NAME/000.pb ...
//
//   topologies FOLDER SAMPLES [NAME...]
//
// exported_transformer, and networks of few bits such as tfc_w1a1, are written only if they are named, without samples.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

#include "topologies/exported_transformer.hpp"
#include "topologies/quantized_topologies.hpp"
#include "topologies/topologies.hpp"
#include "topologies/write_topology.hpp"

int main(int argc, char** argv) try {
  if (argc < 3) return std::cerr << "usage: topologies FOLDER SAMPLES [NAME...]\n", 2;
  std::set<std::string> wanted(argv + 3, argv + argc);
  const bool all = wanted.empty();
  for (const Topology& topology : topologies())
    if (wanted.erase(topology.name) != 0 || all)
      write_topology(topology, argv[1], static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
  if (wanted.erase("exported_transformer") != 0)  // for optimizers: no samples
    exported_transformer().save(std::filesystem::path(argv[1]) / "exported_transformer.onnx");
  for (const QuantizedTopology& topology : quantized_topologies())
    if (wanted.erase(topology.name) != 0)
      topology.build().save(std::filesystem::path(argv[1]) / (topology.name + ".onnx"));
  for (const std::string& name : wanted) std::cerr << "topologies: there is no topology " << name << "\n";
  return wanted.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "topologies: " << error.what() << "\n";
  return 1;
}
