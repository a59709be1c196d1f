#include <graft/rewrite/edits.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("a rewrite tells what it touched") {
  Small m;
  Value& relu = m.op("Relu", {&m.in});
  Value& tanh = m.op("Tanh", {&relu});
  Model model = m.finish(m.op("Neg", {&tanh}));
  Context context;
  Rewriter rw(model.graph(), context);
  CHECK(rw.edits().empty());
  rw.at(*tanh.producer());
  Value& sin = rw.op("Sin", {&relu});
  CHECK(rw.replace(tanh, sin));
  rw.erase(*tanh.producer());
  CHECK(rw.accept());
  CHECK(rw.edits().inserted == std::vector<Node*>{sin.producer()});
  CHECK(rw.edits().changed == std::vector<Node*>{model.graph().last_node()});
  CHECK(rw.edits().freed == std::vector<Value*>{&tanh, &relu});
  rw.rollback();
  CHECK(rw.edits().empty());
}
