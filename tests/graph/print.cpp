#include <graft/graph/print.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;
using Catch::Matchers::Contains;

TEST_CASE("a node prints on one line") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {1, 3, 8, 8});
  Value& w = b.constant(Tensor(DType::f32, {4, 3, 1, 1}), "w");
  Value& y = b.op("Conv", {&x, &w}, {{"strides", Ints{2, 2}}, {"auto_pad", "VALID"}});
  b.output(y, "y");
  b.graph().set_type(y, tensor_type(DType::f32, Shape(std::vector<Dim>{1, 4, 4, 4})));
  CHECK(to_string(*y.producer()) == "%y = Conv(%x, %w) {strides=[2,2], auto_pad=\"VALID\"} : f32[1,4,4,4]");
  CHECK(to_string(b.graph()) ==
        "graph graph(%x : f32[1,3,8,8]) {\n"
        "  %w = initializer : f32[4,3,1,1]\n"
        "  %y = Conv(%x, %w) {strides=[2,2], auto_pad=\"VALID\"} : f32[1,4,4,4]  # Conv__1\n"
        "  return %y\n"
        "}\n");
}

TEST_CASE("absent inputs, domains and long lists print short") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  CHECK_THAT(to_string(*b.op("Clip", {&x, nullptr, &x}).producer()), Contains("Clip(%x, _, %x)"));
  CHECK_THAT(to_string(*b.op("my::Op", {&x}, {{"many", Ints(40, 1)}}).producer()),
             Contains("my::Op(%x)") && Contains(",...]"));
}

TEST_CASE("a graph shows how a node is called, unless its output tells it") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  Value& y = b.op("Relu", {&x});
  b.output(y, "y");
  const auto line = [&](const char* name) {
    b.graph().rename(*y.producer(), name);
    const std::string text = to_string(b.graph());
    return text.substr(text.find("%y = "), text.find("  return") - text.find("%y = "));
  };
  CHECK(line("act") == "%y = Relu(%x)  # act\n");
  CHECK(line("y") == "%y = Relu(%x)\n");
  CHECK(line("") == "%y = Relu(%x)\n");
}
