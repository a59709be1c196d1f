#include <graft/pattern/link.hpp>

#include <utility>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

TEST_CASE("a linked pattern knows its operators by the model's ids") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  const OpId relu = build.op("Relu", {&in}).producer()->op();
  const OpId neg = build.op("Neg", {&in}).producer()->op();
  const OpId exp = build.op("Exp", {&in}).producer()->op();
  constexpr auto q = query<"q">(one_of<"Relu", "Neg">(op<"Exp">(any_op(x))));
  const Linked linked(q, build.graph().model());
  CHECK(linked.accepts(0, relu));
  CHECK(linked.accepts(0, neg));
  CHECK_FALSE(linked.accepts(0, exp));
  CHECK(linked.accepts(1, exp));
  CHECK_FALSE(linked.accepts(1, relu));
  CHECK(linked.accepts(2, relu));
  CHECK(linked.may_be_root(neg));
  CHECK_FALSE(linked.may_be_root(exp));
  CHECK_FALSE(linked.any_root());
  CHECK(linked.root_ops().size() == 2);
}

TEST_CASE("who only reads makes no operator known to a model, who edits makes those of the pattern") {
  Builder build(17);
  build.input("in", DType::f32, {2});
  Model& model = build.graph().model();
  constexpr auto q = query<"q">(op<"Relu">(op<"Exp">(x)));
  const Linked reader(q, std::as_const(model));
  CHECK(model.find_op("Relu") == OpId::none);
  const Linked editor(q, model);
  const OpId relu = model.find_op("Relu");
  CHECK(relu != OpId::none);
  CHECK(model.find_op("Exp") != OpId::none);
  CHECK(editor.may_be_root(relu));
  CHECK_FALSE(reader.may_be_root(relu));
}
