// Writes models of well-known topologies with made-up weights, all or those named, and beside each the images that it
// is to be tried with, which are structured noise: FOLDER/NAME.onnx, FOLDER/NAME/000.pb ...
//
//   topologies FOLDER IMAGES [NAME...]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

#include <graft/graph/tensor_file.hpp>

#include "topologies/noise.hpp"
#include "topologies/standardize.hpp"
#include "topologies/topologies.hpp"

namespace {

/// Other images than those that are written.
graft::Tensor batch(std::int64_t size, unsigned images) {
  graft::Tensor all(graft::DType::f32, {images, 3, size, size});
  float* to = all.mutable_data<float>().data();
  for (unsigned i = 0; i < images; ++i) {
    const graft::Tensor image = structured_noise(size, 1000000 + i);
    to = std::copy(image.data<float>().begin(), image.data<float>().end(), to);
  }
  return all;
}

void write(const Topology& topology, const std::filesystem::path& folder, unsigned images) {
  graft::Model model = topology.build(topology.size);
  Standardizer(model).run(batch(topology.size, 8));
  model.save(folder / (topology.name + ".onnx"));
  std::filesystem::create_directories(folder / topology.name);
  for (unsigned i = 0; i < images; ++i) {
    char file[16];
    std::snprintf(file, sizeof file, "%03u.pb", i);
    graft::save_tensor(structured_noise(topology.size, i), folder / topology.name / file);
  }
  std::cout << topology.name << std::endl;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) return std::cerr << "usage: topologies FOLDER IMAGES [NAME...]\n", 2;
  std::set<std::string> wanted(argv + 3, argv + argc);
  const bool all = wanted.empty();
  for (const Topology& topology : topologies())
    if (wanted.erase(topology.name) != 0 || all)
      write(topology, argv[1], static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
  for (const std::string& name : wanted) std::cerr << "topologies: there is no " << name << "\n";
  return wanted.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "topologies: " << error.what() << "\n";
  return 1;
}
