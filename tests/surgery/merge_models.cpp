#include <graft/surgery/merge_models.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"
#include "support/error_of.hpp"
#include "support/folder.hpp"

using namespace graft;
using Catch::Contains;

namespace {

Model merged(const std::string& first, const std::string& second, const MergeOptions& options = {}) {
  Model one = graph(first), other = graph(second);
  const std::string before = one.serialize() + other.serialize();
  Model model = merge_models(one, other, options);
  CHECK(one.serialize() + other.serialize() == before);
  CHECK(unsound(model).empty());
  return model;
}

std::string why_not(const std::string& first, const std::string& second, const MergeOptions& options = {}) {
  Model one = graph(first), other = graph(second);
  return error_of([&] { merge_models(one, other, options); });
}

std::string names(const auto& infos) {
  std::string text;
  for (const auto& info : infos) text += info.name() + " ";
  return text;
}

}  // namespace

TEST_CASE("outputs feed the inputs of their name", "[merge_models]") {
  Model model = merged("x: f32[2]; h = Neg(x); r = Abs(x); return h, r", "h: f32[2]; z: f32[2]; y = Add(h, z)");
  CHECK(isomorphic(graph("x: f32[2]; z: f32[2]; h = Neg(x); r = Abs(x); y = Add(h, z); return r, y"), model));
  CHECK(names(model.proto().graph().input()) == "x z ");
  CHECK(names(model.proto().graph().output()) == "r y ");
  Model kept = merged("x: f32[2]; h = Neg(x)", "h: f32[2]; y = Abs(h)", {.keeps_connected = true});
  CHECK(names(kept.proto().graph().output()) == "h y ");
}

TEST_CASE("by connections, one output for several inputs, or in order", "[merge_models]") {
  Model named = merged("x: f32[2]; h = Neg(x)", "a: f32[2]; b: f32[2]; y = Sub(a, b)",
                       {.connections = {{"h", "a"}, {"h", "b"}}});
  CHECK(isomorphic(graph("x: f32[2]; h = Neg(x); y = Sub(h, h)"), named));
  Model ordered = merged("x: f32[2]; h = Neg(x); g = Abs(x); return h, g", "a: f32[2]; b: f32[2]; y = Sub(a, b)");
  CHECK(isomorphic(graph("x: f32[2]; h = Neg(x); g = Abs(x); y = Sub(h, g)"), ordered));
}

TEST_CASE("what bodies hand out of an input that is fed twice", "[merge_models]") {
  Model model = merged("x: f32[2]; h = Neg(x)",
                       "a: f32[2]; b: f32[2]; c: bool[]; u = Add(a, b); y = If(c) {then_branch={ return b }, "
                       "else_branch={ e = Exp(u) }}",
                       {.connections = {{"h", "a"}, {"h", "b"}}});
  CHECK(isomorphic(graph("x: f32[2]; c: bool[]; h = Neg(x); u = Add(h, h); y = If(c) {then_branch={ return h }, "
                         "else_branch={ e = Exp(u) }}"),
                   model));
}

TEST_CASE("names of the second that mean something else in the first get a prefix", "[merge_models]") {
  Model model = merged(
      "x: f32[2]; c: bool[]; w = f32[2] 1; y = Add(x, w); t = If(c) {then_branch={ i = Neg(y) }, else_branch={ j = "
      "Abs(y) "
      "}}; return y, t",
      "y: f32[2]; x: f32[2]; c: bool[]; w = f32[2] 2; h = Mul(y, w); t = If(c) {then_branch={ i = Add(h, x) }, "
      "else_branch={ j = Sub(h, x) }}",
      {.connections = {{"y", "y"}}, .prefix = "b/"});
  CHECK(names(model.proto().graph().input()) == "x c b/x b/c ");
  CHECK(names(model.proto().graph().output()) == "t b/t ");
  CHECK(isomorphic(graph("x: f32[2]; c: bool[]; x2: f32[2]; c2: bool[]; w = f32[2] 1; y = Add(x, w); t = If(c) "
                         "{then_branch={ i = Neg(y) }, else_branch={ j = Abs(y) }}; w2 = f32[2] 2; h = Mul(y, w2); "
                         "t2 = "
                         "If(c2) {then_branch={ i2 = Add(h, x2) }, else_branch={ j2 = Sub(h, x2) }}; return t, t2"),
                   model));
}

TEST_CASE("an input of the second that it hands out stays its output", "[merge_models]") {
  Model model = merged("x: f32[2]; h = Neg(x)", "in: f32[2]; y = Abs(in); return in, "
                       "y", {.connections = {{"h", "in"}}});
  CHECK(names(model.proto().graph().output()) == "in y ");
  CHECK(isomorphic(graph("x: f32[2]; h = Neg(x); o = Identity(h); y = Abs(h); return o, y"), model));
}

TEST_CASE("inputs of one name may be one", "[merge_models]") {
  const std::string first = "x: f32[2]; w: f32[2] = 1; h = Add(x, w)",
                    second = "x: f32[2]; h: f32[2]; w: f32[2] = 1; y = Sum(x, h, w); return y, x";
  Model model = merged(first, second, {.shares_inputs = true});
  CHECK(isomorphic(graph("x: f32[2]; w: f32[2] = 1; h = Add(x, w); y = Sum(x, h, w); return y, x"), model));
  CHECK(names(merged(first, second).proto().graph().input()) == "x w second_x second_w ");
  CHECK_THAT(why_not(first, "x: i64[2]; h: f32[2]; y = Neg(h); v = Neg(x)", {.shares_inputs = true}),
             Contains("x: takes i64[2]"));
}

TEST_CASE("a default of an input that is fed goes", "[merge_models]") {
  Model model = merged("x: f32[2]; h = Neg(x)", "h: f32[2] = 4; w: f32[2] = 5; y = Add(h, w)");
  CHECK(isomorphic(graph("x: f32[2]; w: f32[2] = 5; h = Neg(x); y = Add(h, w)"), model));
}

TEST_CASE("one symbol is one size", "[merge_models]") {
  Model model = merged("x: f32[N,M]; h = Neg(x)", "h: f32[B,4]; z: f32[N]; y = Abs(h); v = Neg(z)", {.prefix = "b_"});
  const onnx::GraphProto& proto = model.proto().graph();
  CHECK(to_string(proto.input(0).type()) == "f32[N,M]");
  CHECK(to_string(proto.input(1).type()) == "f32[b_N]");
  CHECK(to_string(proto.output(0).type()) == "f32[N,4]");
  CHECK(to_string(proto.output(1).type()) == "f32[b_N]");
  Model fixed = merged("x: f32[2]; h = Neg(x)", "h: f32[B]; z: f32[B]; y = Add(h, z)");
  CHECK(to_string(fixed.proto().graph().input(1).type()) == "f32[2]");
  CHECK(to_string(fixed.proto().graph().output(0).type()) == "f32[2]");
}

TEST_CASE("versions agree, or are raised", "[merge_models]") {
  Model model = merged("opset 11; x: f32[1,2]; h = Squeeze(x) {axes=[0]}", "opset 13; h: f32[2]; y = Unsqueeze(h, "
                       "i64[1] 0)");
  CHECK(model.opset() == 13);
  CHECK(isomorphic(graph("opset 13; x: f32[1,2]; y = Unsqueeze(Squeeze(x, i64[1] 0), i64[1] 0)"), model));
  CHECK(merged("opset 17; x: f32[2]; h = Neg(x)", "opset 17; opset own 3; h: f32[2]; y = "
               "Neg(own::Op(h))").opset("own") == 3);
  CHECK_THAT(why_not("opset 17; opset own 2; x: f32[2]; h = Neg(own::Op(x))",
                     "opset 17; opset own 3; h: f32; y = Neg(own::Op(h))"),
             Contains("two versions"));
}

namespace {

/// The model with a function own::F, which does one operator, and an author.
Model with_function(const std::string& text, const std::string& op, const std::string& value) {
  onnx::ModelProto proto = graph(text).commit();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("own");
  function.set_name("F");
  function.add_input("a");
  function.add_output("b");
  function.add_opset_import()->set_version(17);
  onnx::NodeProto& node = *function.add_node();
  node.set_op_type(op);
  node.add_input("a");
  node.add_output("b");
  onnx::StringStringEntryProto& entry = *proto.add_metadata_props();
  entry.set_key("author");
  entry.set_value(value);
  return Model(std::move(proto));
}

}  // namespace

TEST_CASE("functions and metadata of both stay", "[merge_models]") {
  const std::string first = "x: f32[2]; h = own::F(x)", second = "h: f32[2]; y = own::F(h)";
  Model neg = with_function(first, "Neg", "me"), same = with_function(second, "Neg", "me"),
        abs = with_function(second, "Abs", "you");
  Model equal = merge_models(neg, same);
  CHECK(equal.functions().size() == 1);
  CHECK(equal.proto().metadata_props_size() == 1);
  Model apart = merge_models(neg, abs);
  CHECK(unsound(apart).empty());
  REQUIRE(apart.functions().size() == 2);
  CHECK(apart.proto().graph().node(1).op_type() == "second_F");
  REQUIRE(apart.proto().metadata_props_size() == 2);
  CHECK(apart.proto().metadata_props(1).key() == "second_author");
  inline_functions().run(apart);
  const auto results = Evaluator(apart.graph()).run({{"x", Tensor::of<float>({2}, {1, -2})}});
  CHECK(results[0].same_bytes(Tensor::of<float>({2}, {1, 2})));
}

TEST_CASE("functions and metadata of three models stay apart", "[merge_models]") {
  Model neg = with_function("x: f32[2]; h = own::F(x)", "Neg", "me"),
        abs = with_function("h: f32[2]; g = own::F(h)", "Abs", "you"),
        exp = with_function("g: f32[2]; y = own::F(g)", "Exp", "them");
  Model two = merge_models(neg, abs), all = merge_models(two, exp);
  CHECK(unsound(all).empty());
  CHECK(names(all.proto().functions()) == "F second_F second_second_F ");
  std::string keys;
  for (const auto& entry : all.proto().metadata_props()) keys += entry.key() + "=" + entry.value() + " ";
  CHECK(keys == "author=me second_author=you second_second_author=them ");
  inline_functions().run(all);
  const auto results = Evaluator(all.graph()).run({{"x", Tensor::of<float>({2}, {0, 0})}});
  CHECK(results[0].same_bytes(Tensor::of<float>({2}, {1, 1})));

  Model bare = merge_models(neg, abs, {.prefix = ""});
  CHECK(names(bare.proto().functions()) == "F F_ ");
}

TEST_CASE("what does not fit is an error", "[merge_models]") {
  const std::string first = "x: f32[2]; h = Neg(x); g = Abs(x); return h, g";
  CHECK_THAT(why_not(first, "h: i64[2]; y = Neg(h)"), Contains("h: takes i64[2], and 'h' is f32[2]"));
  CHECK_THAT(why_not(first, "h: f32[3]; y = Neg(h)"), Contains("takes f32[3]"));
  CHECK_THAT(why_not(first, "h: f32[2,1]; y = Neg(h)"), Contains("takes f32[2,1]"));
  CHECK_THAT(why_not(first, "a: f32[2]; y = Neg(a)"), Contains("their numbers differ"));
  CHECK_THAT(why_not(first, "a: f32[2]; y = Neg(a)", {.connections = {{"q", "a"}}}), Contains("q: is not an output"));
  CHECK_THAT(why_not(first, "a: f32[2]; y = Neg(a)", {.connections = {{"h", "q"}}}), Contains("q: is not an input"));
  CHECK_THAT(why_not(first, "a: f32[2]; y = Neg(a)", {.connections = {{"h", "a"}, {"g", "a"}}}),
             Contains("two connections"));
}

namespace {

/// y = Add(input, w) in folder/name/m.onnx, its w of that value in folder/name.data: outside the model's folder.
Model reading_outside(const Folder& folder, const std::string& name, const std::string& input, float value,
                      const LoadOptions& options) {
  const std::string w = "w = f32[2] " + std::to_string(value) + "; ", y = input + "_" + name;
  onnx::ModelProto proto = graph(input + ": f32[2]; " + w + y + " = Add(" + input + ", w)").commit();
  onnx::TensorProto& weight = *proto.mutable_graph()->mutable_initializer(0);
  std::filesystem::create_directories(folder / "models");
  write_file(folder / (name + ".data"), weight.raw_data());
  weight.clear_raw_data();
  set_external_location(weight, {.location = "../" + name + ".data"});
  const std::filesystem::path file = folder / "models" / (name + ".onnx");
  write_file(file, proto.SerializeAsString());
  return Model::load(file, options);
}

}  // namespace

TEST_CASE("weights outside the folder are found as they were", "[merge_models]") {
  const Folder folder;
  const LoadOptions outside{.allow_outside_folder = true};
  Model first = reading_outside(folder, "a", "x", 1, outside), second = reading_outside(folder, "b", "x_a", 2, outside);
  const auto sum = [](const Model& model) {
    return Evaluator(model.graph()).run({{"x", Tensor::of<float>({2}, {0, 5})}})[0].to<float>();
  };
  const Model both = merge_models(first, second);
  CHECK(external_location(both.proto().graph().initializer(0)).location == "../a.data");  // where it was
  CHECK(sum(both) == std::vector<float>{3, 8});

  Model inside = graph("x: f32[2]; x_a = Neg(x)");
  CHECK(sum(merge_models(inside, second)) == std::vector<float>{2, -3});
  // What one may not read, the other does not read for it.
  Model shut = reading_outside(folder, "b", "x_a", 2, {});
  CHECK_THROWS_WITH(merge_models(first, shut), Contains("b.data"));
}

TEST_CASE("sparse weights of another folder are read, for the merged model would not find them", "[merge_models]") {
  const Folder folder;
  onnx::ModelProto proto = graph("x: f32[2]; y = Neg(x)").commit();
  onnx::SparseTensorProto& sparse = *proto.mutable_graph()->add_sparse_initializer();
  sparse.add_dims(4);
  onnx::TensorProto &values = *sparse.mutable_values(), &indices = *sparse.mutable_indices();
  values.set_name("s");
  write_tensor(Tensor::list(std::vector<float>{7}), values);
  write_tensor(Tensor::list(std::vector<std::int64_t>{2}), indices);
  for (onnx::TensorProto* const part : {&values, &indices}) {
    const std::string file = part == &values ? "values.data" : "indices.data";
    write_file(folder / file, part->raw_data());
    part->clear_raw_data();
    set_external_location(*part, {.location = file});
  }
  write_file(folder / "m.onnx", proto.SerializeAsString());
  Model first = graph("z: f32[2]; x = Abs(z)"), second = Model::load(folder / "m.onnx");
  const Model both = merge_models(first, second);
  const onnx::SparseTensorProto& brought = both.proto().graph().sparse_initializer(0);
  CHECK(brought.values().name() == "s");
  CHECK(read_tensor(brought.values()).to<float>() == std::vector<float>{7});
  CHECK(read_tensor(brought.indices()).to<std::int64_t>() == std::vector<std::int64_t>{2});
}

TEST_CASE("a tensor that is external, and does not say where, is refused", "[merge_models]") {
  onnx::ModelProto proto = graph("x: f32[2]; w = f32[2] 1; y = Add(x, w)").commit();
  onnx::TensorProto& weight = *proto.mutable_graph()->mutable_initializer(0);
  weight.clear_raw_data();
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  Model first = graph("z: f32[2]; x = Abs(z)"), second(std::move(proto));
  CHECK_THROWS_WITH(merge_models(first, second), Contains("has no location"));
}
