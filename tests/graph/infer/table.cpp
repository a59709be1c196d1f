#include <graft/graph/infer/table.hpp>

#include <span>
#include <string_view>

#include <catch2/catch.hpp>

#include <graft/graph/schema.hpp>

using namespace graft;

TEST_CASE("rules are found by domain and operator") {
  REQUIRE(infer::find_rule("", "Conv") != nullptr);
  CHECK(infer::find_rule("", "Conv")->types == infer::conv);
  CHECK(infer::find_rule("com.microsoft", "QLinearConv") != nullptr);
  CHECK(infer::find_rule("com.microsoft", "Conv") == nullptr);
  CHECK(infer::find_rule("qonnx.custom_op.general", "Quant") != nullptr);
  CHECK(infer::find_rule("", "NoSuchOperator") == nullptr);
  CHECK(infer::find_rule("my", "Conv") == nullptr);
  CHECK(infer::find_rule("", "Abs") != nullptr);
  CHECK(infer::find_rule("", "Xor") != nullptr);
}

TEST_CASE("every rule is of an operator that there is, and every operator of ONNX and ONNX Runtime has a rule") {
  const auto has_schemas = [](std::string_view domain, std::span<const infer::OperatorRule> rules) {
    for (const infer::OperatorRule& rule : rules) {
      INFO(rule.op_type);
      CHECK(schema::find(domain, rule.op_type, schema::newest_opset) != nullptr);
    }
  };
  has_schemas("", infer::main_domain);
  has_schemas("com.microsoft", infer::microsoft_domain);
  for (const std::string_view domain : infer::qonnx_domains) has_schemas(domain, infer::qonnx_domain);
  for (const schema::Operator& op : detail::schema_facts::operators) {
    if (!op.domain().empty() && op.domain() != "com.microsoft") continue;  // QONNX has functions of its own
    INFO(op.domain() << "::" << op.op_type());
    CHECK(infer::find_rule(op.domain(), op.op_type()) != nullptr);
  }
}
