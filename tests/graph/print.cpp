#include <graft/graph/print.hpp>

#include <sstream>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/problem.hpp>

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

namespace {

std::string streamed(const auto& thing) {
  std::ostringstream out;
  out << thing;
  return out.str();
}

}  // namespace

TEST_CASE("everything of a graph goes to a stream") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {1, "N", Dim()});
  Value& y = b.op("Relu", {&x});
  b.output(y, "y");
  CHECK(streamed(x) == "%x : f32[1,N,?]");
  CHECK(streamed(*y.producer()) == to_string(*y.producer()));
  CHECK(streamed(b.graph()) == to_string(b.graph()));
  CHECK(streamed(x.shape()) == "[1,N,?]");
  CHECK(streamed(x.shape()[1]) == "N");
  CHECK(streamed(x.dtype()) == "f32");
  CHECK(streamed(Attribute("axis", 1)) == "axis=1");
  CHECK(streamed(OpName::parse("my::Op")) == "my::Op");
  CHECK(streamed(OpName::parse("ai.onnx::Relu")) == "Relu");
  CHECK(streamed(Verdict::yes()) == "yes");
  CHECK(streamed(Verdict::no("the axis differs")) == "no: the axis differs");
  CHECK(streamed(Verdict::no("the axis differs").reason()) == "the axis differs");
  CHECK(streamed(Problem{&b.graph(), nullptr, "has a cycle"}) == "graph 'graph': has a cycle");
  Model model = b.build();
  model.set_opset(1, "my");
  CHECK(streamed(model) == "model, IR version 8, opset 17\n" + to_string(model.graph()));
  model.commit();
  CHECK(streamed(model) == "model, IR version 8, opset 17, my 1\n" + to_string(model.graph()));
}

TEST_CASE("a tensor prints its type and its first elements") {
  CHECK(streamed(Tensor()) == "undefined");
  CHECK(streamed(Tensor::scalar(1.5f)) == "f32[] [1.5]");
  CHECK(streamed(Tensor::of<std::int64_t>({2}, {-1, 9007199254740993})) == "i64[2] [-1,9007199254740993]");
  CHECK(streamed(Tensor(DType::i4, {3})) == "i4[3] [0,0,0]");
  CHECK(streamed(Tensor(DType::f32, {0, 3})) == "f32[0,3]");
  CHECK(streamed(Tensor(DType::c64, {1})) == "c64[1]");
  CHECK_THAT(streamed(Tensor(DType::u8, {1000})), Catch::Matchers::EndsWith("0,...]"));
}
