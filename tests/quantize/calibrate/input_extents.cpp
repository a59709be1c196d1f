#include <graft/quantize/calibrate/input_extents.hpp>

#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

Feeds feed(const Dims& dims) { return {{"x", Tensor(DType::f32, dims)}}; }

}  // namespace

TEST_CASE("extents of inputs are the means of what samples feed", "[quantize]") {
  InputExtents extents;
  extents.add(feed({1, 10}));
  extents.add(feed({4, 10}));
  CHECK(extents.of("x") == Dims{3, 10});  // 2.5
  CHECK_FALSE(extents.of("y").has_value());
  extents.rename("x", "z");
  CHECK(extents.of("z") == Dims{3, 10});
  CHECK_FALSE(extents.of("x").has_value());
}

TEST_CASE("nothing is known of the extents of tensors of several ranks", "[quantize]") {
  InputExtents extents;
  extents.add(feed({1, 10}));
  extents.add(feed({10}));
  extents.add(feed({1, 10}));
  CHECK_FALSE(extents.of("x").has_value());
}

TEST_CASE("whatever runs samples provides the extents of all inputs, of any dtype, on any number of threads",
          "[quantize]") {
  std::vector<Feeds> samples;
  for (std::int64_t rows = 1; rows <= 21; ++rows)
    samples.push_back({{"x", Tensor(DType::f32, {rows, 4})}, {"ids", Tensor(DType::i64, {2})}});
  for (const Pass& pass : {calibrate(samples), observe_channel_means(samples)}) {
    Model model = graph("x: f32[N,4]; ids: i64[M]; y = Gemm(x, f32[4,2] 1); z = Identity(ids)");
    Context context;
    context.threads = 3;
    pass.run(model, context);
    const auto* const extents = context.facts.find<InputExtents>();
    REQUIRE(extents != nullptr);
    CHECK(extents->of("x") == Dims{11, 4});
    CHECK(extents->of("ids") == Dims{2});
  }
}
