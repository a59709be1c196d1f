#include <graft/graph/try_model.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>

using namespace graft;

namespace {

Model relu() {
  Builder b(13);
  b.output(b.op("Relu", {&b.input("x", DType::f32, {2})}), "y");
  return b.build();
}

}  // namespace

TEST_CASE("what a model's functions throw is an error of the result, and nothing is thrown") {
  STATIC_REQUIRE(noexcept(try_load(std::declval<const std::string&>(), std::declval<const LoadOptions&>())));
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "graft_try_model";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "model.onnx").string();

  std::ofstream(path) << "no model";
  const Result<Model> broken = try_load(path);
  REQUIRE_FALSE(broken);
  CHECK(broken.error().file() == path);
  std::string thrown;
  try {
    Model::load(path);
  } catch (const Error& error) {
    thrown = error.what();
  }
  CHECK(broken.error().what() == thrown);

  Model model = relu();
  REQUIRE(try_save(model, path));
  Result<Model> loaded = try_load(path, {.max_bytes = 1 << 20});
  REQUIRE(loaded);
  CHECK(loaded->graph().nodes().size() == 1);
  CHECK(loaded->serialize() == model.serialize());
  CHECK_FALSE(try_save(model, (folder / "none" / "model.onnx").string()));
  std::filesystem::remove_all(folder);
}

TEST_CASE("protos become models and views, or errors") {
  Model model = relu();
  onnx::ModelProto proto = model.commit();
  const Result<Model> taken = try_model(onnx::ModelProto(proto));
  REQUIRE(taken);
  CHECK_FALSE(taken->is_view());
  {
    Result<Model> view = try_view(proto);
    REQUIRE(view);
    CHECK(view->is_view());
    view->graph().set_op(*view->graph().first_node(), "Tanh");
    REQUIRE(try_commit(*view));
    CHECK(proto.graph().node(0).op_type() == "Tanh");
  }
  proto.mutable_graph()->mutable_node(0)->set_input(0, "unknown");
  const Result<Model> dangling = try_view(proto);
  REQUIRE_FALSE(dangling);
  CHECK(dangling.error().message().find("unknown") != std::string::npos);
  CHECK_FALSE(try_model(onnx::ModelProto(proto)));
}
