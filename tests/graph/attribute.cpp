#include <graft/graph/attribute.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using graft::Attribute;
using graft::Attributes;
using graft::DType;
using graft::Ints;
using graft::Tensor;
using A = onnx::AttributeProto;

TEST_CASE("an attribute is of the kind of its value") {
  const Attributes list{{"i", 3},
                        {"big", std::size_t{1} << 40},
                        {"flag", true},
                        {"to", DType::bf16},
                        {"f", 0.5f},
                        {"d", 0.25},
                        {"s", "text"},
                        {"string", std::string("text")},
                        {"ints", {1, -2}},
                        {"one", {4}},
                        {"none", Ints{}},
                        {"floats", {0.5f, 1.f}},
                        {"doubles", {0.5, 1.0}},
                        {"strings", {"a", "b"}},
                        {"t", Tensor::scalar(2.f)},
                        {"tp", onnx::TensorProto()},
                        {"g", onnx::GraphProto()}};
  const std::vector<A::AttributeType> kinds{A::INT,    A::INT,    A::INT,  A::INT,    A::FLOAT,  A::FLOAT,
                                            A::STRING, A::STRING, A::INTS, A::INTS,   A::INTS,   A::FLOATS,
                                            A::FLOATS, A::STRINGS, A::TENSOR, A::TENSOR, A::GRAPH};
  REQUIRE(list.size() == kinds.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    INFO(list[i].name());
    CHECK(list[i].proto().type() == kinds[i]);
    CHECK(list[i].proto().name() == list[i].name());
  }
  CHECK(list[0].proto().i() == 3);
  CHECK(list[1].proto().i() == std::int64_t{1} << 40);
  CHECK(list[2].proto().i() == 1);
  CHECK(list[3].proto().i() == 16);
  CHECK(list[5].proto().f() == 0.25f);
  CHECK(list[6].proto().s() == "text");
  CHECK(list[8].proto().ints(1) == -2);
  CHECK(list[9].proto().ints_size() == 1);
  CHECK(list[12].proto().floats(0) == 0.5f);
  CHECK(list[13].proto().strings(1) == "b");
  CHECK(graft::read_tensor(list[14].proto().t()).item<float>() == 2.f);
}

TEST_CASE("a list of one string attribute is not a pair of iterators") {
  const auto count = [](const Attributes& list) { return list.size(); };
  CHECK(count({{"mode", "constant"}}) == 1);
  CHECK(count({{"mode", "constant"}, {"axis", 0}}) == 2);
  CHECK(count({}) == 0);
}

TEST_CASE("a proto can be given another name") {
  const Attribute attribute("to", Attribute("from", 7).proto());
  CHECK(attribute.name() == "to");
  CHECK(attribute.proto().i() == 7);
}
