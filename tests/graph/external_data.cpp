#include <graft/graph/external_data.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace fs = std::filesystem;
using graft::DType;
using graft::ExternalData;
using graft::read_tensor;

namespace {

/// A folder for a model, beside a file that is not the model's; both go when the test ends.
class Folders {
 public:
  Folders() {
    std::string name = (fs::temp_directory_path() / "graft-external-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    fs::create_directory(model());
    write(outside(), std::string(64, 'o'));
  }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;
  ~Folders() { fs::remove_all(root_); }

  fs::path model() const { return root_ / "model"; }
  fs::path outside() const { return root_ / "outside.bin"; }

  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    REQUIRE(file.flush());
  }
  /// Writes the floats 0, 1, 2 ... to a file of the model.
  void write_floats(const std::string& name, int count) const {
    std::string bytes;
    for (int i = 0; i < count; ++i) {
      const auto value = static_cast<float>(i);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    write(model() / name, bytes);
  }

 private:
  fs::path root_;
};

onnx::TensorProto external(const std::string& location, std::int64_t floats, const std::string& offset = "",
                           const std::string& length = "") {
  onnx::TensorProto proto;
  proto.set_name("w");
  proto.set_data_type(onnx::TensorProto::FLOAT);
  proto.add_dims(floats);
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair("location", location), {"offset", offset}, {"length", length}}) {
    if (value.empty()) continue;
    onnx::StringStringEntryProto& entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return proto;
}

}  // namespace

TEST_CASE("external data is read at its offset") {
  const Folders folders;
  folders.write_floats("w.bin", 8);
  const ExternalData where(folders.model());
  CHECK(read_tensor(external("w.bin", 8, "0", "32"), &where).to<int>() == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(read_tensor(external("w.bin", 2, "24", "8"), &where).to<int>() == std::vector<int>{6, 7});
  CHECK(read_tensor(external("w.bin", 2), &where).to<int>() == std::vector<int>{0, 1});
  CHECK(read_tensor(external("./w.bin", 1, "4"), &where).to<int>() == std::vector<int>{1});
  CHECK(read_tensor(external("w.bin", 0, "32"), &where).size() == 0);
}

TEST_CASE("a place is read when a tensor is looked at, once for all tensors there") {
  const Folders folders;
  folders.write_floats("w.bin", 8);
  graft::Tensor first, second, same;
  {
    ExternalData opened(folders.model());
    const ExternalData where = std::move(opened);
    first = read_tensor(external("w.bin", 4), &where);
    second = read_tensor(external("w.bin", 4, "16"), &where);
    same = read_tensor(external("w.bin", 4, "16"), &where);
  }
  CHECK(second.to<int>() == std::vector<int>{4, 5, 6, 7});
  fs::remove(folders.model() / "w.bin");
  CHECK(same.bytes().data() == second.bytes().data());
  CHECK_THROWS_AS(first.bytes(), graft::UnreadableTensor);
  CHECK(first.dims() == graft::Dims{4});
}

TEST_CASE("what is written to a tensor of a file stays its own") {
  const Folders folders;
  folders.write_floats("w.bin", 4);
  const ExternalData where(folders.model());
  graft::Tensor first = read_tensor(external("w.bin", 4), &where), second = first;
  first.mutable_data<float>()[0] = 9;
  CHECK(first.to<int>() == std::vector<int>{9, 1, 2, 3});
  CHECK(second.to<int>() == std::vector<int>{0, 1, 2, 3});
  CHECK(first.sole());
}

TEST_CASE("a bool of a file is 0 or 1, whatever byte it is") {
  const Folders folders;
  folders.write(folders.model() / "w.bin", std::string("\0\1\2", 3));
  const ExternalData where(folders.model());
  onnx::TensorProto proto = external("w.bin", 3);
  proto.set_data_type(onnx::TensorProto::BOOL);
  CHECK(read_tensor(proto, &where).to<int>() == std::vector<int>{0, 1, 1});
}

TEST_CASE("large raw data are stowed where copies find them, and branches stow apart") {
  const Folders folders;
  ExternalData where(folders.model(), false, folders.model());
  const auto tensor = [](const char* name, float value) {
    onnx::TensorProto proto;
    graft::write_tensor(graft::Tensor::of<float>({2000}, std::vector<float>(2000, value)), proto);
    proto.set_name(name);
    return proto;
  };
  onnx::TensorProto first = tensor("first", 1), second = tensor("second", 2), third = tensor("third", 3), small;
  graft::write_tensor(graft::Tensor::scalar(1.f), small);
  where.stow(first);
  where.stow(small);
  ExternalData branch = where.branch();
  where.stow(second);
  branch.stow(third);
  CHECK_FALSE(ExternalData::is_stowed(small));
  CHECK(ExternalData::is_stowed(third));
  CHECK(third.raw_data().empty());
  CHECK(fs::is_empty(folders.model()));
  CHECK(read_tensor(first, &where).to<int>() == std::vector<int>(2000, 1));
  CHECK(read_tensor(first, &branch).to<int>() == std::vector<int>(2000, 1));
  CHECK(read_tensor(second, &where).to<int>() == std::vector<int>(2000, 2));
  CHECK(read_tensor(third, &branch).to<int>() == std::vector<int>(2000, 3));
  CHECK_THROWS_WITH(read_tensor(third, &where), Catch::Contains("is refused: the name contains a NUL"));
  ExternalData nowhere(folders.model());
  onnx::TensorProto fourth = tensor("fourth", 4);
  nowhere.stow(fourth);
  CHECK_FALSE(ExternalData::is_stowed(fourth));
}

TEST_CASE("a tensor at any offset is aligned") {
  const Folders folders;
  std::string bytes = "x";
  const float value = 2.5f;
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  folders.write(folders.model() / "w.bin", bytes);
  const ExternalData where(folders.model());
  CHECK(read_tensor(external("w.bin", 1, "1"), &where).item<float>() == 2.5f);
}

TEST_CASE("external data that is not there is an error that names it") {
  const Folders folders;
  folders.write_floats("w.bin", 4);
  folders.write(folders.model() / "empty.bin", "");
  const ExternalData where(folders.model());
  CHECK_THROWS_WITH(read_tensor(external("no.bin", 1), &where),
                    "tensor 'w': external data 'no.bin' cannot be opened: No such file or directory");
  CHECK_THROWS_WITH(read_tensor(external("w.bin", 5), &where),
                    "tensor 'w': external data 'w.bin' has 16 bytes, too few for 20 at offset 0");
  CHECK_THROWS_WITH(read_tensor(external("w.bin", 4, "4"), &where), Catch::Contains("too few for 16 at offset 4"));
  CHECK_THROWS_WITH(read_tensor(external("w.bin", 1, "18446744073709551615"), &where), Catch::Contains("too few"));
  CHECK_THROWS_WITH(read_tensor(external("empty.bin", 1), &where), Catch::Contains("has 0 bytes"));
  CHECK_THROWS_WITH(read_tensor(external("w.bin", 4, "0", "12"), &where),
                    "tensor 'w': external data 'w.bin' has 12 bytes for it, expected 16");
  CHECK_THROWS_WITH(read_tensor(external(".", 1), &where), Catch::Contains("is not a regular file"));

  const ExternalData nowhere(folders.model() / "gone");
  CHECK_THROWS_WITH(read_tensor(external("w.bin", 1), &nowhere), Catch::Contains("the folder"));
}

TEST_CASE("a pipe is refused, not waited for") {
  const Folders folders;
  REQUIRE(mkfifo((folders.model() / "pipe").c_str(), 0600) == 0);
  const ExternalData where(folders.model());
  CHECK_THROWS_WITH(read_tensor(external("pipe", 1), &where), Catch::Contains("is not a regular file"));
}

TEST_CASE("a location with a NUL names no file, though the system would read it up to there") {
  const Folders folders;
  folders.write_floats("w.bin", 1);
  const std::string location("w.bin\0x", 7);
  for (const bool allow_outside : {false, true}) {
    const ExternalData where(folders.model(), allow_outside);
    CHECK(read_tensor(external("w.bin", 1), &where).size() == 1);
    CHECK_THROWS_WITH(read_tensor(external(location, 1), &where),
                      Catch::Contains("'w.bin\\0x' is refused: the name contains a NUL"));
  }
}

TEST_CASE("malformed external entries are errors") {
  const Folders folders;
  folders.write_floats("w.bin", 4);
  const ExternalData where(folders.model());
  CHECK_THROWS_WITH(read_tensor(external("", 1), &where), "tensor 'w': its data is external, but has no location");
  CHECK_THROWS_WITH(read_tensor(external("w.bin", 1, "-4"), &where),
                    "tensor 'w': the offset of its external data is '-4'");
  CHECK_THROWS_WITH(read_tensor(external("w.bin", 1, "0", "4x"), &where), Catch::Contains("the length"));
  CHECK_THROWS_WITH(read_tensor(external("w.bin", 1, "99999999999999999999"), &where), Catch::Contains("the offset"));
}

TEST_CASE("locations outside the model's folder are refused unless allowed") {
  const Folders folders;
  folders.write_floats("w.bin", 4);
  fs::create_directory(folders.model() / "sub");
  fs::create_symlink(folders.outside(), folders.model() / "link.bin");
  fs::create_directory_symlink(folders.model().parent_path(), folders.model() / "up");
  fs::create_symlink(folders.model() / "w.bin", folders.model() / "alias.bin");
  fs::create_directory_symlink("..", folders.model() / "sub" / "back");
  const ExternalData strict(folders.model()), lax(folders.model(), true);

  const std::vector<std::string> leaving{folders.outside().string(), "../outside.bin", "sub/../../outside.bin",
                                         "link.bin", "up/outside.bin", "sub/back/../outside.bin"};
  for (const std::string& location : leaving) {
    INFO(location);
    CHECK_THROWS_WITH(read_tensor(external(location, 1), &strict), Catch::Contains("is refused"));
    CHECK(read_tensor(external(location, 1), &lax).bytes()[0] == std::byte{'o'});
  }
  for (const char* location : {"alias.bin", "sub/../w.bin", "sub/back/w.bin", "up/model/w.bin"}) {
    INFO(location);
    CHECK(read_tensor(external(location, 4), &strict).to<int>()[3] == 3);
  }
  // A folder whose name begins like the model's is another folder.
  fs::create_directory(folders.model().string() + "2");
  folders.write(folders.model().string() + "2/w.bin", std::string(16, 'o'));
  CHECK_THROWS_WITH(read_tensor(external("../model2/w.bin", 1), &strict), Catch::Contains("is refused"));
}

TEST_CASE("the current folder serves a model without one") {
  const Folders folders;
  folders.write_floats("w.bin", 4);
  const fs::path before = fs::current_path();
  fs::current_path(folders.model());
  const ExternalData where{fs::path()};
  CHECK(read_tensor(external("w.bin", 4), &where).size() == 4);
  fs::current_path(before);
}

TEST_CASE("a limit of what is allocated is one of what is read") {
  const Folders folders;
  folders.write_floats("w.bin", 8);
  const ExternalData where(folders.model());
  const graft::Tensor tensor = read_tensor(external("w.bin", 8), &where);
  {
    const graft::AllocationLimit limit(31);
    CHECK_THROWS_WITH(tensor.bytes(), Catch::EndsWith("has 32 bytes for it, the limit is 31"));
  }
  CHECK(tensor.to<int>()[7] == 7);
}

TEST_CASE("a file outside of a relative folder stays where it was when the current folder changes") {
  const Folders folders;
  folders.write_floats("w.bin", 4);
  const fs::path before = fs::current_path();
  fs::current_path(folders.model().parent_path());
  const ExternalData where("model", true);
  const graft::Tensor tensor = read_tensor(external("w.bin", 4), &where);
  fs::current_path(before);
  CHECK(tensor.to<int>() == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("the tensor that was asked for last is held, however large") {
  const Folders folders;
  folders.write_floats("w.bin", 1);
  fs::resize_file(folders.model() / "w.bin", std::uintmax_t{129} << 20);  // without blocks
  const ExternalData where(folders.model());
  const auto bytes = [&] { return read_tensor(external("w.bin", std::int64_t{129} << 18), &where).bytes().data(); };
  const std::byte* const first = bytes();
  CHECK(bytes() == first);
  fs::remove(folders.model() / "w.bin");
  CHECK_NOTHROW(bytes());
}
