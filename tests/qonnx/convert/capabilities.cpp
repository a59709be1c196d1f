#include <graft/qonnx/convert/capabilities.hpp>

#include <map>
#include <sstream>
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>
#include <graft/testing.hpp>

#include "quants.hpp"

using namespace graft;
using qonnx::Capability;
using qonnx::Format;

namespace {

/// As Table I prints it, a letter for each column.
std::string row(Format format) {
  using enum Capability;
  const std::pair<Capability, char> columns[] = {
      {arbitrary_precision, 'A'}, {rounding_variants, 'R'}, {below_8_bits, 'B'}, {weights_only, 'W'},
      {no_duplication, 'D'},      {high_precision_output, 'H'}, {channel_wise_bit_width, 'C'}};
  std::string letters;
  for (const auto& [capability, letter] : columns)
    if (qonnx::capabilities(format).has(capability)) letters += letter;
  return letters;
}

bool accepts(const Pass& pass, const QuantText& quant) {
  Model model = graph(quant.text());
  return pass.run(model).changes == 1;
}

}  // namespace

TEST_CASE("the rows of Table I", "[qonnx][capabilities]") {
  CHECK(row(Format::qonnx) == "ARBWDHC");
  CHECK(row(Format::qcdq) == "BWDH");
  CHECK(row(Format::clipped_quantized_operators) == "B");
  CHECK(row(Format::qdq) == "WDH");
  CHECK(row(Format::integer_operators) == "H");
  CHECK(row(Format::quantized_operators).empty());
  CHECK(row(Format::floating).empty());
  CHECK(row(Format::mixed).empty());
}

TEST_CASE("conversions accept what the table has and decline what it lacks", "[qonnx][capabilities]") {
  const std::map<Capability, QuantText> needing = {
      {Capability::arbitrary_precision, {.bits = "f32[] 24", .opset = 21}},
      {Capability::rounding_variants, {.bits = "f32[] 8", .rounding = "FLOOR"}},
      {Capability::below_8_bits, {.bits = "f32[] 3"}},
      {Capability::high_precision_output, {.bits = "f32[] 8"}},
      {Capability::channel_wise_bit_width, {.bits = "f32[3] {8, 4, 8}"}},
  };
  const std::map<Format, Pass> conversions = {{Format::qcdq, qonnx::quant_to_qcdq()},
                                              {Format::qdq, qonnx::quant_to_qdq()}};
  for (const auto& [format, pass] : conversions) {
    for (const auto& [capability, quant] : needing) {
      INFO(format << ": " << capability);
      const bool has = qonnx::capabilities(format).has(capability);
      CHECK(accepts(pass, quant) == has);
      if (!has) CHECK(given(quant.text()).pass(pass).refuses(qonnx::lack(format, capability)));
    }
  }
}

TEST_CASE("weights alone are quantized, operators stay what they are", "[qonnx][capabilities]") {
  const std::pair<Format, Pass> conversions[] = {{Format::qcdq, qonnx::quant_to_qcdq()},
                                                 {Format::qdq, qonnx::quant_to_qdq()}};
  for (const auto& [format, pass] : conversions) {
    CHECK(qonnx::capabilities(format).has(Capability::weights_only));
    CHECK(qonnx::capabilities(format).has(Capability::no_duplication));
    CHECK(given("opset 13; x: f32[2,2]; w = f32[2,2] {-9, 0.5, 0, 9}; "
                "y = MatMul(x, qonnx.custom_op.general::Quant(w, f32[] 0.5, f32[] 0, f32[] 4))")
              .pass(pass)
              .becomes("opset 13; x: f32[2,2]; "
                       "y = MatMul(x, DequantizeLinear(i8[2,2] {-8, 1, 0, 7}, f32[] 0.5, i8[] 0))"));
  }
}

TEST_CASE("a format says what it lacks", "[qonnx][capabilities]") {
  CHECK(qonnx::lack(Format::qcdq, Capability::rounding_variants) == "QCDQ has no rounding variants");
  std::ostringstream out;
  out << Capability::below_8_bits;
  CHECK(out.str() == "widths below 8 bits");
}
