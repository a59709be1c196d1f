#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/tensor.hpp>

/// A node with inputs that it takes; undefined tensors are absent ones.
struct SampleNode {
  int opset;
  std::string op;  // "Conv" or "domain::Op"
  std::vector<graft::Tensor> inputs;
  graft::Attributes attributes{};
  std::size_t outputs = 1;
};

/// At least one of each operator that graft::Kernels::standard() has.
std::vector<SampleNode> sample_nodes();
