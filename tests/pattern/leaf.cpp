#include <graft/pattern/leaf.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Small {
  Builder build{17};
  Value& in = build.input("in", DType::f32, {1, "N", 4});
  Value& two = build.constant(Tensor::of<float>({1}, {2}), "two");
  Value& mixed = build.constant(Tensor::of<float>({2, 2}, {1, -1, 2, 3}), "mixed");
  Value& ints_ = build.constant(Tensor::of<std::int64_t>({3}, {7, 7, 7}), "ints");
  Value& sum = build.op("Add", {&in, &two});
};

}  // namespace

TEST_CASE("val binds any value") {
  Small m;
  const auto found = match(op<"Add">(x, y), m.sum);
  REQUIRE(found);
  CHECK(&found[x] == &m.in);
  CHECK(&found[y] == &m.two);
}

TEST_CASE("a value captured twice is the same value") {
  Small m;
  Value& twice = m.build.op("Mul", {&m.in, &m.in});
  Value& other = m.build.op("Mul", {&m.in, &m.two});
  CHECK(match(op<"Mul">(x, x), twice));
  const auto refused = match(op<"Mul">(x, x), other);
  CHECK_FALSE(refused);
  CHECK(refused.failure().why == Why::other_value);
  CHECK(refused.reason().find("not what %x was bound to before") != std::string::npos);
}

TEST_CASE("cst binds constants only") {
  Small m;
  CHECK(match(op<"Add">(x, w), m.sum));
  const auto refused = match(op<"Add">(w, x), m.sum);
  CHECK_FALSE(refused);
  CHECK(refused.reason().find("graph input %in, expected a constant") != std::string::npos);
}

TEST_CASE("cst binds the output of Constant, and not an initializer that a caller can override") {
  Small m;
  Value& constant = m.build.op("Constant", {}, {{"value_float", 1.0f}});
  CHECK(match(op<"Add">(x, w), m.build.op("Add", {&m.in, &constant})));
  Value& input = m.build.input("two_again", DType::f32, {1});
  CHECK_FALSE(match(op<"Add">(x, w), m.build.op("Add", {&m.in, &input})));
}

TEST_CASE("a constant captured twice has the same dtype, shape and bytes") {
  Small m;
  const auto both = [&](Tensor first, Tensor second) {
    Value& p = m.build.graph().add_initializer(std::move(first), "p");
    Value& q = m.build.graph().add_initializer(std::move(second), "q");
    return bool(match(op<"Add">(w, w), m.build.op("Add", {&p, &q})));
  };
  CHECK(both(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {1, 2})));
  CHECK_FALSE(both(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {1, 3})));
  CHECK_FALSE(both(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1, 2}, {1, 2})));
  CHECK_FALSE(both(Tensor::of<std::int32_t>({1}, {0}), Tensor::of<float>({1}, {0})));
  CHECK_FALSE(both(Tensor::of<float>({1}, {0.0f}), Tensor::of<float>({1}, {-0.0f})));
}

TEST_CASE("any stands for one present value, none for an absent one") {
  Small m;
  Value& clip = m.build.op("Clip", {&m.in, nullptr, &m.two});
  CHECK(match(op<"Clip">(x, none, any), clip));
  const auto absent = match(op<"Clip">(x, any, any), clip);
  CHECK_FALSE(absent);
  CHECK(absent.reason().find("input 1 of Clip") != std::string::npos);
  CHECK(absent.reason().find("absent") != std::string::npos);
  const auto present = match(op<"Clip">(x, none, none), clip);
  CHECK_FALSE(present);
  CHECK(present.failure().why == Why::unexpected_input);
}

TEST_CASE("rest takes the remaining inputs, absent ones too") {
  Small m;
  Value& clip = m.build.op("Clip", {&m.in, nullptr, &m.two});
  const auto found = match(op<"Clip">(x, more), clip);
  REQUIRE(found);
  REQUIRE(found[more].size() == 2);
  CHECK(found[more][0] == nullptr);
  CHECK(found[more][1] == &m.two);
  CHECK(match(op<"Clip">(x, rest<>), clip));
  const auto nothing = match(op<"Clip">(x, any, any, more), m.build.op("Clip", {&m.in, &m.two, &m.two}));
  REQUIRE(nothing);
  CHECK(nothing[more].empty());
}

TEST_CASE("rest captured twice is the same list") {
  Small m;
  Value& first = m.build.op("Max", {&m.in, &m.two});
  Value& same = m.build.op("Max", {&m.in, &m.two});
  Value& other = m.build.op("Max", {&m.in, &m.mixed});
  CHECK(match(op<"Add">(op<"Max">(more), op<"Max">(more)), m.build.op("Add", {&first, &same})));
  CHECK_FALSE(match(op<"Sub">(op<"Max">(more), op<"Max">(more)), m.build.op("Sub", {&same, &other})));
}

TEST_CASE("rest stands at any position, and a pivot between two of them is searched for") {
  Small m;
  Value& inner = m.build.op("Concat", {&m.in, &m.two}, {{"axis", 0}});
  Value& outer = m.build.op("Concat", {&m.in, &m.two, &inner, &m.mixed}, {{"axis", 0}});
  const auto found = match(
      op<"Concat">(rest<"l">, op<"Concat">(rest<"mid">).with(axis), rest<"r">).with(axis), outer);
  REQUIRE(found);
  CHECK(found[rest<"l">].size() == 2);
  CHECK(found[rest<"mid">].size() == 2);
  REQUIRE(found[rest<"r">].size() == 1);
  CHECK(found[rest<"r">][0] == &m.mixed);

  const auto last = match(op<"Concat">(more, any, w), outer);
  REQUIRE(last);
  CHECK(last[more].size() == 2);
  CHECK_FALSE(match(op<"Concat">(rest<>, op<"Relu">(any), rest<>), outer));
}

TEST_CASE("two pivots are searched for in every combination") {
  Small m;
  Value& relu = m.build.op("Relu", {&m.in});
  Value& neg = m.build.op("Neg", {&m.two});
  Value& early = m.build.op("Relu", {&m.mixed});
  Value& outer = m.build.op("Concat", {&early, &neg, &relu, &m.two}, {{"axis", 0}});
  // The first Relu that fits the first place is not the one that fits the whole.
  const auto found = match(
      op<"Concat">(rest<"l">, op<"Relu">(x), rest<"mid">, val<"same">, rest<"r">).with(axis), outer);
  REQUIRE(found);
  CHECK(&found[x] == &m.mixed);
  CHECK(match(op<"Concat">(rest<>, op<"Neg">(any), op<"Relu">(any), rest<>), outer));
  CHECK_FALSE(match(op<"Concat">(rest<>, op<"Relu">(any), op<"Relu">(any), rest<>), outer));
}

TEST_CASE("a rank, a shape and a dtype can be wanted") {
  Small m;
  CHECK(match(op<"Add">(x.rank(3), any), m.sum));
  CHECK_FALSE(match(op<"Add">(x.rank(4), any), m.sum));
  CHECK(match(op<"Add">(x.shape(1, -1, 4), any), m.sum));
  CHECK_FALSE(match(op<"Add">(x.shape(1, 2, 4), any), m.sum));  // N is not known to be 2
  CHECK_FALSE(match(op<"Add">(x.shape(1, -1), any), m.sum));
  CHECK(match(op<"Add">(x.dtype(DType::f16, DType::f32), any), m.sum));
  const auto refused = match(op<"Add">(x.dtype(DType::u8, DType::i8), any), m.sum);
  CHECK_FALSE(refused);
  CHECK(refused.reason().find(" of f32[") != std::string::npos);
  CHECK(refused.reason().find("expected .dtype(u8, i8)") != std::string::npos);
}

TEST_CASE("a rank that is not known is not the wanted one") {
  Small m;
  Value& unknown = m.build.input("unknown", DType::f32);
  CHECK_FALSE(match(op<"Relu">(x.rank(0)), m.build.op("Relu", {&unknown})));
  CHECK_FALSE(match(op<"Relu">(x.scalar()), m.build.op("Relu", {&unknown})));
}

TEST_CASE("scalar is one element of rank 0 or 1") {
  Small m;
  const auto scalar_of = [&](Dims dims) {
    Value& value = m.build.graph().add_initializer(Tensor(DType::f32, std::move(dims)), "c");
    return bool(match(op<"Add">(x, w.scalar()), m.build.op("Add", {&m.in, &value})));
  };
  CHECK(scalar_of({}));
  CHECK(scalar_of({1}));
  CHECK_FALSE(scalar_of({1, 1}));
  CHECK_FALSE(scalar_of({2}));
}

TEST_CASE("positive and all_equal look at every element of a constant") {
  Small m;
  const auto add = [&](Value& value) -> Value& { return m.build.op("Add", {&m.in, &value}); };
  CHECK(match(op<"Add">(x, w.positive()), add(m.two)));
  CHECK_FALSE(match(op<"Add">(x, w.positive()), add(m.mixed)));
  CHECK(match(op<"Add">(x, w.all_equal(7)), add(m.ints_)));
  CHECK_FALSE(match(op<"Add">(x, w.all_equal(8)), add(m.ints_)));
  CHECK_FALSE(match(op<"Add">(x, y.positive()), add(m.in)));
  CHECK(match(op<"Add">(x, w.scalar().positive().all_equal(2)), add(m.two)));
}

TEST_CASE("known needs integers that are constant, or that follow from shapes") {
  Small m;
  Value& shape = m.build.op("Shape", {&m.in});
  Value& first = m.build.constant(Tensor::of<std::int64_t>({1}, {0}), "first");
  Value& second = m.build.constant(Tensor::of<std::int64_t>({1}, {1}), "second");
  const auto is_known = [&](Value& to) {
    return bool(match(op<"Reshape">(x, y.known()), m.build.op("Reshape", {&m.in, &to})));
  };
  CHECK_FALSE(is_known(shape));  // one of its elements is N
  CHECK(is_known(m.build.op("Gather", {&shape, &first})));
  CHECK_FALSE(is_known(m.build.op("Gather", {&shape, &second})));
  CHECK(match(op<"Reshape">(x, y.known()), m.build.op("Reshape", {&m.in, &m.ints_})));
  CHECK_FALSE(match(op<"Reshape">(x, y.known()), m.build.op("Reshape", {&m.in, &m.two})));
  CHECK_FALSE(match(op<"Reshape">(x, y.known()), m.build.op("Reshape", {&m.in, &m.in})));
}

namespace {

/// An initializer that cannot be read: of a dtype that nobody knows, of too few bytes, of a file that is not there.
onnx::TensorProto unreadable(std::string_view how) {
  onnx::TensorProto tensor;
  tensor.set_name("bad");
  tensor.add_dims(1);
  tensor.set_data_type(how == "dtype" ? 77 : onnx::TensorProto::FLOAT);
  tensor.set_raw_data(how == "size" ? "12" : "1234");
  if (how != "file") return tensor;
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("no_such_file.bin");
  return tensor;
}

}  // namespace

TEST_CASE("a constant that cannot be read does not match, and the reason says why") {
  const std::string how = GENERATE("dtype", "size", "file");
  INFO(how);
  Small m;
  Value& bad = m.build.graph().add_initializer(unreadable(how));
  const auto insert = [&](std::string_view op, std::vector<Value*> inputs) -> Node& {
    return m.build.graph().insert(op, inputs, 1);
  };
  Node& product = insert("Mul", {&m.in, &bad});
  const auto declines = [&](const auto& constrained) {
    const auto refused = match(op<"Mul">(x, constrained), product);
    CHECK_FALSE(refused);
    CHECK(refused.failure().why == Why::unreadable);
    const std::string why = how == "dtype"  ? "its dtype is 77"
                            : how == "size" ? "expected 4 bytes, found 2"
                                            : "external";
    CHECK_THAT(refused.reason(), Catch::Contains("constant %bad, which cannot be read: ") && Catch::Contains(why));
  };
  declines(w.positive());
  declines(w.all_equal(1));
  CHECK(match(op<"Mul">(x, w), product));
  CHECK_FALSE(match(op<"Mul">(x, w.dtype(DType::i64)), product));
  CHECK_FALSE(match(op<"Max">(w, w), insert("Max", {&m.two, &bad})));
  CHECK_FALSE(match(op<"Max">(w, w), insert("Max", {&bad, &m.two})));
  CHECK(match(op<"Max">(w, w), insert("Max", {&bad, &bad})));
}

TEST_CASE("known() of what is computed from a constant that cannot be read") {
  Small m;
  onnx::TensorProto tensor = unreadable("size");
  tensor.set_data_type(onnx::TensorProto::INT64);
  std::vector<Value*> bad{&m.build.graph().add_initializer(std::move(tensor))};
  std::vector<Value*> negated{m.build.graph().insert("Neg", bad, 1).output(0)};
  Node& filled = m.build.graph().insert("ConstantOfShape", negated, 1);
  CHECK(match(op<"ConstantOfShape">(x.known()), filled).failure().why == Why::unreadable);
}
