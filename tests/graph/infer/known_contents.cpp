#include <graft/graph/infer/known_contents.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>
#include <graft/graph/infer.hpp>

using namespace graft;

namespace {

/// Shape(x) -> Gather(0) -> Unsqueeze -> Concat with {-1, 12}: what exporters write for x.view(x.size(0), -1, 12).
struct Chain {
  explicit Chain(Dim batch) : x(build.input("x", DType::f32, {batch, 3, 4})) {}
  Builder build{13};
  Value& x;
  Value& shape = build.op("Shape", {&x});
  Value& first = build.op("Gather", {&shape, &build.constant(Tensor::scalar<std::int64_t>(0), "zero")});
  Value& axis = build.constant(Tensor::of<std::int64_t>({1}, {0}), "axis");
  Value& rest = build.constant(Tensor::of<std::int64_t>({2}, {-1, 12}), "rest");
  Value& target = build.op("Concat", {&build.op("Unsqueeze", {&first, &axis}), &rest}, {{"axis", 0}});
};

}  // namespace

TEST_CASE("contents are followed from shapes through the arithmetic of exporters") {
  Chain chain(5);
  CHECK(known_ints(chain.target) == Ints{5, -1, 12});
  CHECK(known_ints(chain.first) == Ints{5});
  CHECK_FALSE(known_ints(chain.x));
}

TEST_CASE("symbols are followed as well") {
  Chain chain(Dim("N"));
  CHECK_FALSE(known_ints(chain.target));
  KnownContents known;
  const Contents* const contents = known.contents(chain.target);
  REQUIRE(contents != nullptr);
  CHECK(contents->dims == Dims{3});
  CHECK(contents->elements[0].symbol() == "N");
  CHECK(contents->elements[1].is(-1));
}

TEST_CASE("the answers follow edits of the model") {
  Chain chain(Dim("N"));
  KnownContents known;
  CHECK_FALSE(known.ints(chain.target));
  chain.build.graph().set_type(chain.x, tensor_type(DType::f32, Shape({7, 3, 4})));
  CHECK(known.ints(chain.target) == Ints{7, -1, 12});
  chain.build.graph().set_initializer(chain.rest, Tensor::of<std::int64_t>({1}, {84}));
  CHECK(known.ints(chain.target) == Ints{7, 84});
}

TEST_CASE("known contents outlast edits that declare to keep them") {
  Chain chain(5);
  const Model& model = chain.build.graph().model();
  KnownContents known;
  CHECK_FALSE(known.is_current(model));
  known.ints(chain.target);
  const std::size_t once = known.computed();
  CHECK(once > 4);
  CHECK(known.is_current(model));
  known.ints(chain.first);
  CHECK(known.computed() == once);
  chain.build.graph().insert("Relu", {&chain.x});
  CHECK_FALSE(known.is_current(model));
  known.keep(model);
  known.ints(chain.target);
  CHECK(known.computed() == once);
  chain.build.graph().insert("Relu", {&chain.x});
  known.ints(chain.target);
  CHECK(known.computed() == 2 * once);
}

TEST_CASE("a value of known shape has unknown elements") {
  Builder build(13);
  KnownContents known;
  const Contents* const some = known.contents(build.input("some", DType::i64, {2}));
  REQUIRE(some != nullptr);
  CHECK(some->elements == std::vector<Integer>(2));
  CHECK(known.contents(build.input("many", DType::i64, {contents_limit + 1})) == nullptr);
  CHECK(known.contents(build.input("any", DType::i64, {Dim("N")})) == nullptr);
  CHECK(known.contents(build.input("float", DType::f32, {2})) == nullptr);
  const std::int64_t huge = std::int64_t{1} << 62;
  CHECK(known.contents(build.input("huge", DType::i64, {huge, huge})) == nullptr);
}

TEST_CASE("large constants are not followed") {
  Builder build(13);
  KnownContents known;
  CHECK(known.contents(build.constant(Tensor(DType::i64, {contents_limit + 1}), "large")) == nullptr);
  CHECK(known.contents(build.constant(Tensor(DType::i64, {contents_limit}), "limit")) != nullptr);
}

TEST_CASE("an initializer that a caller may override is constant only if that is assumed") {
  Builder build(13);
  Value& x = build.input("x", DType::i64, {2});
  build.constant(Tensor::of<std::int64_t>({2}, {1, 2}), "fixed");
  Model model = build.build();
  onnx::ModelProto proto = model.commit();
  onnx::TensorProto& default_value = *proto.mutable_graph()->add_initializer();
  default_value = proto.graph().initializer(0);
  default_value.set_name(std::string(x.name()));
  Model overridable(std::move(proto));
  Value& value = *overridable.graph().find("x");
  CHECK_FALSE(known_ints(value));
  CHECK(KnownContents(true).ints(value) == Ints{1, 2});
  CHECK_FALSE(KnownContents(false).tensor(value));
  CHECK(KnownContents(true).tensor(value)->size() == 2);
}

TEST_CASE("a chain of any length is followed without recursion") {
  Builder build(13);
  Value& one = build.constant(Tensor::scalar<std::int64_t>(1), "one");
  Value* sum = &one;
  for (int i = 0; i < 100000; ++i) sum = &build.op("Add", {sum, &one});
  CHECK(known_ints(*sum) == Ints{100001});
}

TEST_CASE("malformed constants are errors") {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(13);
  onnx::TensorProto& tensor = *proto.mutable_graph()->add_initializer();
  tensor.set_name("short");
  tensor.set_data_type(7);
  tensor.add_dims(2);
  tensor.set_raw_data("1234");
  Model model(std::move(proto));
  CHECK_THROWS_AS(known_ints(*model.graph().find("short")), Error);
}

TEST_CASE("contents are kept up to a limit for the model as a whole; small ones beyond it") {
  Builder build(17);
  Value& shape = build.op("Shape", {&build.input("x", DType::f32, {2, 3})});
  Value& step = build.constant(Tensor::of<std::int64_t>({3}, {1, 2, 3}), "step");
  std::vector<Value*> large, small;
  for (std::size_t i = 0; i < 2 * kept_contents_limit / 1000; ++i) {
    Value& base = build.constant(Tensor(DType::i64, {1000}), "base" + std::to_string(i));
    large.push_back(&build.op("Concat", {&base, &shape}, {{"axis", 0}}));
    small.push_back(&build.op("Concat", {&shape, &step}, {{"axis", 0}}));
  }
  KnownContents known;
  std::size_t found = 0;
  for (const Value* const value : large) found += known.contents(*value) != nullptr;
  CHECK(found > kept_contents_limit / 3000);
  CHECK(found < large.size());
  for (const Value* const value : small) CHECK(known.ints(*value) == Ints{2, 3, 1, 2, 3});
  CHECK(known.kept() <= kept_contents_limit + 8 * small.size());
}
