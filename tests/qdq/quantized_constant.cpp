#include <graft/qdq/quantized_constant.hpp>

#include <catch2/catch.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Tensor weight = Tensor::of<float>({2, 2}, {1.27f, 0, 0, 2.54f});

}  // namespace

TEST_CASE("a quantized constant is read back from its DequantizeLinear", "[quantize]") {
  for (const std::optional<std::size_t> axis : {std::optional<std::size_t>(), std::optional<std::size_t>(0)}) {
    Net net;
    Value& y = net.op("Relu", {net.x}, "y");
    const QuantizedTensor tensor = quantize_tensor(weight, DType::i8, axis);
    Value& value = insert_dequantize(add_quantized(net.builder.graph(), tensor, "w"), *y.producer(), "w");
    CHECK(ops(net.builder.graph()) == "DequantizeLinear Relu");
    CHECK(value.shape() == Shape(weight.dims()));
    const std::optional<QuantizedTensor> read = quantized_constant(*value.producer());
    REQUIRE(read);
    CHECK(read->data.same_bytes(tensor.data));
    CHECK(read->scale.same_bytes(tensor.scale));
    CHECK(read->zero_point.same_bytes(tensor.zero_point));
    CHECK(read->axis == axis);
  }
}

TEST_CASE("an absent zero point is read as zeros, a negative axis from the end", "[quantize]") {
  Net net;
  Value& codes = net.builder.constant(Tensor::of<std::int8_t>({2, 3}, {1, 2, 3, 4, 5, 6}), "codes");
  Value& scale = net.constant("s", {1, 2}, {2});
  const auto read = quantized_constant(*net.op("DequantizeLinear", {&codes, &scale}, "w", {{"axis", -2}}).producer());
  REQUIRE(read);
  CHECK(read->axis == 0u);
  CHECK(read->zero_point.same_bytes(Tensor::of<std::int8_t>({2}, {0, 0})));
}

TEST_CASE("what is not constant or does not fit is not a quantized constant", "[quantize]") {
  Net net;
  Value& codes = net.builder.constant(Tensor::of<std::int8_t>({2, 3}, {1, 2, 3, 4, 5, 6}), "codes");
  Value& dynamic = net.builder.input("dynamic", DType::i8, {2, 3});
  Value& one = net.scalar("one", 1);
  CHECK_FALSE(quantized_constant(*net.op("DequantizeLinear", {&dynamic, &one}, "a").producer()));
  Value& two = net.constant("two", {1, 2}, {2});
  CHECK_FALSE(quantized_constant(*net.op("DequantizeLinear", {&codes, &two}, "b", {{"axis", 1}}).producer()));
  CHECK_FALSE(quantized_constant(*net.op("DequantizeLinear", {&codes, &two}, "c", {{"axis", 7}}).producer()));
}
