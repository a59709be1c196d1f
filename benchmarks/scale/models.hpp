#pragma once
#include <cmath>
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

/// A sparse file of weights beside a model. Each weight has a row of numbers, so that no column is all zeros; the rest
/// is zeros, which take no space.
class SparseData {
 public:
  static constexpr std::int64_t width = 4096;

  explicit SparseData(const std::filesystem::path& model)
      : path_(model.string() + ".data"), file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    require(file_ >= 0);
  }
  SparseData(const SparseData&) = delete;
  SparseData& operator=(const SparseData&) = delete;
  ~SparseData() {
    if (file_ >= 0) ::close(file_);
  }

  std::int64_t size() const { return size_; }

  /// Puts a float tensor of these dims at the end of the file.
  void place(onnx::TensorProto& tensor) {
    std::int64_t bytes = sizeof(float);
    for (const std::int64_t dim : tensor.dims()) bytes *= dim;
    const auto entry = [&](const char* key, const std::string& value) {
      onnx::StringStringEntryProto& added = *tensor.add_external_data();
      added.set_key(key);
      added.set_value(value);
    };
    entry("location", path_.filename().string());
    entry("offset", std::to_string(size_));
    entry("length", std::to_string(bytes));
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    std::vector<float> row(static_cast<std::size_t>(width));
    const std::size_t seed = count_++;  // equal weights would be merged
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>((i + seed) % 255) / 127.f - 1.f + 1e-3f;
    const std::size_t row_bytes = row.size() * sizeof(float);
    require(::pwrite(file_, row.data(), row_bytes, static_cast<off_t>(size_)) == static_cast<ssize_t>(row_bytes));
    size_ += bytes;
  }

  void close() {
    const bool sized = ::ftruncate(file_, static_cast<off_t>(size_)) == 0;
    require(::close(std::exchange(file_, -1)) == 0 && sized);
  }

 private:
  void require(bool holds) const {
    if (!holds) throw std::runtime_error("cannot write " + path_.string());
  }

  std::filesystem::path path_;
  int file_;
  std::int64_t size_ = 0;
  std::size_t count_ = 0;
};

/// Layers of a transformer encoder as exporters write them, with about this many bytes in a sparse data file.
class EncoderModel {
 public:
  static void write_large(const std::filesystem::path& file, std::int64_t bytes) {
    EncoderModel model(file);
    std::string x = "x";
    while (model.data_.size() < bytes) x = model.layer(x);
    model.node("Identity", {x}, "y");
    model.data_.close();
    for (onnx::ValueInfoProto* const info : {model.graph().add_input(), model.graph().add_output()}) {
      info->set_name(info == &model.graph().output(0) ? "y" : "x");
      info->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
      auto& shape = *info->mutable_type()->mutable_tensor_type()->mutable_shape();
      shape.add_dim()->set_dim_param("batch");
      shape.add_dim()->set_dim_param("tokens");
      shape.add_dim()->set_dim_value(width);
    }
    std::ofstream(file, std::ios::binary) << model.proto_.SerializeAsString();
  }

 private:
  static constexpr std::int64_t width = SparseData::width, heads = 32;

  explicit EncoderModel(const std::filesystem::path& file) : data_(file) {
    proto_.set_ir_version(8);
    proto_.add_opset_import()->set_version(17);
    ints("split", {0, 0, heads, width / heads});
    ints("join", {0, 0, width});
    floats("root", {}, std::vector<float>{std::sqrt(static_cast<float>(width / heads))});
    floats("root_two", {}, std::vector<float>{std::sqrt(2.f)});
    floats("one", {}, std::vector<float>{1});
    floats("half", {}, std::vector<float>{0.5f});
  }

  onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  onnx::TensorProto& tensor(const std::string& name, int type, const std::vector<std::int64_t>& dims) {
    onnx::TensorProto& made = *graph().add_initializer();
    made.set_name(name);
    made.set_data_type(type);
    for (const std::int64_t dim : dims) made.add_dims(dim);
    return made;
  }
  void ints(const std::string& name, const std::vector<std::int64_t>& values) {
    onnx::TensorProto& made = tensor(name, onnx::TensorProto::INT64, {static_cast<std::int64_t>(values.size())});
    for (const std::int64_t value : values) made.add_int64_data(value);
  }
  void floats(const std::string& name, const std::vector<std::int64_t>& dims, const std::vector<float>& values) {
    onnx::TensorProto& made = tensor(name, onnx::TensorProto::FLOAT, dims);
    for (const float value : values) made.add_float_data(value);
  }

  const std::string& node(const char* op, const std::vector<std::string>& inputs, const std::string& output,
                          const std::vector<std::int64_t>& perm = {}) {
    onnx::NodeProto& made = *graph().add_node();
    made.set_op_type(op);
    made.set_name(output);
    for (const std::string& input : inputs) made.add_input(input);
    made.add_output(output);
    if (!perm.empty()) {
      onnx::AttributeProto& attribute = *made.add_attribute();
      attribute.set_name("perm");
      attribute.set_type(onnx::AttributeProto::INTS);
      for (const std::int64_t axis : perm) attribute.add_ints(axis);
    }
    return output;
  }
  std::string linear(const std::string& name, const std::string& x, std::int64_t rows, std::int64_t columns) {
    data_.place(tensor(name + ".weight", onnx::TensorProto::FLOAT, {rows, columns}));
    floats(name + ".bias", {columns}, std::vector<float>(static_cast<std::size_t>(columns), 0.01f));
    node("MatMul", {x, name + ".weight"}, name + ".product");
    return node("Add", {name + ".product", name + ".bias"}, name);
  }
  std::string head(const std::string& name, const std::string& x, const std::vector<std::int64_t>& perm) {
    const std::string projected = linear(name, x, width, width);
    node("Reshape", {projected, "split"}, name + ".split");
    return node("Transpose", {name + ".split"}, name + ".heads", perm);
  }
  std::string normalized(const std::string& name, const std::string& a, const std::string& b) {
    node("Add", {a, b}, name + ".sum");
    floats(name + ".weight", {width}, std::vector<float>(width, 1.01f));
    floats(name + ".bias", {width}, std::vector<float>(width, 0.1f));
    return node("LayerNormalization", {name + ".sum", name + ".weight", name + ".bias"}, name);
  }
  std::string layer(const std::string& x) {
    const std::string name = "layers." + std::to_string(layers_++) + ".";
    const std::string q = head(name + "query", x, {0, 2, 1, 3}), k = head(name + "key", x, {0, 2, 3, 1}),
                      v = head(name + "value", x, {0, 2, 1, 3});
    node("MatMul", {q, k}, name + "scores");
    node("Div", {name + "scores", "root"}, name + "scaled");
    node("Softmax", {name + "scaled"}, name + "weights");
    node("MatMul", {name + "weights", v}, name + "mixed");
    node("Transpose", {name + "mixed"}, name + "turned", {0, 2, 1, 3});
    node("Reshape", {name + "turned", "join"}, name + "joined");
    const std::string attended = normalized(name + "norm1", linear(name + "out", name + "joined", width, width), x);
    const std::string up = linear(name + "up", attended, width, 4 * width);
    node("Div", {up, "root_two"}, name + "gelu1");
    node("Erf", {name + "gelu1"}, name + "gelu2");
    node("Add", {name + "gelu2", "one"}, name + "gelu3");
    node("Mul", {up, name + "gelu3"}, name + "gelu4");
    node("Mul", {name + "gelu4", "half"}, name + "gelu");
    return normalized(name + "norm2", linear(name + "down", name + "gelu", 4 * width, width), attended);
  }

  onnx::ModelProto proto_;
  SparseData data_;
  int layers_ = 0;
};

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

  /// A model with about this many bytes in a sparse data file beside it. One weight is eight times as large as the
  /// others.
  static void write_large(const std::filesystem::path& file, std::int64_t bytes) {
    constexpr std::int64_t width = SparseData::width;
    LayerModel model;
    SparseData data(file);
    data.place(model.look_up({8 * width, width}));
    while (data.size() < bytes) data.place(model.multiply({width, width}));
    data.close();
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
