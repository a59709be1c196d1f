#include <graft/pattern/table.hpp>

#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

#include "pattern/words.hpp"

using namespace words;

TEST_CASE("the children of a row are found by their ends") {
  constexpr auto q = query<"">(op<"Max">(op<"Conv">(x, w), y, either(op<"Relu">(x), op<"Tanh">(x)), rest<>));
  const RulePattern table = q;
  std::vector<Step> children;
  for (std::size_t c = 1; c < table.nodes[0].end; c = table.nodes[c].end) children.push_back(table.nodes[c].step);
  CHECK(children == std::vector<Step>{Step::op, Step::value, Step::either, Step::rest});
  CHECK(table.nodes[0].variadic);
  CHECK(table.nodes[0].operand_count == 4);
}
