#pragma once
#include <cstddef>
#include <string>

#include <graft/graph/tensor.hpp>
#include <graft/graph/whole_file.hpp>

namespace graft::inline v1 {

/// The tensor of a file that holds a TensorProto, as ONNX's test data do ("input_0.pb"). Throws Error naming the file
/// if it cannot be read, has more than max_bytes, holds no TensorProto, or one that read_tensor() refuses: strings,
/// and external data, whose folder is not known.
Tensor load_tensor(const std::string& path, std::size_t max_bytes = file_limit);

/// The file appears whole or not at all. Throws Error naming it if it cannot be written, or for an undefined tensor or
/// one of more than 2 GiB.
void save_tensor(Tensor tensor, const std::string& path);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/tensor_file.ipp>
#endif
