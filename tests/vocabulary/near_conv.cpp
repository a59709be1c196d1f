#include <graft/vocabulary/near_conv.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using namespace graft::vocabulary;

TEST_CASE("a Conv is near behind elementwise operators, and no others") {
  Model model = graph("x: f32[1,2,4,4]; w = f32[2,2,1,1] random; a = Abs(x); b = Relu(a); c = Add(b, b);"
                      "y = Conv(c, w); t = Transpose(a); z = Conv(t, w); n = Neg(x)");
  const auto value = [&](const char* name) -> Value& { return *model.graph().find(name); };
  CHECK(leads_to_conv(value("a")));
  CHECK(leads_to_conv(value("t")));
  CHECK_FALSE(leads_to_conv(value("y")));
  CHECK_FALSE(leads_to_conv(value("n")));
  CHECK(takes_depthwise_conv(value("a"), value("b")));
  CHECK(takes_depthwise_conv(value("x"), value("b")).reason().text == "its producer is not a node");
  CHECK(takes_depthwise_conv(value("a"), value("n")).reason().text == "no Conv reads it");
}

TEST_CASE("only the nearest operators are looked at") {
  const auto leads = [](int length) {
    std::string text = "x: f32[1,1,1,1]; w = f32[1,1,1,1] 1; v0 = Abs(x); ";
    for (int i = 0; i < length; ++i) text += "v" + std::to_string(i + 1) + " = Relu(v" + std::to_string(i) + "); ";
    Model model = graph(text + "y = Conv(v" + std::to_string(length) + ", w)");
    return leads_to_conv(*model.graph().find("v0"));
  };
  CHECK(leads(31));
  CHECK_FALSE(leads(32));
}
