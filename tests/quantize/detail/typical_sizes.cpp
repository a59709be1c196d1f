#include <graft/quantize/detail/typical_sizes.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <catch2/catch.hpp>

#include <graft/graph/infer.hpp>
#include <graft/quantize/calibrate/input_extents.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

std::string shape_of(const Model& model, std::string_view value) {
  return to_string(model.graph().find(value)->shape());
}

Context seen(const Dims& dims) {
  InputExtents extents;
  extents.add({{"x", Tensor(DType::f32, dims)}});
  Context context;
  context.facts.provide(std::move(extents));
  return context;
}

const std::string net = "x: f32[N,6,8]; a = MatMul(x, f32[8,4] 1); r = Reshape(a, i64[2] {-1, 4}); b = Relu(r)";

}  // namespace

TEST_CASE("tensors have the sizes that samples have shown, for a while", "[quantize]") {
  Model model = graph(net);
  infer_shapes(model.graph());
  const std::string before = shape_of(model, "x"), rows = shape_of(model, "b");
  {
    const detail::TypicalSizes sizes(model.graph(), seen({5, 6, 8}));
    CHECK(shape_of(model, "x") == "[5,6,8]");
    CHECK(shape_of(model, "a") == "[5,6,4]");
    CHECK(shape_of(model, "b") == "[30,4]");
  }
  CHECK(shape_of(model, "x") == before);
  CHECK(shape_of(model, "b") == rows);
  CHECK(rows != "[30,4]");
}

TEST_CASE("extents that the graph states stay, as does all without samples", "[quantize]") {
  Model model = graph(net);
  infer_shapes(model.graph());
  const std::string before = shape_of(model, "b");
  {
    const detail::TypicalSizes sizes(model.graph(), seen({5, 7, 8}));
    CHECK(shape_of(model, "a") == "[5,6,4]");
  }
  const detail::TypicalSizes unknown(model.graph(), Context());
  CHECK(shape_of(model, "b") == before);
  const detail::TypicalSizes other_rank(model.graph(), seen({5, 7}));
  CHECK(shape_of(model, "b") == before);
}
