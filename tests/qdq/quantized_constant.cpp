#include <graft/qdq/quantized_constant.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

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

TEST_CASE("small scales are raised, and their integers rounded again", "[quantize]") {
  for (const std::string axis : {"0", "1"}) {
    const bool is_first = axis == "0";
    const std::string rows = is_first ? "{100, -7, 2, 3}" : "{100, 2, -7, 3}";
    const std::string half = is_first ? "{50, -4, 2, 3}" : "{50, 2, -4, 3}";  // -3.5 to even
    const auto text = [&](const std::string& integers, const std::string& scales) {
      return "x: f32[2,2]; w = DequantizeLinear(i8[2,2] " + integers + ", f32[2] " + scales + ", i8[2] 0) {axis=" +
             axis + "}; y = Add(x, w)";
    };
    Model model = graph(text(rows, "{0.125, 0.5}"));
    CHECK(raise_scales(*model.graph().find("w")->producer(), 0.25f));
    CHECK(isomorphic(graph(text(half, "{0.25, 0.5}")), model));
    CHECK(!raise_scales(*model.graph().find("w")->producer(), 0.25f));
  }
  Model shared = graph("x: f32[2]; k = u8[2] {138, 108}; s = f32[] 0.125; z = u8[] 128; w = DequantizeLinear(k, s, z); "
                       "v = DequantizeLinear(k, s, z); y = Add(w, v)");
  CHECK(raise_scales(*shared.graph().find("w")->producer(), 0.25f));
  CHECK(shared.graph().find("w")->producer()->input(0)->constant()->to<int>() == std::vector{133, 118});
  CHECK(shared.graph().find("v")->producer()->input(0)->constant()->to<int>() == std::vector{138, 108});
  Model computed = graph("k: i8[2]; y = DequantizeLinear(k, f32[] 0.125, i8[] 0)");
  CHECK(!raise_scales(*computed.graph().output(0)->producer(), 0.25f));
}
