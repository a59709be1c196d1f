#pragma once
#include <cstddef>
#include <string>

#include <graft/graph/tensor.hpp>
#include <graft/graph/whole_file.hpp>

namespace graft::inline v1 {

/// Reads the TensorProto in a file, such as "input_0.pb" of ONNX's test data. Throws Error naming the file if it cannot
/// be read, has more than max_bytes, or holds no TensorProto. It also throws for tensors that read_tensor() rejects:
/// strings, and external data, because its folder is unknown.
Tensor load_tensor(const std::string& path, std::size_t max_bytes = file_limit);

/// Writes the tensor to a file, which appears whole or not at all. Throws Error naming the file if it cannot be
/// written, and for a tensor that is undefined or over 2 GiB.
void save_tensor(Tensor tensor, const std::string& path);

}  // namespace graft::inline v1
