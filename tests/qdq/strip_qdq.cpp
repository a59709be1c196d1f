#include <graft/qdq/strip_qdq.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/quantize/weights/weights.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("a pair of quantizers is taken out", "[quantize]") {
  CHECK(given("x: f32[2,3]; q = QuantizeLinear(x, f32[] 0.5, u8[] 3); y = Neg(DequantizeLinear(q, f32[] 0.5, u8[] 3))")
            .rule(strip_pair)
            .becomes("x: f32[2,3]; y = Neg(x)"));
  CHECK(given("x: f32[2,3]; q = QuantizeLinear(x, f32[] 0.5); y = DequantizeLinear(q, f32[] 0.5); z = Neg(y)")
            .rule(strip_pair)
            .becomes("x: f32[2,3]; z = Neg(x)"));
  CHECK(given("x: f32[2]; q = QuantizeLinear(x, f32[2] {0.5, 2}) {axis=0}; "
              "y = Neg(DequantizeLinear(q, f32[2] {0.5, 2}) {axis=0})")
            .rule(strip_pair)
            .becomes("x: f32[2]; y = Neg(x)"));
}

TEST_CASE("the two sides of a pair may spell the same q-params differently", "[quantize]") {
  const auto is_taken_out = [](std::string_view quantize, std::string_view dequantize) {
    return given("x: f32[2,2]; q = QuantizeLinear(x, " + std::string(quantize) + "; y = Neg(DequantizeLinear(q, " +
                 std::string(dequantize) + ")")
        .rule(strip_pair)
        .becomes("x: f32[2,2]; y = Neg(x)");
  };
  CHECK(is_taken_out("f32[] 0.5)", "f32[] 0.5, u8[] 0)"));
  CHECK(is_taken_out("f32[] 0.5, u8[] 0)", "f32[] 0.5)"));
  CHECK(is_taken_out("f32[] 0.5, u8[] 3)", "f32[2] {0.5, 0.5}, u8[2] {3, 3})"));
  CHECK(is_taken_out("f32[2] {0.5, 2}, u8[2] {3, 1}) {axis=1}", "f32[2] {0.5, 2}, u8[2] {3, 1}) {axis=-1}"));
}

TEST_CASE("quantizers with the attributes of later opsets are taken out too", "[quantize]") {
  CHECK(given("opset 21; x: f32[2]; q = QuantizeLinear(x, f32[] 0.5) {output_dtype=3, saturate=1}; "
              "y = Neg(DequantizeLinear(q, f32[] 0.5))")
            .rule(strip_pair)
            .becomes("opset 21; x: f32[2]; y = Neg(x)"));
}

TEST_CASE("what was quantized from integers is of another dtype than the result", "[quantize]") {
  CHECK(given("x: i32[2]; q = QuantizeLinear(x, f32[] 0.5); y = Neg(DequantizeLinear(q, f32[] 0.5))")
            .rule(strip_pair)
            .refuses("another dtype"));
}

TEST_CASE("quantizers of different q-params are not a pair", "[quantize]") {
  const auto refuses = [](std::string_view dequantize) {
    return given("x: f32[2,2]; q = QuantizeLinear(x, f32[2] {0.5, 2}, u8[2] {0, 1}) {axis=0}; y = Neg(" +
                 std::string(dequantize) + ")")
        .rule(strip_pair)
        .refuses("");
  };
  CHECK(refuses("DequantizeLinear(q, f32[2] {0.5, 1}, u8[2] {0, 1}) {axis=0}"));
  CHECK(refuses("DequantizeLinear(q, f32[2] {0.5, 2}, u8[2] {0, 0}) {axis=0}"));
  CHECK(refuses("DequantizeLinear(q, f32[2] {0.5, 2}, u8[2] {0, 1}) {axis=1}"));
  CHECK(refuses("DequantizeLinear(q, f32[2] {0.5, 2}, u8[2] {0, 1})"));
}

TEST_CASE("other users of the quantized tensor stay", "[quantize]") {
  CHECK(given("x: f32[2]; q = QuantizeLinear(x, f32[] 0.5, u8[] 0); y = Neg(DequantizeLinear(q, f32[] 0.5, u8[] 0)); "
              "return y, q")
            .rule(strip_pair)
            .becomes("x: f32[2]; q = QuantizeLinear(x, f32[] 0.5, u8[] 0); y = Neg(x); return y, q"));
}

TEST_CASE("a dequantized constant becomes a float one", "[quantize]") {
  CHECK(given("x: f32[2,2]; y = Add(x, DequantizeLinear(i8[2,2] {2, -4, 6, -8}, f32[2] {0.5, 2}) {axis=0})")
            .rule(strip_constant)
            .becomes("x: f32[2,2]; y = Add(x, f32[2,2] {1, -2, 12, -16})"));
}

TEST_CASE("constants of every kind are dequantized", "[quantize]") {
  const auto becomes = [](std::string_view dequantize, std::string_view constant) {
    return given("opset 21; x: f32[2,4]; y = Add(x, DequantizeLinear(" + std::string(dequantize) + ")")
        .pass(remove_dequantized_constants())
        .becomes("opset 21; x: f32[2,4]; y = Add(x, f32[2,4] " + std::string(constant) + ")");
  };
  CHECK(becomes("i8[2,4] {2, -4, 6, -8, 0, 0, 0, 1}, f32[] 0.5, i8[] 2)", "{0, -3, 2, -5, -1, -1, -1, -0.5}"));
  CHECK(becomes("i8[2,4] 1, f32[4] {1, 2, 3, 4}) {axis=-1}", "{1, 2, 3, 4, 1, 2, 3, 4}"));
  CHECK(becomes("i4[2,4] {1, 2, 3, 4, 5, 6, 7, -8}, f32[2] {1, 2}) {axis=0}", "{1, 2, 3, 4, 10, 12, 14, -16}"));
  CHECK(becomes("i4[2,4] 1, f32[2,2] {1, 2, 3, 4}, i4[2,2] {0, 0, 0, 1}) {axis=1, block_size=2}",
                "{1, 1, 2, 2, 3, 3, 0, 0}"));
  CHECK(becomes("i32[2,4] 3, f32[] 0.5)", "1.5"));
}

TEST_CASE("a dequantized constant is of the dtype of its scale, or the given one", "[quantize]") {
  CHECK(given("opset 19; x: f16[2]; y = Add(x, DequantizeLinear(i8[2] {2, 4}, f16[] 0.5))")
            .pass(remove_dequantized_constants())
            .becomes("opset 19; x: f16[2]; y = Add(x, f16[2] {1, 2})"));
  CHECK(given("opset 23; x: f16[2]; y = Add(x, DequantizeLinear(i8[2] {2, 4}, f32[] 0.5) {output_dtype=10})")
            .pass(remove_dequantized_constants())
            .becomes("opset 23; x: f16[2]; y = Add(x, f16[2] {1, 2})"));
}

TEST_CASE("scales that constants share, other readers and outputs keep what they have", "[quantize]") {
  CHECK(given("x: f32[2]; s = f32[] 0.5; w = i8[2] {2, 4}; y = Add(x, DequantizeLinear(w, s));"
              "z = Mul(x, DequantizeLinear(i8[2] {6, 8}, s)); v = Cast(w) {to=6}")
            .pass(remove_dequantized_constants())
            .becomes("x: f32[2]; y = Add(x, f32[2] {1, 2}); z = Mul(x, f32[2] {3, 4}); v = Cast(i8[2] {2, 4}) {to=6}"));
  CHECK(given("x: f32[2]; y = Neg(x); z = DequantizeLinear(i8[2] {2, 4}, f32[] 0.5); return y, z")
            .pass(remove_dequantized_constants())
            .equivalent());
  CHECK(given("x: i8[2]; y = DequantizeLinear(x, f32[] 0.5)")
            .pass(remove_dequantized_constants())
            .becomes("x: i8[2]; y = DequantizeLinear(x, f32[] 0.5)"));
}

TEST_CASE("remove_qdq takes out pairs, and no constants", "[quantize]") {
  CHECK(given("x: f32[2]; q = QuantizeLinear(x, f32[] 0.5, u8[] 3); d = DequantizeLinear(q, f32[] 0.5, u8[] 3);"
              "e = DequantizeLinear(QuantizeLinear(d, f32[] 2), f32[] 2);"
              "y = Add(e, DequantizeLinear(i8[2] {2, 4}, f32[] 0.5)); z = Neg(DequantizeLinear(q, f32[] 0.5, u8[] 3))")
            .pass(remove_qdq())
            .becomes("x: f32[2]; y = Add(x, DequantizeLinear(i8[2] {2, 4}, f32[] 0.5)); z = Neg(x)"));
  CHECK(given("x: f32[2]; y = DequantizeLinear(QuantizeLinear(x, f32[] 2), f32[] 2)")
            .pass(remove_qdq())
            .becomes("x: f32[2]; y = Identity(x)"));
}

TEST_CASE("remove_qdq keeps the range of inputs, if that is wanted", "[quantize]") {
  const std::string text = "x: f32[2]; q = QuantizeLinear(x, f32[] 0.5, u8[] 128);"
                           "d = DequantizeLinear(q, f32[] 0.5, u8[] 128); h = Neg(d);"
                           "y = DequantizeLinear(QuantizeLinear(h, f32[] 2), f32[] 2)";
  CHECK(given(text).pass(remove_qdq(true)).becomes("x: f32[2]; y = Neg(Clip(x, f32[] -64, f32[] 63.5))"));
  CHECK(given(text).pass(remove_qdq(false)).becomes("x: f32[2]; y = Neg(x)"));
  Model model = graph("x: f32[2]; q = com.microsoft::QuantizeLinear(x, f32[] 2, u8[] 0);"
                      "y = Neg(com.microsoft::DequantizeLinear(q, f32[] 2, u8[] 0))");
  CHECK(remove_qdq(true).run(model).changes != 0);
  CHECK(model.opset("com.microsoft") == 0);
}

TEST_CASE("strip_pair through all variants", "[quantize]") {
  // On multiples of the scale rounding changes nothing.
  const VariantReport report =
      variants(strip_pair, "x: f32[2,N]; q = QuantizeLinear(Round(x), f32[] 1, i8[] 0); "
                           "d = DequantizeLinear(q, f32[] 1, i8[] 0); y = Neg(d)");
  CHECK(report);
  CHECK(report.find("%d as a graph output")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("what was quantized is float again, and can be quantized again to the same", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x);
  Model model = net.build({&net.op("Relu", {&y}, "z")});
  const Ranges ranges{{"x", {-1, 2}}, {"y", {-3, 4}}, {"z", {0, 4}}};
  const Pass quantize =
      inject_qdq(ranges, targets::ort_cpu_x64) | quantize_weights(Granularity::per_channel, targets::ort_cpu_x64);
  quantize.run(model);
  const Model once(model.commit());
  strip_qdq().run(model);
  CHECK(ops(model.graph()) == "Conv Relu");
  quantize.run(model);
  CHECK(isomorphic(once.graph(), model.graph()));
}

TEST_CASE("a table of integers that is read becomes floats again", "[quantize]") {
  const std::string inputs = "opset 13; ids: i64[2]; ";
  const auto lookup = [&](const std::string& codes, const std::string& scales) {
    return inputs + "y = Mul(Cast(Gather(" + codes + ", ids)) {to=f32}, " + scales + ")";
  };
  CHECK(given(lookup("i8[2,2] {1, 2, -3, 4}", "f32[2] {0.5, 2}"))
            .rule(strip_table)
            .becomes(inputs + "y = Gather(f32[2,2] {0.5, 4, -1.5, 8}, ids)"));
  CHECK(given(lookup("i8[3] {1, 2, -3}", "f32[] 0.5"))
            .rule(strip_table)
            .becomes(inputs + "y = Gather(f32[3] {0.5, 1, -1.5}, ids)"));
  CHECK(given(lookup("i8[2,2] 1", "f32[2,1] {0.5, 2}")).rule(strip_table).refuses("last axis"));
  CHECK(given(lookup("i32[2,2] 1", "f32[] 2")).rule(strip_table).refuses("8-bit integers"));
  CHECK(variants(strip_table, lookup("i8[2,2] {1, 2, -3, 4}", "f32[2] {0.5, 2}")));
}

TEST_CASE("what quantizes tables is undone", "[quantize]") {
  const std::string text = "opset 13; ids: i64[2]; y = Gather(f32[2,2] {1.27, 0.5, -0.27, 0.127}, ids)";
  for (const Granularity granularity : {Granularity::per_tensor, Granularity::per_channel}) {
    Model model = graph(text);
    CHECK(quantize_embeddings(granularity, targets::ort_cpu_x64, {.least_elements = 1}).run(model).changes == 1);
    CHECK(strip_qdq().run(model).changes == 1);
    CHECK(ops(model.graph()) == "Gather");
    CHECK(model.graph().first_node()->input(0)->constant()->to<float>()[0] == Approx(1.27));
  }
}
