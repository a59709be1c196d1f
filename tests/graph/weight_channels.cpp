#include <graft/graph/weight_channels.hpp>

#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

using Numbers = std::vector<std::size_t>;

Numbers of_each(const WeightChannels& channels, std::size_t count, bool inputs) {
  Numbers result;
  channels.each([&](std::size_t i, std::size_t output, std::size_t input) {
    CHECK(i == result.size());
    CHECK(output == channels.output(i));
    CHECK(input == channels.input(i));
    result.push_back(inputs ? input : output);
  });
  CHECK(result.size() == count);
  return result;
}

}  // namespace

TEST_CASE("the elements of a Conv's weight by channels, which are counted through the groups") {
  const Model model = graph("x: f32[1,4,5]; w: f32[2,2,3]; y = Conv(x, w) {group=2}");
  const WeightChannels channels(*model.graph().first_node(), {2, 2, 3});
  CHECK(channels.outputs() == 2);
  CHECK(channels.inputs() == 4);
  CHECK(of_each(channels, 12, false) == Numbers{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  CHECK(of_each(channels, 12, true) == Numbers{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
}

TEST_CASE("those of a ConvTranspose, whose output channels are the second axis") {
  const Model model = graph("x: f32[1,4,5]; w: f32[4,2,2]; y = ConvTranspose(x, w) {group=2}");
  const WeightChannels channels(*model.graph().first_node(), {4, 2, 2});
  CHECK(channels.outputs() == 4);
  CHECK(channels.inputs() == 4);
  CHECK(channels.run() == 2);
  CHECK(of_each(channels, 16, false) == Numbers{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3});
  CHECK(of_each(channels, 16, true) == Numbers{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
}

TEST_CASE("those of a Gemm, transposed or not") {
  const Model model = graph("x: f32[1,2]; v: f32[2,3]; w: f32[3,2]; y = Gemm(x, v); z = Gemm(x, w) {transB=1}");
  const WeightChannels plain(*model.graph().first_node(), {2, 3});
  CHECK(plain.outputs() == 3);
  CHECK(plain.inputs() == 2);
  CHECK(of_each(plain, 6, false) == Numbers{0, 1, 2, 0, 1, 2});
  CHECK(of_each(plain, 6, true) == Numbers{0, 0, 0, 1, 1, 1});
  const WeightChannels transposed(*model.graph().last_node(), {3, 2});
  CHECK(of_each(transposed, 6, false) == Numbers{0, 0, 1, 1, 2, 2});
  CHECK(of_each(transposed, 6, true) == Numbers{0, 1, 0, 1, 0, 1});
}
