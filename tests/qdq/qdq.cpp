#include <graft/qdq/qdq.hpp>

#include <cmath>
#include <cstdint>

#include <catch2/catch.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr QParams params{0.5f, 3, DType::u8};

Value& zero_point(Net& net, std::string_view name, std::uint8_t value) {
  return net.builder.constant(Tensor::scalar(value), name);
}

}  // namespace

TEST_CASE("a pair stands behind a tensor, and every user reads it", "[quantize]") {
  Net net;
  Value& y = net.op("Relu", {net.x}, "y");
  Value& a = net.op("Abs", {&y}, "a");
  Value& b = net.op("Neg", {&y}, "b");
  Model model = net.build({&a, &b});
  Value& result = insert_qdq(y, params, true);
  CHECK(ops(model.graph()) == "Relu QuantizeLinear DequantizeLinear Abs Neg");
  CHECK(a.producer()->input(0) == &result);
  CHECK(b.producer()->input(0) == &result);
  CHECK(y.use_count() == 1);
  CHECK(qparams_of(*result.producer()) == params);
  CHECK(qparams_of(*y.uses().front().user()) == params);
  CHECK(result.dtype() == DType::f32);
  CHECK(result.producer()->input(0)->dtype() == DType::u8);
  CHECK(result.producer()->input(0)->shape() == y.shape());
}

TEST_CASE("a scale that is not positive and finite makes no q-params", "[quantize]") {
  for (const float scale : {-0.5f, 0.0f, INFINITY, NAN}) {
    Net net;
    Value& q = net.op("QuantizeLinear", {net.x, &net.scalar("s", scale), &zero_point(net, "z", 0)}, "q");
    CHECK_FALSE(qparams_of(*q.producer()));
  }
}

TEST_CASE("a graph output that reads the dequantized tensor keeps its name", "[quantize]") {
  Net net;
  Value& y = net.op("Relu", {net.x}, "y");
  Value& a = net.op("Abs", {&y}, "a");
  SECTION("moved") {
    Model model = net.build({&y, &a});
    Value& result = insert_qdq(y, params, true);
    CHECK(result.name() == "y");
    CHECK(model.graph().output(0) == &result);
    CHECK(y.use_count() == 1);
    CHECK(model.commit().graph().output(0).name() == "y");
  }
  SECTION("left") {
    Model model = net.build({&y, &a});
    Value& result = insert_qdq(y, params, false);
    CHECK(model.graph().output(0) == &y);
    CHECK(a.producer()->input(0) == &result);
  }
}

TEST_CASE("the pair of a graph input stands first", "[quantize]") {
  Net net;
  Value& y = net.op("Relu", {net.x}, "y");
  Model model = net.build({&y});
  Value& result = insert_qdq(*net.x, params, false);
  CHECK(ops(model.graph()) == "QuantizeLinear DequantizeLinear Relu");
  CHECK(y.producer()->input(0) == &result);
}

TEST_CASE("a graph input that is an output too keeps its name, and stays in float there", "[quantize]") {
  Net net;
  Value& y = net.op("Relu", {net.x}, "y");
  Model model = net.build({net.x, &y});
  insert_qdq(*net.x, params, true);
  CHECK(model.graph().inputs()[0]->name() == "x");
  CHECK(model.graph().outputs()[0] == model.graph().inputs()[0]);
  CHECK(y.producer()->input(0)->producer()->is("DequantizeLinear"));
}

TEST_CASE("the q-params of a quantizer are read", "[quantize]") {
  Net net(21);
  Value& scale = net.scalar("s", 0.5f);
  const auto read = [&](Value& value) { return qparams_of(*value.producer()); };
  CHECK(read(net.op("QuantizeLinear", {net.x, &scale, &zero_point(net, "z", 3)}, "q")) == params);
  CHECK(read(net.op("QuantizeLinear", {net.x, &scale}, "no_z")) == QParams{0.5f, 0, DType::u8});
  CHECK(read(net.op("QuantizeLinear", {net.x, &scale}, "i16", {{"output_dtype", DType::i16}})) ==
        QParams{0.5f, 0, DType::i16});
  Value& signed_input = net.builder.input("xi", DType::i8, {1});
  CHECK(read(net.op("DequantizeLinear", {&signed_input, &scale}, "d")) == QParams{0.5f, 0, DType::i8});
  CHECK(read(net.op("QuantizeLinear", {net.x, &net.constant("s1", {0.5f}, {1})}, "one")) ==
        QParams{0.5f, 0, DType::u8});
}

TEST_CASE("q-params that are several or not constant are none", "[quantize]") {
  Net net;
  Value& dynamic = net.builder.input("s", DType::f32, {});
  CHECK_FALSE(qparams_of(*net.op("QuantizeLinear", {net.x, &dynamic}, "dynamic").producer()));
  Value& two = net.constant("two", {1, 2}, {2});
  CHECK_FALSE(qparams_of(*net.op("QuantizeLinear", {net.x, &two}, "per_axis", {{"axis", 1}}).producer()));
  Value& codes = net.builder.constant(Tensor::of<std::int32_t>({2}, {1, 2}), "codes");
  CHECK_FALSE(qparams_of(*net.op("DequantizeLinear", {&codes, &net.scalar("s2", 1)}, "bias").producer()));
}

TEST_CASE("the dtype of a quantizer without zero point is found", "[quantize]") {
  Net net;
  Value& scale = net.scalar("s", 0.5f);
  Value& q = net.op("QuantizeLinear", {net.x, &scale}, "q");
  net.builder.graph().set_type(q, onnx::TypeProto());
  CHECK(quantized_dtype(*net.op("DequantizeLinear", {&q, &scale}, "d").producer()) == DType::u8);
  Value& codes = net.builder.constant(Tensor::of<std::int32_t>({2}, {1, 2}), "codes");
  CHECK(quantized_dtype(*net.op("DequantizeLinear", {&codes, &scale}, "bias").producer()) == DType::i32);
}

TEST_CASE("a pair is two quantizers of the same q-params", "[quantize]") {
  Net net;
  Value& scale = net.scalar("s", 0.5f);
  Value& z = zero_point(net, "z", 3);
  Value& q = net.op("QuantizeLinear", {net.x, &scale, &z}, "q");
  Value& same = net.op("DequantizeLinear", {&q, &net.scalar("s_again", 0.5f), &z}, "same");
  CHECK(paired_quantize(*same.producer()) == q.producer());
  CHECK(dequantized(*net.x) == &same);
  Value& r = net.op("QuantizeLinear", {&same, &scale, &z}, "r");
  Value& other = net.op("DequantizeLinear", {&r, &net.scalar("s_other", 0.25f), &z}, "other");
  CHECK(paired_quantize(*other.producer()) == nullptr);
  CHECK(dequantized(same) == nullptr);
}
