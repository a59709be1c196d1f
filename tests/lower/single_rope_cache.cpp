#include <graft/lower/single_rope_cache.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string chosen(std::string_view then_rows, std::string_view else_rows, std::string_view more = "") {
  const auto branch = [](std::string_view rows, const std::string& name) {
    const std::string type = "f32[" + std::string(rows) + ",2] random(0, 1, " + (name == "t" ? "1" : "2") + "); ";
    return "{ " + name + "c = " + type + name + "s = " + type + name + "d = Identity(" + name + "c); " + name +
           "e = Identity(" + name + "s); return " + name + "d, " + name + "e }";
  };
  return "n: i64[]; x: f32[1,1,2,4]; p: i64[1,2]; g = Greater(n, i64[] 4);"
         "c, s = If(g) {then_branch=" +
         branch(then_rows, "t") + ", else_branch=" + branch(else_rows, "e") +
         "};"
         "y = com.microsoft::RotaryEmbedding(x, p, c, s)" +
         std::string(more);
}

std::int64_t rows_left(const Model& model) {
  for (const Node& node : model.graph().nodes())
    if (node.is("com.microsoft::RotaryEmbedding")) return node.input(2)->constant()->dims()[0];
  return 0;
}

}  // namespace

TEST_CASE("the small cache, or the large one, takes the place of the choice") {
  for (const bool large_first : {false, true}) {
    for (const bool large : {false, true}) {
      Model model = large_first ? graph(chosen("16", "8")) : graph(chosen("8", "16"));
      CHECK(single_rope_caches(large).run(model).changes == 1);
      CHECK(rows_left(model) == (large ? 16 : 8));
      for (const Node& node : model.graph().nodes()) {
        CHECK_FALSE(node.is("If"));
        CHECK_FALSE(node.is("Greater"));
      }
      CHECK(model.graph().inputs().size() == 3);
    }
  }
}

TEST_CASE("without a word the small cache stays") {
  Model model = graph(chosen("16", "8"));
  sweep(single_rope_cache).run(model);
  CHECK(rows_left(model) == 8);
}

TEST_CASE("choices of anything else stay") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).rule(single_rope_cache, keeps_large_cache = false).refuses(reason);
  };
  CHECK(refuses(chosen("8", "8"), "more rows"));
  CHECK(refuses(chosen("8", "16", "; z = Neg(c)"), "no cache"));
  CHECK(refuses("b: bool[]; x: f32[8,2]; y = If(b) {then_branch={ t = Neg(x) }, else_branch={ e = Abs(x) }}",
                "no cache"));
}
