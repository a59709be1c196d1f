// A save takes the place of the model and of its data file, or leaves both as they were.
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>

#include "graph/faults/small_model.hpp"
#include "support/child_process.hpp"
#include "support/folder.hpp"

using namespace graft;
using namespace graft::faults;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("no limit");
}

}  // namespace

TEST_CASE("faults: a model that is to replace its own input, and does not fit, leaves it") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  const auto before = contents(folder.path());
  const ChildEnd end = in_child([&] {
    Model model = Model::load(folder / "m.onnx");
    for (const char* const name : {"a", "b"}) model.graph().set_initializer(*model.graph().find(name), filled(2));
    limit_file_size(20'000);
    model.save(folder / "m.onnx", outside);
    return 0;
  });
  CHECK(end.code() == 1);
  CHECK_THAT(end.said, EndsWith("m.onnx.1.data: cannot be written: File too large"));
  CHECK(contents(folder.path()) == before);
  CHECK(value_of(folder / "m.onnx") == 1);
}

TEST_CASE("faults: a model that replaces its own input takes the place of its data file too") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  write_file(folder / "m.onnx.x.data", "of someone else");
  Model model = Model::load(folder / "m.onnx");
  for (const float value : {2.f, 3.f}) {
    for (const char* const name : {"a", "b"}) model.graph().set_initializer(*model.graph().find(name), filled(value));
    model.save(folder / "m.onnx", outside);
    CHECK(value_of(folder / "m.onnx") == value);
    CHECK(names(folder.path()).size() == 3);
  }
  CHECK(read_file(folder / "m.onnx.x.data") == "of someone else");
}

TEST_CASE("faults: a save in place keeps the file of what the model reads, wherever it says so") {
  const auto external = [](onnx::TensorProto& tensor, std::int64_t size, onnx::TensorProto::DataType type) {
    tensor.set_data_type(type);
    tensor.add_dims(size);
    set_external_location(tensor, {.location = "m.onnx.data"});
  };
  const Folder folder;
  write_file(folder / "m.onnx.data", std::string(64, '\0'));
  onnx::ModelProto proto = model_of(1).commit();
  SECTION("sparse initializer") {
    onnx::SparseTensorProto& sparse = *proto.mutable_graph()->add_sparse_initializer();
    sparse.mutable_values()->set_name("sparse");
    external(*sparse.mutable_values(), 1, onnx::TensorProto::FLOAT);
    external(*sparse.mutable_indices(), 1, onnx::TensorProto::INT64);
    sparse.add_dims(4);
  }
  SECTION("training") {
    onnx::TensorProto& tensor = *proto.add_training_info()->mutable_initialization()->add_initializer();
    tensor.set_name("training");
    external(tensor, 4, onnx::TensorProto::FLOAT);
  }
  SECTION("a field that cannot be walked") {
    proto.GetReflection()->MutableUnknownFields(&proto)->AddGroup(1000)->AddVarint(1, 1);
    external(*proto.add_training_info()->mutable_initialization()->add_initializer(), 4, onnx::TensorProto::FLOAT);
  }
  write_file(folder / "m.onnx", proto.SerializeAsString());
  Model::load(folder / "m.onnx").save(folder / "m.onnx", outside);
  CHECK(read_file(folder / "m.onnx.data") == std::string(64, '\0'));
  CHECK(names(folder.path()) == std::vector<std::string>{"m.onnx", "m.onnx.1.data", "m.onnx.data"});
  CHECK(value_of(folder / "m.onnx") == 1);
}

TEST_CASE("faults: what a save in place removes can still be read by who has it") {
  const Folder folder;
  const std::string file = folder / "m.onnx";
  model_of(1).save(file, outside);
  Model original = Model::load(file), copy = original.clone();
  const Tensor old = *copy.graph().find("a")->constant();
  for (const float value : {2.f, 3.f, 4.f}) {
    for (const char* const name : {"a", "b"}) copy.graph().set_initializer(*copy.graph().find(name), filled(value));
    copy.save(file, outside);
    CHECK(value_of(file) == value);
    CHECK(names(folder.path()).size() == 2);
  }
  CHECK(old.to<float>() == filled(1).to<float>());
  CHECK(original.graph().find("b")->constant()->to<float>() == filled(1).to<float>());
  original.save(file);  // its file is gone: the weights move to a new one
  CHECK(value_of(file) == 1);
  CHECK(names(folder.path()).size() == 2);
}

TEST_CASE("faults: a model reads nothing of what another load of its file has put in its place") {
  const Folder folder;
  const std::string file = folder / "m.onnx";
  model_of(1).save(file, outside);
  Model first = Model::load(file), second = Model::load(file);
  const bool has_read = GENERATE(false, true);
  if (has_read) CHECK(second.graph().find("b")->constant()->to<float>() == filled(1).to<float>());
  for (const float value : {2.f, 3.f}) {  // the data file of the last has the name of the first
    for (const char* const name : {"a", "b"}) first.graph().set_initializer(*first.graph().find(name), filled(value));
    first.save(file, outside);
  }
  REQUIRE(names(folder.path()) == std::vector<std::string>{"m.onnx", "m.onnx.data"});
  CHECK_THROWS_AS(second.graph().find("a")->constant()->to<float>(), UnreadableTensor);
  CHECK_THROWS_WITH(second.save(file, outside), Contains("'m.onnx.data' has been replaced since the model was loaded"));
  CHECK(value_of(file) == 3);
}

TEST_CASE("faults: a save replaces no data file that is there") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  fs::rename(folder / "m.onnx", folder / "old.onnx");
  model_of(2).save(folder / "m.onnx", outside);
  CHECK(value_of(folder / "old.onnx") == 1);
  CHECK(value_of(folder / "m.onnx") == 2);
}
