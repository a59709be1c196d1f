#include <graft/graph/value.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

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
