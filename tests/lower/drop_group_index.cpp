#include <graft/lower/drop_group_index.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string product(std::string_view group_index) {
  return "x: f32[2,32]; b = u8[3,2,8] random; s = f32[6] random; y = com.microsoft::MatMulNBits(x, b, s" +
         std::string(group_index) + ") {K=32, N=3, bits=4, block_size=16}";
}

std::string index_of(auto group) {
  std::string text = "i32[32] {";
  for (int k = 0; k < 32; ++k) text += (k == 0 ? "" : ", ") + std::to_string(group(k));
  return text + "}";
}

const auto by_block = [](int k) { return k / 16; };

}  // namespace

TEST_CASE("a group index that says what holds anyway goes") {
  CHECK(given(product(", _, " + index_of(by_block))).pass(drop_group_indices()).becomes(product("")));
  CHECK(given(product(", _, " + index_of(by_block) + ", f32[3] {1, 2, 3}"))
            .pass(drop_group_indices())
            .becomes(product(", _, _, f32[3] {1, 2, 3}")));
  Model model = graph(product(", _, " + index_of(by_block)));
  drop_group_indices().run(model);
  CHECK(model.graph().initializers().size() == 2);
}

TEST_CASE("a group index that says more stays") {
  const auto refuses = [](const std::string& index, std::string_view reason) {
    return given(product(", _, " + index)).rule(drop_group_index).refuses(reason);
  };
  CHECK(refuses(index_of([](int k) { return k / 8; }), "other groups"));  // sorted all the same
  CHECK(refuses(index_of([](int k) { return k % 2; }), "other groups"));
  CHECK(given(product("")).rule(drop_group_index).refuses("no group index"));
  CHECK(given("g: i32[32]; " + product(", _, g")).rule(drop_group_index).refuses("not constant"));
}
