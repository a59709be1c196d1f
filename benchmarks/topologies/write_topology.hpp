#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <graft/graph/tensor_file.hpp>

#include "topologies/standardize.hpp"
#include "topologies/topologies.hpp"

/// A batch of `count` samples that write_topology() does not write.
inline graft::Tensor other_samples(const Topology& topology, unsigned count) {
  const graft::Tensor first = topology.sample(topology.size, 0);
  graft::Dims dims = first.dims();
  dims[0] = count;
  graft::Tensor all(first.dtype(), dims);
  std::byte* to = all.mutable_bytes().data();
  for (unsigned i = 0; i < count; ++i) {
    const graft::Tensor sample = topology.sample(topology.size, 1000000 + i);
    to = std::copy(sample.bytes().begin(), sample.bytes().end(), to);
  }
  return all;
}

/// Writes the standardized model to FOLDER/NAME.onnx, and its samples to FOLDER/NAME/000.pb ...
inline void write_topology(const Topology& topology, const std::filesystem::path& folder, unsigned samples) {
  graft::Model model = topology.build(topology.size);
  Standardizer(model).run(other_samples(topology, 8));
  model.save(folder / (topology.name + ".onnx"));
  std::filesystem::create_directories(folder / topology.name);
  for (unsigned i = 0; i < samples; ++i) {
    char file[16];
    std::snprintf(file, sizeof file, "%03u.pb", i);
    graft::save_tensor(topology.sample(topology.size, i), folder / topology.name / file);
  }
  std::cout << topology.name << std::endl;
}
