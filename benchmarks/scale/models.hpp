#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <graft/graph/onnx.hpp>

/// Layers that each multiply a row by their own matrix, behind a table of rows; made without graft.
class LayerModel {
 public:
  /// Small weights, as raw data.
  static onnx::ModelProto small(std::int64_t layers) {
    LayerModel model;
    for (std::int64_t i = 0; i < layers; ++i) {
      onnx::TensorProto& weight = model.multiply({8, 8});
      std::string bytes(8 * 8 * sizeof(float), '\0');
      for (std::size_t k = 0; k < 64; ++k) {
        const auto value = static_cast<float>((k * 7 + static_cast<std::size_t>(i)) % 13) - 6;
        std::memcpy(bytes.data() + k * sizeof(float), &value, sizeof(float));
      }
      weight.set_raw_data(std::move(bytes));
    }
    return model.finish(8);
  }

  /// A model with about this many bytes in a sparse data file beside it. Each weight has a row of numbers, so that no
  /// column is all zeros; the rest is zeros, which take no space. One weight is eight times as large as the others.
  static void write_large(const std::filesystem::path& file, std::int64_t bytes) {
    constexpr std::int64_t width = 4096, layer = width * width * 4, table = 8 * layer;
    LayerModel model;
    const std::string data = file.string() + ".data";
    const int opened = ::open(data.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (opened < 0) throw std::runtime_error("cannot write " + data);
    std::int64_t end = 0;
    const auto place = [&](onnx::TensorProto& tensor, std::int64_t size) {
      const auto entry = [&](const char* key, const std::string& value) {
        onnx::StringStringEntryProto& added = *tensor.add_external_data();
        added.set_key(key);
        added.set_value(value);
      };
      entry("location", std::filesystem::path(data).filename().string());
      entry("offset", std::to_string(end));
      entry("length", std::to_string(size));
      tensor.set_data_location(onnx::TensorProto::EXTERNAL);
      std::vector<float> row(static_cast<std::size_t>(width));
      const auto seed = static_cast<std::size_t>(end / layer);  // equal weights would be merged
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>((i + seed) % 255) / 127.f - 1.f + 1e-3f;
      const std::size_t row_bytes = row.size() * sizeof(float);
      const ssize_t put = ::pwrite(opened, row.data(), row_bytes, static_cast<off_t>(end));
      if (put != static_cast<ssize_t>(row_bytes)) throw std::runtime_error("cannot write " + data);
      end += size;
    };
    place(model.look_up({8 * width, width}), table);
    while (end < bytes) place(model.multiply({width, width}), layer);
    const bool sized = ::ftruncate(opened, static_cast<off_t>(end)) == 0;
    if (::close(opened) != 0 || !sized) throw std::runtime_error("cannot write " + data);
    std::ofstream(file, std::ios::binary) << model.finish(width).SerializeAsString();
  }

 private:
  LayerModel() {
    proto_.set_ir_version(8);
    proto_.add_opset_import()->set_version(17);
  }
  onnx::TensorProto& weight(const std::string& name, std::initializer_list<std::int64_t> dims) {
    onnx::TensorProto& tensor = *proto_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    return tensor;
  }
  void node(const char* op, const std::string& first, const std::string& second) {
    onnx::NodeProto& made = *proto_.mutable_graph()->add_node();
    made.set_op_type(op);
    made.set_name(op + std::string("_") + std::to_string(proto_.graph().node_size()));
    made.add_input(first);
    made.add_input(second);
    last_ = made.name() + "_output_0";
    made.add_output(last_);
  }
  onnx::TensorProto& multiply(std::initializer_list<std::int64_t> dims) {
    const std::string name = "layers." + std::to_string(proto_.graph().initializer_size()) + ".weight";
    node("MatMul", last_, name);
    return weight(name, dims);
  }
  onnx::TensorProto& look_up(std::initializer_list<std::int64_t> dims) {
    node("Gather", "table", "x");
    is_looked_up_ = true;
    return weight("table", dims);
  }
  onnx::ModelProto finish(std::int64_t width) {
    const auto declare = [](onnx::ValueInfoProto& info, const std::string& name, int type,
                            std::initializer_list<std::int64_t> dims) {
      info.set_name(name);
      info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
      for (const std::int64_t dim : dims)
        info.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
    };
    onnx::GraphProto& graph = *proto_.mutable_graph();
    if (is_looked_up_) declare(*graph.add_input(), "x", onnx::TensorProto::INT64, {1});
    else declare(*graph.add_input(), "x", onnx::TensorProto::FLOAT, {1, width});
    declare(*graph.add_output(), last_, onnx::TensorProto::FLOAT, {1, width});
    return std::move(proto_);
  }

  onnx::ModelProto proto_;
  std::string last_ = "x";
  bool is_looked_up_ = false;
};
