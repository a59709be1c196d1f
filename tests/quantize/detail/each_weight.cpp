#include <graft/quantize/detail/each_weight.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/dims.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("each weight comes with the channels that it joins, in its order", "[quantize]") {
  const std::vector<std::pair<std::string, Dims>> cases{
      {"x: f32[1,4,5]; w: f32[6,2,3]; y = Conv(x, w) {group=2}", {6, 2, 3}},
      {"x: f32[1,4,5]; w: f32[4,1,1]; y = Conv(x, w) {group=4}", {4, 1, 1}},
      {"x: f32[1,1,5]; w: f32[3,1,1]; y = Conv(x, w)", {3, 1, 1}},
      {"x: f32[1,3,5,5]; w: f32[1,3,2,2]; y = Conv(x, w)", {1, 3, 2, 2}},
      {"x: f32[1,2]; w: f32[2,3]; y = Gemm(x, w)", {2, 3}},
      {"x: f32[1,2]; w: f32[2,1]; y = MatMul(x, w)", {2, 1}},
      {"x: f32[1,1]; w: f32[1,3]; y = MatMul(x, w)", {1, 3}},
      {"x: f32[1,2]; w: f32[3,2]; y = Gemm(x, w) {transB=1}", {3, 2}},
  };
  for (const auto& [text, dims] : cases) {
    CAPTURE(text);
    const Model model = graph(text);
    const WeightChannels channels(*model.graph().first_node(), dims);
    std::size_t count = 1;
    for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim);
    using Visit = std::tuple<std::size_t, std::size_t, std::size_t>;
    std::vector<Visit> wanted, visits;
    for (std::size_t i = 0; i < count; ++i) wanted.emplace_back(i, channels.output(i), channels.input(i));
    detail::each_weight(channels, count,
                        [&](std::size_t i, std::size_t out, std::size_t in) { visits.emplace_back(i, out, in); });
    CHECK(visits == wanted);
  }
}
