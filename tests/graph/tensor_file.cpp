#include <graft/graph/tensor_file.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/onnx.hpp>

#include "support/folder.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("a tensor that was saved is the one that is loaded") {
  const Folder folder;
  const Tensor tensor = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  save_tensor(tensor, folder / "t.pb");
  const Tensor loaded = load_tensor(folder / "t.pb");
  CHECK(loaded.dims() == Dims{2, 2});
  CHECK(loaded.to<float>() == tensor.to<float>());
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a file that holds no tensor is refused by name") {
  const Folder folder;
  const auto refused = [&](const std::string& name, const char* why) {
    CHECK_THROWS_WITH(load_tensor(folder / name), Contains(name) && Contains(why));
  };
  refused("missing.pb", "No such file");
  refused("", "is a folder, not a tensor");
  write_file(folder / "empty.pb", "");
  refused("empty.pb", "is empty");
  write_file(folder / "text.pb", "this is not a tensor\n");
  refused("text.pb", "is not an ONNX tensor");
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.mutable_graph();
  write_file(folder / "model.onnx", model.SerializeAsString());
  refused("model.onnx", "is not an ONNX tensor: it has no data type");
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::FLOAT);
  proto.add_dims(2);
  write_file(folder / "short.pb", proto.SerializeAsString());
  refused("short.pb", "float");
}

TEST_CASE("a tensor over 2 GiB is not told to keep weights elsewhere") {
  const Folder folder;
  write_file(folder / "huge.pb", "x");
  std::filesystem::resize_file(folder / "huge.pb", std::uintmax_t{5} << 29);  // sparse: it takes no room
  CHECK_THROWS_WITH(load_tensor(folder / "huge.pb"),
                    Catch::EndsWith("huge.pb: is over 2 GiB: protobuf cannot read it"));
}

TEST_CASE("a tensor of more bytes than asked for is not read") {
  const Folder folder;
  save_tensor(Tensor::of<float>({2}, {1, 2}), folder / "t.pb");
  const std::size_t size = std::filesystem::file_size(folder / "t.pb");
  CHECK(load_tensor(folder / "t.pb", size).size() == 2);
  CHECK_THROWS_WITH(load_tensor(folder / "t.pb", size - 1), Contains("the limit is " + std::to_string(size - 1)));
}

TEST_CASE("what cannot be saved leaves no file") {
  const Folder folder;
  CHECK_THROWS_WITH(save_tensor(Tensor(), folder / "t.pb"), Contains("t.pb") && Contains("undefined"));
  CHECK(std::filesystem::is_empty(folder.path()));
  const Tensor tensor = Tensor::of<float>({1}, {1});
  std::filesystem::create_directory(folder / "d");
  CHECK_THROWS_WITH(save_tensor(tensor, folder / "d"), Contains("it is a folder"));
  CHECK_THROWS_WITH(save_tensor(tensor, folder / "nowhere/t.pb"), Contains("nowhere/t.pb"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}
