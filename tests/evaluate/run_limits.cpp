#include <graft/evaluate/run_limits.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/testing.hpp>

#include "support/folder.hpp"

using namespace graft;

namespace {

/// Counts for ever: it has no trip count, or one that is never reached, and its condition stays true.
Model endless(const std::string& trips) {
  return graph("start = i64[] 0; one = i64[] 1; most = i64[] 9223372036854775807; go = bool[] 1; counted = Loop(" +
               trips +
               ", go, start) {body={ i: i64[]; c: bool[]; n: i64[]; d = Identity(c); m = Add(n, one); "
               "return d, m }}");
}

std::string failure(const Model& model, RunLimits limits) {
  try {
    Evaluator(model.graph(), std::move(limits)).run({});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an endless Loop ends where bodies have run as often as they may") {
  for (const char* const trips : {"_", "most"})
    CHECK(failure(endless(trips), {.max_bodies = 1000}) ==
          "node 'counted': bodies have run 1000 times, which is the limit");
}

TEST_CASE("the tensors of a run share a limit of memory, and what is freed may be taken again") {
  std::string chain = "n = i64[1] 262144; x0 = ConstantOfShape(n);", many = chain, sum;  // 1 MiB each
  for (int i = 1; i < 20; ++i) {
    chain += "x" + std::to_string(i) + " = Sin(x" + std::to_string(i - 1) + ");";
    many += "x" + std::to_string(i) + " = ConstantOfShape(n);";
    sum += ", x" + std::to_string(i);
  }
  const RunLimits limits{.max_bytes = std::size_t{5} << 20};
  CHECK(failure(graph(chain + "y = Shape(x19)"), limits) == "");
  const Model all = graph(many + "y = Shape(Concat(x0" + sum + ") {axis=0})");
  CHECK(failure(all, limits).find("node 'x4': f32[262144] needs 1048576 bytes, the budget has left 1048") == 0);
  CHECK(failure(all, {}) == "");
  // What a Loop collects is of the run, too.
  const Model loop = graph(
      "n = i64[1] 262144; go = bool[] 1; y = Loop(i64[] 100, go) {body={ i: i64[]; c: bool[]; "
      "d = Identity(c); s = ConstantOfShape(n); return d, s }}");
  CHECK(failure(loop, limits).find("the budget has left") != std::string::npos);
}

TEST_CASE("the external data that a run reads are of its memory, and no tensor of a place counts twice") {
  const Folder folder;
  write_file(folder / "w.bin", std::string(1 << 20, '\0'));
  const auto failure_at = [&](std::size_t step) {
    onnx::ModelProto proto = graph(
                                 "x0 = f32[200000] 0; x1 = f32[200000] 1; x2 = f32[200000] 2; "
                                 "x3 = f32[200000] 3; y = Sum(x0, x1, x2, x3)")
                                 .commit();
    std::size_t offset = 0;
    for (onnx::TensorProto& tensor : *proto.mutable_graph()->mutable_initializer()) {
      tensor.clear_raw_data();
      set_external_location(tensor, {.location = "w.bin", .offset = offset});
      offset += step;
    }
    const Model model(std::move(proto), folder.path());
    return failure(model, {.max_bytes = 2'500'000});
  };
  CHECK(failure_at(0) == "");
  CHECK(failure_at(16) == "w.bin: x3: 800000 bytes are needed, the budget has 100000 left");
}

TEST_CASE("weights in files that do not fit together are read node by node") {
  const Folder folder;
  std::vector<float> weights;
  for (const float value : {1.f, 2.f, 4.f, 8.f}) weights.insert(weights.end(), 200'000, value);
  write_file(folder / "w.bin", {reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float)});
  onnx::ModelProto proto = graph(
                               "w0 = f32[200000] 0; w1 = f32[200000] 0; w2 = f32[200000] 0; w3 = f32[200000] 0; "
                               "go: bool[]; a = Add(w0, w1); b = Add(a, w2); "
                               "c = If(go) {then_branch={ t = Add(b, w3) }, else_branch={ e = Sub(b, w3) }}; "
                               "return c, w0")
                               .commit();
  std::size_t offset = 0;
  for (onnx::TensorProto& tensor : *proto.mutable_graph()->mutable_initializer()) {
    tensor.clear_raw_data();
    set_external_location(tensor, {.location = "w.bin", .offset = offset});
    offset += 800'000;
  }
  const Model model(std::move(proto), folder.path());
  const Evaluator evaluator(model.graph(), {.max_bytes = 3'500'000});
  for (const bool go : {true, false, true}) {
    const std::vector<Tensor> results = evaluator.run({{"go", Tensor::scalar<bool>(go)}});
    CHECK(results.at(0).data<float>()[199'999] == (go ? 15 : -1));
    CHECK(results.at(1).data<float>()[199'999] == 1);
  }
  CHECK_THROWS_WITH(Evaluator(model.graph(), {.max_bytes = 1'500'000}).run({{"go", Tensor::scalar<bool>(true)}}),
                    Catch::Contains("w.bin: w1: 800000 bytes are needed"));
}

TEST_CASE("constants behind Identity and in Constant are of the files, too") {
  const Folder folder;
  write_file(folder / "w.bin", std::string(4 * 800'000, '\1'));
  onnx::ModelProto proto = graph(
                               "w0 = f32[200000] 0; w1 = f32[200000] 0; "
                               "i0 = Identity(w0); i1 = Identity(w1); j1 = Identity(i1); "
                               "c2 = Constant() {value=f32[200000] 0}; c3 = Constant() {value=f32[200000] 0}; "
                               "i3 = Identity(c3); go = bool[] 1; a = Add(i0, j1); b = Add(a, c2); "
                               "y = If(go) {then_branch={ t = Add(b, i3) }, else_branch={ e = Sub(b, i3) }}; return y")
                               .commit();
  std::size_t offset = 0;
  const auto put_outside = [&](onnx::TensorProto& tensor) {
    if (tensor.dims_size() == 0) return;
    tensor.clear_raw_data();
    set_external_location(tensor, {.location = "w.bin", .offset = offset});
    offset += 800'000;
  };
  for_each_tensor(*proto.mutable_graph(), put_outside);
  REQUIRE(offset == 4 * 800'000);
  const Model model(std::move(proto), folder.path());
  CHECK(failure(model, {.max_bytes = 3'500'000}) == "");  // less than the files and the results
  CHECK(failure(model, {.max_bytes = 1'500'000}) == "w.bin: j1: 800000 bytes are needed, the budget has 700000 left");
}

TEST_CASE("external data that bodies read too are of the run's memory once") {
  const Folder folder;
  write_file(folder / "w.bin", std::string(1 << 20, '\0'));
  onnx::ModelProto proto = graph(
                               "w = f32[200000] 0; three = i64[] 3; "
                               "y = Loop(three, _, i64[] 0) {body={ i: i64[]; c: bool[]; n: i64[]; "
                               "v = f32[200000] 1; d = Identity(c); "
                               "m = Add(n, Add(Size(Relu(w)), Size(Relu(v)))); return d, m }}; z = Size(Relu(w))")
                               .commit();
  const auto put_outside = [](onnx::GraphProto& scope, const std::string& name) {
    for (onnx::TensorProto& tensor : *scope.mutable_initializer()) {
      if (tensor.name() != name) continue;
      tensor.clear_raw_data();
      set_external_location(tensor, {.location = "w.bin"});
    }
  };
  put_outside(*proto.mutable_graph(), "w");
  for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node())
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) put_outside(*attribute.mutable_g(), "v");
  const Model model(std::move(proto), folder.path());
  CHECK(failure(model, {.max_bytes = 1'700'000}) == "");  // of which Relu needs 800000
  CHECK(failure(model, {.max_bytes = 700'000}).find("w.bin: ") == 0);
}

TEST_CASE("an endless Loop ends when it is cancelled") {
  int asked = 0;
  const std::string what = failure(endless("_"), {.cancelled = [&] { return ++asked == 100; }});
  CHECK(what.find("the run was cancelled") != std::string::npos);
  CHECK(asked == 100);
}

TEST_CASE("a Loop whose body computes nothing can be cancelled too") {
  const Model model = graph(
      "go = bool[] 1; "
      "y = Loop(_, go, i64[] 0) {body={ i: i64[]; c: bool[]; n: i64[]; return c, n }}");
  int asked = 0;
  CHECK(failure(model, {.cancelled = [&] { return ++asked == 100; }}) == "node 'y': the run was cancelled");
}

TEST_CASE("each run has the limit for itself, and bodies in bodies count") {
  const Model model = graph(
      "x: f32[2]; three = i64[] 3; go = bool[] 1; "
      "y = Loop(three, _, x) {body={ i: i64[]; c: bool[]; a: f32[2]; d = Identity(c); "
      "b = If(go) {then_branch={ t = Neg(a) }, else_branch={ u = Abs(a) }}; return d, b }}");
  const Feeds feeds{{"x", Tensor::of<float>({2}, {1, 2})}};
  const Evaluator enough(model.graph(), {.max_bodies = 6});
  for (int i = 0; i < 2; ++i) CHECK(enough.run(feeds)[0].data<float>()[1] == -2);
  CHECK_THROWS_WITH(Evaluator(model.graph(), {.max_bodies = 5}).run(feeds), Catch::Contains("which is the limit"));
}
