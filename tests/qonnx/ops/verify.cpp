// What the schema says of the operators of QONNX, in each spelling of their domain.
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/definitions.hpp>

using namespace graft;

namespace {

Model quant_of(std::string_view op, std::size_t parameters, const Attributes& attributes, DType bits = DType::f32,
               int opset = 1) {
  Builder b(13);
  const OpName name = OpName::parse(op);
  b.import(name.domain, opset);
  std::vector<Value*> inputs{&b.input("x", DType::f32, {2, 3})};
  for (std::size_t i = 0; i < parameters; ++i)
    inputs.push_back(&b.input("p" + std::to_string(i), i + 1 == parameters ? bits : DType::f32, {}));
  Node& node = b.graph().insert(op, inputs, 1, attributes);
  b.output(*node.output(0), "y");
  return b.build();
}

std::string problems(Model model) {
  std::string text;
  for (const Problem& problem : verify(model.graph())) text += to_string(problem) + "\n";
  return text;
}

}  // namespace

TEST_CASE("the schema knows QONNX's operators, their versions and defaults", "[qonnx]") {
  for (const std::string_view domain : qonnx::domains) {
    for (const std::string_view op : {"Quant", "IntQuant"}) {
      const schema::Operator* const quant = schema::find(domain, op, 1);
      REQUIRE(quant != nullptr);
      CHECK(quant->attribute("signed")->default_as<std::int64_t>() == 1);
      CHECK(quant->attribute("narrow")->default_as<std::int64_t>() == 0);
      CHECK(quant->attribute("rounding_mode")->default_as<std::string>() == "ROUND");
      CHECK(quant->input(3)->name() == "bitwidth");
    }
    CHECK(schema::find(domain, "Trunc", 1)->max_inputs == 5);
    CHECK(schema::find(domain, "Trunc", 2)->max_inputs == 6);
    CHECK(schema::find(domain, "Trunc", 1)->attribute("rounding_mode")->default_as<std::string>() == "FLOOR");
    CHECK(schema::find(domain, "Trunc", 1)->attribute("signed") == nullptr);
    CHECK(schema::find(domain, "Trunc", 0) == nullptr);
    CHECK(schema::find(domain, "MultiThreshold", 1)->attribute("out_scale")->default_as<float>() == 1);
  }
  CHECK(schema::find(qonnx::channels_last_domain, "Conv", 11)->attribute("group")->default_as<std::int64_t>() == 1);
  CHECK(schema::find(qonnx::channels_last_domain, "MaxPool", 13)->max_outputs == 1);
}

TEST_CASE("parameters of quantizers may be integers of any width", "[qonnx]") {
  for (const DType dtype : {DType::i2, DType::u2, DType::i4, DType::u4, DType::i8, DType::u16, DType::i32, DType::u64})
    CHECK(problems(quant_of("qonnx.custom_op.general::Quant", 3, {}, dtype)) == "");
  CHECK_FALSE(problems(quant_of("qonnx.custom_op.general::Quant", 3, {}, DType::f16)).empty());
}

TEST_CASE("every operator that the schema knows is inferred and run", "[qonnx]") {
  int count = 0;
  for (const schema::Operator& op : graft::detail::schema_facts::operators) {
    if (!qonnx::is_qonnx_domain(op.domain()) && op.domain() != qonnx::channels_last_domain) continue;
    const std::string name = to_string(OpName{op.domain(), op.op_type()});
    INFO(name);
    CHECK(qonnx::kernels().find(op.domain(), op.op_type(), op.since_version) != nullptr);
    CHECK(qonnx::operators().shape(op.domain(), op.op_type()) != nullptr);
    ++count;
  }
  CHECK(count > 30);
}

TEST_CASE("verify accepts QONNX's operators and says what is wrong with one", "[qonnx]") {
  for (const std::string_view domain : qonnx::domains) {
    const std::string quant = std::string(domain) + "::Quant";
    CHECK(problems(quant_of(quant, 3, {{"signed", 0}, {"narrow", 1}, {"rounding_mode", "FLOOR"}})) == "");
    CHECK_THAT(problems(quant_of(quant, 2, {})), Catch::Contains("takes no 3 inputs"));
    CHECK_THAT(problems(quant_of(quant, 3, {{"narow", 1}})), Catch::Contains("narow"));
    CHECK_THAT(problems(quant_of(quant, 3, {{"narrow", 1.0F}})), Catch::Contains("narrow"));
    CHECK(problems(quant_of(quant, 3, {}, DType::i32)) == "");  // as exporters write widths
    CHECK_THAT(problems(quant_of(quant, 3, {}, DType::f64)), Catch::Contains("f64"));
    const std::string trunc = std::string(domain) + "::Trunc";
    CHECK(problems(quant_of(trunc, 4, {})) == "");
    CHECK(problems(quant_of(trunc, 5, {}, DType::f32, 2)) == "");
    CHECK_THAT(problems(quant_of(trunc, 5, {})), Catch::Contains("takes no 6 inputs"));
  }
}
