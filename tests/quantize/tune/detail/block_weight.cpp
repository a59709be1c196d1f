#include <graft/quantize/tune/detail/block_weight.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/verify.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using detail::read_block_weight;
using detail::store_block_weight;

namespace {

const std::string product = "opset 21; w = f32[40,6] random; x: f32[40,40]; y = MatMul(x, w)";

Node& product_of(Model& model) {
  for (Node& node : model.graph().nodes())
    if (node.is("com.microsoft::MatMulNBits") || node.is("MatMul") || node.is("Gemm")) return node;
  throw Error("no product");
}

/// The weight, as the rows of the product with the unit matrix.
std::vector<float> weight_of(const Model& model) {
  std::vector<float> unit(40 * 40);
  for (std::size_t i = 0; i < 40; ++i) unit[41 * i] = 1;
  return Evaluator(model.graph()).run({{"x", Tensor::of<float>({40, 40}, unit)}}).front().to<float>();
}

void expect_transposed(const std::vector<float>& weight, const std::vector<float>& rows) {
  REQUIRE(weight.size() == rows.size());
  for (std::size_t n = 0; n < 6; ++n)
    for (std::size_t k = 0; k < 40; ++k) CHECK(weight[6 * k + n] == Approx(rows[40 * n + k]).margin(1e-6));
}

}  // namespace

TEST_CASE("weights in blocks are read, and stored as they are", "[quantize]") {
  for (const BlockOperators operators : {BlockOperators::contrib, BlockOperators::standard})
    for (const bool symmetric : {false, true})
      for (const int bits : {2, 4, 8}) {
        if (operators == BlockOperators::standard && bits != 4) continue;
        INFO(bits << " " << symmetric << " " << static_cast<int>(operators));
        Model model = graph(product);
        const BlockwiseOptions options{.weights = {.bits = bits, .block_size = 16, .symmetric = symmetric},
                                       .operators = operators};
        quantize_weights_blockwise(targets::ort_cpu_x64, options).run(model);
        Node& node = product_of(model);
        std::optional<BlockMatrix> weight = read_block_weight(node);
        REQUIRE(weight);
        CHECK(weight->rows == 6);
        CHECK(weight->columns == 40);
        CHECK(weight->blocks() == 3);
        CHECK(weight->form.bits == bits);
        expect_transposed(weight_of(model), weight->values());

        weight->scales[4] *= -2;
        weight->codes[7] = static_cast<std::uint8_t>(weight->codes[7] ^ 1);
        store_block_weight(node, *weight);
        CHECK(verify(model).empty());
        expect_transposed(weight_of(model), weight->values());
        CHECK(read_block_weight(node)->codes == weight->codes);
      }
}

TEST_CASE("blocks along the outputs, or none, are not read", "[quantize]") {
  const std::string text = "opset 21; x: f32[40,40]; c = i8[6,40] random; s = f32[6,3] random; t = f32[6] random; ";
  Model rows = graph(text + "w = DequantizeLinear(c, s) {axis=1, block_size=16}; y = Gemm(x, w) {transB=1}");
  const std::optional<BlockMatrix> weight = read_block_weight(product_of(rows));
  REQUIRE(weight);
  expect_transposed(weight_of(rows), weight->values());
  Model columns = graph("opset 21; x: f32[40,40]; c = i8[40,6] random; s = f32[40,2] random; "
                        "w = DequantizeLinear(c, s) {axis=1, block_size=3}; y = MatMul(x, w)");
  CHECK_FALSE(read_block_weight(product_of(columns)));
  Model channels = graph(text + "w = DequantizeLinear(c, t) {axis=0}; y = Gemm(x, w) {transB=1}");
  CHECK_FALSE(read_block_weight(product_of(channels)));
  Model floats = graph(product);
  CHECK_FALSE(read_block_weight(product_of(floats)));
}
