#include <graft/quantize/detail/product_groups.hpp>

#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("groups hold products in order, and those that share a weight together", "[blockwise]") {
  Model model = graph(
      "u = f32[8,8] random; v = f32[8,8] random; w = f32[8,8] random; x: f32[N,8]; "
      "a = MatMul(x, u); b = MatMul(x, v); c = MatMul(a, w); d = MatMul(b, u); e = MatMul(d, v); f = MatMul(e, w); "
      "g = f32[8,8] random; h = MatMul(f, g); return c, h");
  const auto reads = [](const Node& node, detail::ConstantProduct& product) {
    return bool(detail::ConstantProduct::read(node, product));
  };
  const auto sizes = [&](std::size_t bytes, std::size_t least) {
    std::vector<std::size_t> found;
    for (const detail::ProductGroup& group : detail::product_groups(model.graph(), reads, bytes, least))
      found.push_back(group.products.size());
    return found;
  };
  CHECK(sizes(1, 1) == std::vector<std::size_t>{6, 1});
  CHECK(sizes(1 << 20, 1) == std::vector<std::size_t>{7});
  CHECK(sizes(1 << 20, 2) == std::vector<std::size_t>{6, 1});
  CHECK(detail::product_groups(model.graph(), reads, 1).front().inputs.size() == 5);
}
