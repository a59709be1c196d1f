#include <graft/graph/initializers.hpp>

#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>
#include <graft/graph/verify.hpp>

#include "support/folder.hpp"
#include "support/protos.hpp"

using namespace graft;
using Catch::Matchers::Contains;

namespace {

/// x, and w, which nobody reads, in the main graph.
onnx::ModelProto with(const std::function<void(onnx::TensorProto&)>& change) {
  Builder b(17);
  b.output(b.op("Relu", {&b.input("x", DType::f32, {2})}), "y");
  b.constant(Tensor::of<float>({2}, {1, 2}), "w");
  onnx::ModelProto proto = b.build().commit();
  change(*proto.mutable_graph()->mutable_initializer(0));
  return proto;
}

}  // namespace

TEST_CASE("initializers that cannot be read are named, with their file, whether or not somebody reads them") {
  const Folder folder;
  write_file(folder / "short.bin", "1234");
  const auto refused = [&](const std::function<void(onnx::TensorProto&)>& change, const std::string& why) {
    write_file(folder / "m.onnx", with(change).SerializeAsString());
    Model model = Model::load(folder / "m.onnx");
    CHECK_THROWS_WITH(check_initializers(model), Contains("m.onnx: tensor 'w': ") && Contains(why));
    const auto problems = verify(model);
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].text, Contains("tensor 'w': ") && Contains(why));
  };
  refused([](auto& w) { w.set_raw_data("short"); }, "expected 8 bytes, found 5");
  refused([](auto& w) { w.clear_raw_data(), w.add_float_data(1); }, "float_data");
  refused([](auto& w) { w.set_dims(0, -2); }, "negative dim");
  refused([](auto& w) { w.set_dims(0, std::int64_t{1} << 62); }, "overflows");
  refused([](auto& w) { make_external(w, "none.bin"); }, "external data 'none.bin'");
  refused([](auto& w) { make_external(w, "short.bin"); }, "has 4 bytes");
  refused([](auto& w) { make_external(w, "../w.bin"); }, "is refused");
}

TEST_CASE("initializers of bodies are looked at; strings and unknown dtypes are left to their readers") {
  Builder b(17), then_build(17, "then"), else_build(17, "else");
  then_build.output(then_build.constant(Tensor::scalar(1.f), "t"), "t");
  else_build.output(else_build.constant(Tensor::scalar(1.f), "e"), "e");
  b.output(b.op("If", {&b.input("c", DType::boolean, std::vector<Dim>{})},
                {{"then_branch", then_build.build().proto().graph()},
                 {"else_branch", else_build.build().proto().graph()}}),
           "y");
  onnx::ModelProto proto = b.build().commit();
  CHECK_NOTHROW(check_initializers(Model(proto)));
  onnx::NodeProto& branch = *proto.mutable_graph()->mutable_node(0);
  branch.mutable_attribute(1)->mutable_g()->mutable_initializer(0)->set_raw_data("no");
  CHECK_THROWS_WITH(check_initializers(Model(proto)), Contains("expected 4 bytes, found 2"));

  CHECK_NOTHROW(check_initializers(Model(with([](auto& w) { w.set_data_type(77); }))));
  Model unknown(with([](auto& w) { w.set_data_type(77); }));
  CHECK(verify(unknown).size() == 1);
  CHECK_NOTHROW(check_initializers(Model(with([](auto& w) { w.set_data_type(onnx::TensorProto::STRING); }))));
}
