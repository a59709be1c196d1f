// A failed save leaves the model in memory as it was.
#include <filesystem>
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>

#include "graph/faults/small_model.hpp"
#include "support/folder.hpp"

using namespace graft;
using namespace graft::faults;
using Catch::Matchers::Contains;

TEST_CASE("faults: a failed save leaves the model in memory as it was") {
  const Folder folder, other;
  onnx::ModelProto proto = model_of(1).commit();
  for (onnx::TensorProto& tensor : *proto.mutable_graph()->mutable_initializer()) {
    write_file(folder / (tensor.name() + ".bin"), tensor.raw_data());
    tensor.clear_raw_data();
    set_external_location(tensor, {.location = tensor.name() + ".bin"});
  }
  Model model(std::move(proto), folder.path());
  const std::string before = model.commit().SerializeAsString(), bytes = read_file(folder / "b.bin");
  fs::remove(folder / "b.bin");
  CHECK_THROWS_WITH(model.save(other / "n.onnx"), Contains("b.bin"));
  CHECK(model.commit().SerializeAsString() == before);
  write_file(folder / "b.bin", bytes);
  model.save(other / "n.onnx");
  CHECK(value_of(other / "n.onnx") == 1);
}

TEST_CASE("faults: a message that fails leaves the weights of a scratch file where they are") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  Model model = Model::load(folder / "m.onnx", {.scratch_folder = folder.path()});
  for (const char* const name : {"a", "b"}) model.graph().set_initializer(*model.graph().find(name), filled(2));
  const std::string before = model.commit().SerializeAsString();
  {
    const AllocationLimit limit(100);
    CHECK_THROWS_WITH(model.serialize(), Contains("has 16384 bytes for it, the limit is 100"));
  }
  CHECK(model.commit().SerializeAsString() == before);
  model.save(folder / "n.onnx");
  CHECK(value_of(folder / "n.onnx") == 2);
}
