#include <graft/precision/convert_floats.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate.hpp>
#include <graft/graph/verify.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

FloatSamples samples_of(std::vector<Feeds> all) {
  return [all = std::move(all)](const std::function<void(const Feeds&)>& visit) {
    for (const Feeds& feeds : all) visit(feeds);
  };
}

Model converted(const std::string& text, const FloatOptions& options) {
  Model model = graph(text);
  to_float16(options).run(model);
  CHECK(verify(model).empty());
  return model;
}

}  // namespace

TEST_CASE("samples keep values beyond the range, and values that vanish") {
  FloatOptions options;
  options.samples = samples_of({{{"x", Tensor::of<float>({2, 2}, {300, 1, 2, 3})}}});
  Model large = converted("x: f32[2,2]; y = MatMul(x, x); z = MatMul(y, f32[2,2] 0.001); return z", options);
  CHECK(large.graph().output(0)->producer()->is("Cast"));  // 300 * 300
  options.samples = samples_of({{{"x", Tensor::of<float>({2, 2}, {1e-5f, 2e-5f, 3e-5f, 4e-5f})}}});
  Model small = converted("x: f32[2,2]; y = MatMul(x, x); z = MatMul(y, f32[2,2] 0.001); return z", options);
  CHECK(small.graph().output(0)->producer()->is("Cast"));
  options.samples = samples_of({{{"x", Tensor::of<float>({2, 2}, {1, 2, 3, 4})}}});
  Model usual = converted("x: f32[2,2]; y = MatMul(x, x); z = MatMul(y, f32[2,2] 0.001); return z", options);
  CHECK(usual.graph().output(0)->producer()->is("MatMul"));
}

TEST_CASE("the first node that becomes infinite is named and stays") {
  // In float16 the difference is 0.
  Model model = graph("x: f32[1,2]; d = Sub(x, f32[1,2] {1, 0.5}); m = MatMul(d, f32[2,2] {1, 0, 0, 1}); "
                      "r = Div(f32[1,2] {1, 1}, m); y = MatMul(r, f32[2,2] 0.001); return y");
  FloatOptions options;
  options.keep_io = true;
  options.cast_cost = 0;
  options.samples = samples_of({{{"x", Tensor::of<float>({1, 2}, {1.0001f, 2})}}});
  Context context;
  const Report report = to_float16(options).run(model, context);
  INFO(report);
  bool is_named = false;
  for (const std::string& note : report.notes) is_named = is_named || note.find("'r' computes an infinity") == 0;
  CHECK(is_named);
  CHECK(model.graph().find("r")->dtype() == DType::f32);
  CHECK(verify(model).empty());
}

TEST_CASE("a cosine that is missed keeps the nodes that add most to the error") {
  // The large product hides the small one in float16: 2048 + 1 is 2048.
  const std::string text =
      "x: f32[1,4]; b = MatMul(x, f32[4,4] 512); s = Add(b, f32[1,4] {0.1, 0.2, 0.3, 0.4}); d = Sub(s, b); "
      "y = MatMul(d, f32[4,4] {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}); return y";
  const Feeds feeds{{"x", Tensor::of<float>({1, 4}, {1, 1, 1, 1})}};
  const Feeds halves{{"x", Tensor::of<float>(DType::f16, {1, 4}, {1, 1, 1, 1})}};
  for (const double goal : {-1.0, 0.999}) {
    FloatOptions options;
    options.cast_cost = 0;
    options.samples = samples_of({feeds});
    options.min_cosine = goal;
    Model model = graph(text);
    to_float16(options).run(model);
    CHECK(verify(model).empty());
    const std::vector<float> got = Evaluator(model.graph()).run(halves)[0].to<float>();
    CHECK((std::abs(got[0] - 0.1f) < 0.01f) == (goal > 0));
    CHECK(model.graph().find("s")->dtype() == (goal > 0 ? DType::f32 : DType::f16));
  }
}

TEST_CASE("a node that adds much to the error is converted if the cosine is reached without it") {
  // Both differences are rounded alike, but the sum with x hides one of them.
  Model model = graph(
      "x: f32[1,4]; b = MatMul(x, f32[4,4] 512); k = f32[1,4] {0.1, 0.2, 0.3, 0.4}; "
      "e = Sub(Add(b, k), b); z = Add(e, x); "
      "d = Sub(Add(b, k), b); y = MatMul(d, f32[4,4] {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}); return y, z");
  FloatOptions options;
  options.cast_cost = 0;
  options.samples = samples_of({{{"x", Tensor::of<float>({1, 4}, {10, 10, 10, 10})}}});
  options.min_cosine = 0.999;
  to_float16(options).run(model);
  CHECK(verify(model).empty());
  CHECK(model.graph().find("d")->dtype() == DType::f32);
  CHECK(model.graph().find("e")->dtype() == DType::f16);
}

TEST_CASE("the nodes before a float32 node stay if it becomes infinite") {
  // Sigmoid(-20) is 0 in float16.
  const std::vector<float> elements{-20, 1, 2, 3, 4, 5, 6, 7};
  const Feeds halves{{"x", Tensor::of<float>(DType::f16, {8, 1}, elements)}};
  for (const std::string between : {"y = Log(s)", "l = Abs(s); y = Log(l)"}) {
    FloatOptions options;
    options.keep = {"l"};
    options.samples = samples_of({{{"x", Tensor::of<float>({8, 1}, elements)}}});
    Model model = graph("x: f32[8,1]; h = MatMul(x, f32[1,1] 1); s = Sigmoid(h); " + between + "; return y");
    to_float16(options).run(model);
    CHECK(verify(model).empty());
    CHECK(model.graph().find("s")->dtype() == DType::f32);
    for (const float element : Evaluator(model.graph()).run(halves)[0].to<float>()) CHECK(std::isfinite(element));
  }
}

TEST_CASE("an output with other dims misses every cosine") {
  FloatOptions options;
  options.samples = samples_of({{{"x", Tensor::of<float>({2}, {1.0001f, 0.5f})}}});
  options.min_cosine = 0.5;
  Model model = graph("x: f32[2]; y = Compress(x, Greater(x, f32[] 1)); return y");
  const Report report = to_float16(options).run(model);
  CHECK(report.notes.back() == "the least cosine of an output on samples is -1.000000");
}

TEST_CASE("an Error of the samples, or a cancellation, leaves the model unchanged") {
  onnx::ModelProto proto = graph("opset 13; x: f32[1,2,4,4]; w = f32[2,2,1,1] 0.5; y = Conv(x, w); return y").commit();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("local");
  function.set_name("Negate");
  function.add_input("a");
  function.add_output("b");
  *function.add_opset_import() = proto.opset_import(0);
  proto.add_opset_import()->set_domain("local");
  proto.mutable_opset_import(proto.opset_import_size() - 1)->set_version(1);
  onnx::NodeProto& negation = *function.add_node();
  negation.set_op_type("Neg");
  negation.add_input("a");
  negation.add_output("b");
  onnx::NodeProto& call = *proto.mutable_graph()->add_node();
  call.set_domain("local");
  call.set_op_type("Negate");
  call.add_input("y");
  call.add_output("z");
  Model model(proto);
  const std::string before = model.serialize();
  FloatOptions options;
  options.samples = samples_of({{{"no_input", Tensor::of<float>({1}, {1})}}});
  CHECK_THROWS_AS(to_bfloat16(options).run(model), Error);
  CHECK(model.serialize() == before);
  const Feeds feeds{{"x", Tensor::of<float>({1, 2, 4, 4}, std::vector<float>(32, 1.f))}};
  bool is_cancelled = false;
  std::size_t samples = 0;
  options.samples = [&](const std::function<void(const Feeds&)>& visit) {
    is_cancelled = ++samples == 2;  // during the first trial of the converted model
    visit(feeds);
  };
  Context context;
  context.cancelled = [&] { return is_cancelled; };
  const Report report = to_bfloat16(options).run(model, context);
  CHECK(report.outcome == Outcome::cancelled);
  CHECK(report.changes == 0);
  CHECK(samples == 2);
  CHECK(model.serialize() == before);
}
