#include <graft/graph/value.hpp>

#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/transaction.hpp>

using namespace graft;

TEST_CASE("an Identity of a constant is constant, in every form that Constant has") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  const auto constant = [&](const Attributes& attributes) -> Value& {
    return b.op("Identity", {&b.op("Identity", {&b.op("Constant", {}, attributes)})});
  };
  CHECK(constant({{"value", Tensor::of<float>({2}, {1, 2})}}).constant()->to<float>() == std::vector<float>{1, 2});
  CHECK(constant({{"value_float", 2.5f}}).constant()->item<float>() == 2.5f);
  CHECK(constant({{"value_ints", Ints{3, 4}}}).constant()->to<std::int64_t>() == std::vector<std::int64_t>{3, 4});
  CHECK_FALSE(constant({{"value_string", "text"}}).constant());
  CHECK_FALSE(b.op("Identity", {&x}).is_constant());
}

TEST_CASE("uses can be relinked while they are walked") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  Value& other = b.input("other", DType::f32, {2});
  for (int i = 0; i < 4; ++i) b.op("Mul", {&x, &x});
  CHECK(x.use_count() == 8);
  for (Use& use : x.uses())
    if (use.index() == 1) CHECK(b.graph().set_input(use, &other));
  CHECK(x.use_count() == 4);
  CHECK(other.use_count() == 4);
}

namespace {

/// Identity of Identity ... of a value; all that they compute.
std::vector<Value*> identities(Builder& b, Value& first, std::size_t count) {
  std::vector<Value*> chain{&first};
  while (chain.size() <= count) chain.push_back(&b.op("Identity", {chain.back()}));
  return chain;
}

}  // namespace

TEST_CASE("a long chain of Identity is walked once, not once for each of its values") {
  Builder b(17);
  // Walked each time, the chain would be walked for minutes.
  const auto chain = identities(b, b.constant(Tensor::scalar(1.0f), "w"), 100'000);
  bool all = true;
  for (const Value* const value : chain) all = all && value->is_constant();
  CHECK(all);
}

TEST_CASE("what a long chain of Identity begins with follows its edits") {
  Builder b(17);
  Graph& graph = b.graph();
  Value& x = b.input("x", DType::f32, {1});
  Value& w = b.constant(Tensor::of<float>({1}, {3}), "w");
  const auto chain = identities(b, x, 100);
  const Value& last = *chain.back();
  Node& middle = *chain[50]->producer();
  CHECK_FALSE(last.is_constant());
  CHECK(graph.set_input(middle, 0, &w));
  CHECK(last.constant()->item<float>() == 3);
  {
    Transaction transaction(graph);
    CHECK(graph.set_input(middle, 0, &x));
    CHECK_FALSE(last.is_constant());
  }
  CHECK(last.is_constant());
  {
    Transaction transaction(graph);
    graph.set_op(middle, "Neg");
    CHECK_FALSE(last.is_constant());
  }
  CHECK(last.is_constant());
  graph.resize_inputs(middle, 0);
  CHECK_FALSE(last.is_constant());
  graph.resize_inputs(middle, 1);
  CHECK(graph.set_input(middle, 0, &w));
  CHECK(last.is_constant());
  CHECK(graph.replace_uses(w, x));
  CHECK_FALSE(last.is_constant());
}

TEST_CASE("users are the nodes that read a value, once for each input") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  CHECK(x.users().empty());
  CHECK_FALSE(x.is_used());
  Node& neg = *b.op("Neg", {&x}).producer();
  CHECK(x.has_one_use());
  CHECK(&x.users().front() == &neg);
  b.output(x);
  CHECK_FALSE(x.has_one_use());
  Node& square = *b.op("Mul", {&x, &x}).producer();
  std::vector<Node*> users;
  for (Node& user : x.users()) users.push_back(&user);
  CHECK(users == std::vector<Node*>{&neg, &square, &square});
  Value& output_only = neg.output();
  b.output(output_only, "y");
  CHECK(output_only.users().empty());
  CHECK(output_only.is_used());
}

TEST_CASE("users can be rewired and erased while they are walked") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  Value& other = b.input("other", DType::f32, {2});
  for (int i = 0; i < 3; ++i) b.op("Neg", {&x});
  b.op("Abs", {&x});
  for (Node& user : x.users()) {
    if (user.is("Abs")) CHECK(b.graph().set_input(user, 0, &other));
    else b.graph().erase(user);
  }
  CHECK_FALSE(x.is_used());
  CHECK(b.graph().nodes().size() == 1);
}
