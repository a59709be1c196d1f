#include <graft/qdq/gather_to_block_quantized.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string gather(std::string_view table, std::string_view attributes = "") {
  return "i: i64[2,3]; t = " + std::string(table) + "; y = Gather(t, i)" + std::string(attributes);
}

/// What the codes of each element stand for, less what it was, in steps of the scale of its block.
std::vector<float> errors_in_steps(const Tensor& table, const Node& quantized) {
  const std::vector<float> x = table.to<float>(), codes = quantized.input(0)->constant()->to<float>(),
                           scales = quantized.input(2)->constant()->to<float>();
  const auto columns = static_cast<std::size_t>(table.dims()[1]), blocks = (columns + 31) / 32;
  std::vector<float> errors;
  for (std::size_t i = 0; i < x.size(); ++i)
    errors.push_back(codes[i] - 128 - x[i] / scales[i / columns * blocks + i % columns / 32]);
  return errors;
}

}  // namespace

TEST_CASE("a table that Gather reads is stored in 8 bits, in blocks of a row") {
  for (const std::string_view dtype : {"f32", "f16"}) {
    for (const std::string_view columns : {"64", "72"}) {
      const std::string type = std::string(dtype) + "[5," + std::string(columns) + "]";
      Model model = graph(gather(type + " random(-3, 2)"));
      const Tensor table = model.graph().find("t")->constant().value();
      CHECK(gathers_to_block_quantized().run(model).changes == 1);
      const Node& node = model.graph().nodes().front();
      CHECK(node.is("com.microsoft::GatherBlockQuantized"));
      CHECK(node.attr<std::int64_t>("bits") == 8);
      CHECK(node.attr<std::int64_t>("block_size") == 32);
      CHECK(node.input_count() == 3);
      CHECK(node.input(2)->dtype() == table.dtype());
      CHECK(node.output(0)->dtype() == table.dtype());
      CHECK(model.graph().initializers().size() == 2);
      for (const float error : errors_in_steps(table, node)) CHECK(std::abs(error) <= 1.001F);
    }
  }
}

TEST_CASE("float16 scales that would vanish are the smallest normal number") {
  Model model = graph(gather("f16[2,32] random(-1e-4, 1e-4)"));
  gathers_to_block_quantized().run(model);
  for (const float scale : model.graph().nodes().front().input(2)->constant()->to<float>())
    CHECK(std::abs(scale) == 0x1p-14F);
}

TEST_CASE("several Gathers share one quantized table") {
  Model model = graph("i: i64[2]; k: i64[3]; t = f32[5,64] random; y = Gather(t, i); z = Gather(t, k) {axis=-2}");
  CHECK(gathers_to_block_quantized().run(model).changes == 2);
  CHECK(model.graph().initializers().size() == 2);
}

TEST_CASE("other tables stay in float") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).rule(gather_to_block_quantized).refuses(reason);
  };
  CHECK(refuses(gather("f32[5,31] random"), "fewer columns"));
  CHECK(refuses(gather("f32[5,4,64] random"), "matrix"));
  CHECK(refuses(gather("f32[5,64] random", "; z = Neg(t)"), "readers other than Gather"));
  CHECK(refuses(gather("f32[5,64] random", "; z = Gather(t, i) {axis=1}"), "columns, too"));
  CHECK(refuses(gather("f32[64,64] random", " {axis=1}"), "axis"));
  CHECK(refuses(gather("f32[1,32] inf"), "not finite"));
  CHECK(refuses("i: i64[2]; t: f32[5,64]; y = Gather(t, i)", "constant"));
}
