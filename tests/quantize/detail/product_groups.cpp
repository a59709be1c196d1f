#include <graft/quantize/detail/product_groups.hpp>

#include <cstddef>
#include <string>
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

TEST_CASE("an input that several products read counts once for the share of a group", "[blockwise]") {
  std::string text = "x0: f32[N,8]; ";
  for (int i = 0; i < 4; ++i) {
    const std::string x = "x" + std::to_string(i), next = "x" + std::to_string(i + 1);
    for (const char* const part : {"q", "k", "v"}) {
      const std::string name = part + std::to_string(i);
      text += "w" + name + " = f32[8,8] random; " + name + " = MatMul(" + x + ", w" + name + "); ";
    }
    const std::string n = std::to_string(i);
    text += next + " = Relu(Add(Add(q" + n + ", k" + n + "), v" + n + ")); ";
  }
  Model model = graph(text + "return x4");
  const auto reads = [](const Node& node, detail::ConstantProduct& product) {
    return bool(detail::ConstantProduct::read(node, product));
  };
  const std::vector<detail::ProductGroup> groups = detail::product_groups(model.graph(), reads, 1 << 20, 4);
  CHECK(groups.size() == 4);
  for (const detail::ProductGroup& group : groups) CHECK(group.products.size() == 3);
}
