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
