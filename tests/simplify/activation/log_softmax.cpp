#include <graft/simplify/activation.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("log_softmax keeps the axis, and its default") {
  const std::string head = "x: f32[2,3,N]; ";
  CHECK(given(head + "y = Log(Softmax(x) {axis=1})").rule(log_softmax).becomes(head + "y = LogSoftmax(x) {axis=1}"));
  CHECK(given(head + "y = Log(Softmax(x))").rule(log_softmax).becomes(head + "y = LogSoftmax(x)"));
  CHECK(given("opset 11; " + head + "y = Log(Softmax(x))")
            .rule(log_softmax)
            .becomes("opset 11; " + head + "y = LogSoftmax(x)"));
}

TEST_CASE("log_softmax through all variants") {
  const VariantReport report = variants(log_softmax, "x: f32[2,3,N]; t = Tanh(x); h = Softmax(t) {axis=1}; y = Log(h)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
}
