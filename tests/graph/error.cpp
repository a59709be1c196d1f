#include <graft/graph/error.hpp>

#include <catch2/catch.hpp>

using graft::Error;

TEST_CASE("an error names the file, the pass, the node and the field that are known") {
  CHECK(std::string(Error("broken").what()) == "broken");
  CHECK(std::string(Error("broken").field("pads").node("c1").file("m.onnx").what()) ==
        "m.onnx: node 'c1': pads: broken");
  CHECK(std::string(Error("broken").node("c1").pass("fold").what()) == "pass 'fold': node 'c1': broken");
}

TEST_CASE("what the innermost thrower has said of an error stays") {
  CHECK(Error("broken").node("inner").node("outer").node() == "inner");
}

TEST_CASE("an error has a code for programs if its thrower gives one") {
  CHECK(Error("broken").code().empty());
  CHECK(Error("broken").code("worn_out").node("n").code() == "worn_out");
}
