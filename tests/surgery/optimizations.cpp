#include <graft/surgery/optimizations.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/graph/verify.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

struct Example {
  std::string_view name, before, after;
};

/// Of each optimization what it is for, on a graph of a few nodes.
constexpr Example examples[] = {
    {"constant_folding", "x: f32[2]; y = Add(x, Mul(f32[2] {1, 2}, f32[2] {3, 4}))",
     "x: f32[2]; y = Add(x, f32[2] {3, 8})"},
    {"constant_propagation", "x: f32[2,3]; z: f32[6]; y = Reshape(z, Mul(Identity(Shape(x)), i64[1] 1))",
     "x: f32[2,3]; z: f32[6]; y = Reshape(z, i64[2] {2, 3})"},
    {"sequence_simplification",
     "x: f32[2,3]; z: f32[2,3]; s = SequenceConstruct(x, z); y = ConcatFromSequence(s) {axis=0};"
     "e = Neg(SequenceAt(s, i64[] -1))",
     "x: f32[2,3]; z: f32[2,3]; y = Concat(x, z) {axis=0}; e = Neg(z)"},
    {"remove_unused_nodes",
     "x: f32[1,1,4,4]; w = f32[1] 1; d = Add(x, w); y, i = MaxPool(x) {kernel_shape=[2,2]}; return y",
     "x: f32[1,1,4,4]; y = MaxPool(x) {kernel_shape=[2,2]}"},
    {"eliminate_nop_cast", "x: f32[2]; y = Neg(Cast(x) {to=f32})", "x: f32[2]; y = Neg(x)"},
    {"eliminate_nop_dropout", "opset 11; x: f32[2]; y = Neg(Dropout(x) {ratio=0})", "opset 11; x: f32[2]; y = Neg(x)"},
    {"eliminate_nop_flatten", "x: f32[N,M]; y = Neg(Flatten(x))", "x: f32[N,M]; y = Neg(x)"},
    {"extract_constant_to_initializer", "x: f32[2]; c = Constant() {value_floats=[1,2]}; y = Add(x, c)",
     "x: f32[2]; c = f32[2] {1, 2}; y = Add(x, c)"},
    {"eliminate_if_with_const_cond",
     "x: f32[2]; y = If(bool[] false) {then_branch={ t = Neg(x) }, else_branch={ u = Exp(x) }}",
     "x: f32[2]; y = Exp(x)"},
    {"eliminate_nop_monotone_argmax", "x: f32[2,5]; y = ArgMax(Softmax(Exp(x)) {axis=1}) {axis=-1}",
     "x: f32[2,5]; y = ArgMax(x) {axis=-1}"},
    {"eliminate_nop_pad", "x: f32[2,N]; y = Neg(Pad(x, i64[4] 0) {mode=\"edge\"})", "x: f32[2,N]; y = Neg(x)"},
    {"eliminate_nop_concat", "x: f32[2,N]; y = Neg(Concat(x) {axis=1})", "x: f32[2,N]; y = Neg(x)"},
    {"eliminate_nop_split", "x: f32[2,N]; s: i64[1]; y = Neg(Split(x, s) {axis=1})",
     "x: f32[2,N]; s: i64[1]; y = Neg(x)"},
    {"eliminate_nop_expand", "x: f32[2,3]; y = Neg(Expand(x, i64[2] {1, 3}))", "x: f32[2,3]; y = Neg(x)"},
    {"eliminate_shape_gather", "x: f32[N,3]; y = Neg(Gather(Shape(x), i64[] -1))", "x: f32[N,3]; y = Neg(i64[] 3)"},
    {"eliminate_slice_after_shape", "x: f32[N,3,4]; y = Neg(Slice(Shape(x) {start=1}, i64[1] 1, i64[1] 2))",
     "x: f32[N,3,4]; y = Neg(i64[1] 4)"},
    {"eliminate_nop_transpose", "x: f32[2,3]; y = Neg(Transpose(x) {perm=[0,1]})", "x: f32[2,3]; y = Neg(x)"},
    {"fuse_add_bias_into_conv", "x: f32[1,2,4,4]; w: f32[3,2,1,1]; y = Add(f32[3,1,1] {1, 2, 3}, Conv(x, w))",
     "x: f32[1,2,4,4]; w: f32[3,2,1,1]; y = Conv(x, w, f32[3] {1, 2, 3})"},
    {"fuse_bn_into_conv",
     "x: f32[1,1,4,4]; "
     "y = BatchNormalization(Conv(x, f32[2,1,1,1] {1, 2}), f32[2] 2, f32[2] 1, f32[2] 0, f32[2] 1) {epsilon=0}",
     "x: f32[1,1,4,4]; y = Conv(x, f32[2,1,1,1] {2, 4}, f32[2] 1)"},
    {"fuse_consecutive_concats", "x: f32[2,3]; z: f32[2,1]; y = Concat(Concat(x, z) {axis=1}, x) {axis=-1}",
     "x: f32[2,3]; z: f32[2,1]; y = Concat(x, z, x) {axis=-1}"},
    {"fuse_consecutive_log_softmax", "x: f32[2,3]; y = Log(Softmax(x))", "x: f32[2,3]; y = LogSoftmax(x)"},
    {"fuse_consecutive_reduce_unsqueeze", "x: f32[2,3]; y = Unsqueeze(ReduceMax(x) {axes=[1], keepdims=0}, i64[1] -1)",
     "x: f32[2,3]; y = ReduceMax(x) {axes=[1]}"},
    {"fuse_consecutive_squeezes", "x: f32[1,2,1,3]; y = Squeeze(Squeeze(x, i64[1] 0), i64[1] 1)",
     "x: f32[1,2,1,3]; y = Squeeze(x, i64[2] {0, 2})"},
    {"fuse_consecutive_transposes", "x: f32[2,3,4]; y = Transpose(Transpose(x) {perm=[1,2,0]}) {perm=[1,0,2]}",
     "x: f32[2,3,4]; y = Transpose(x) {perm=[2,1,0]}"},
    {"fuse_matmul_add_bias_into_gemm", "x: f32[2,3]; w: f32[3,4]; b: f32[4]; y = Add(MatMul(x, w), b)",
     "x: f32[2,3]; w: f32[3,4]; b: f32[4]; y = Gemm(x, w, b)"},
    {"fuse_pad_into_conv", "x: f32[1,1,3,3]; w: f32[1,1,3,3]; y = Conv(Pad(x, i64[8] {0,0,1,0,0,0,0,1}), w)",
     "x: f32[1,1,3,3]; w: f32[1,1,3,3]; y = Conv(x, w) {pads=[1,0,0,1]}"},
    {"fuse_pad_into_pool", "x: f32[1,1,3,3]; y = MaxPool(Pad(Relu(x), i64[8] {0,0,1,0,0,0,0,1})) {kernel_shape=[2,2]}",
     "x: f32[1,1,3,3]; y = MaxPool(Relu(x)) {kernel_shape=[2,2], pads=[1,0,0,1]}"},
    {"fuse_transpose_into_gemm", "x: f32[3,2]; w: f32[4,3]; y = Gemm(Transpose(x), Transpose(w))",
     "x: f32[3,2]; w: f32[4,3]; y = Gemm(x, w) {transA=1, transB=1}"},
    {"fuse_concat_into_reshape", "x: f32[2,3]; n: i64[1]; y = Reshape(x, Concat(i64[1] 3, n) {axis=0})",
     "x: f32[2,3]; n: i64[1]; y = Reshape(x, i64[2] {3, -1})"},
    {"eliminate_nop_reshape", "x: f32[N,3]; y = Neg(Reshape(x, i64[2] {-1, 3}))", "x: f32[N,3]; y = Neg(x)"},
    {"eliminate_nop_with_unit",
     "x: f32[2,3]; z = f32[2,0] 0; y = Concat(Pow(Add(Mul(x, f32[] 1), f32[3] 0), f32[] 1), z, x) {axis=1}",
     "x: f32[2,3]; y = Concat(x, x) {axis=1}"},
    {"eliminate_common_subexpression",
     "x: f32[2]; v = f32[2] 1; w = f32[2] 1; y = Mul(Add(x, v), Add(v, x)); z = Neg(w)",
     "x: f32[2]; v = f32[2] 1; w = f32[2] 1; a = Add(x, v); y = Mul(a, a); z = Neg(w)"},
    {"fuse_qkv", "x: f32[1,2,3]; q = MatMul(x, f32[3,1] 1); k = MatMul(x, f32[3,1] 2); v = MatMul(x, f32[3,1] 3)",
     "x: f32[1,2,3]; m = MatMul(x, f32[3,3] {1, 2, 3, 1, 2, 3, 1, 2, 3}); "
     "q, k, v = Split(m, i64[3] 1) {axis=2}; return q, k, v"},
    {"fuse_consecutive_unsqueezes", "x: f32[2]; y = Unsqueeze(Unsqueeze(x, i64[1] 0), i64[1] -1)",
     "x: f32[2]; y = Unsqueeze(x, i64[2] {0, 2})"},
    {"eliminate_deadend", "x: f32[2]; w = f32[2] 1; a = Add(x, w); b = Exp(a); y = Neg(x); return y",
     "x: f32[2]; w = f32[2] 1; y = Neg(x)"},
    {"eliminate_identity", "x: f32[2]; y = Neg(Identity(x))", "x: f32[2]; y = Neg(x)"},
    {"eliminate_shape_op", "x: f32[2,3,N]; y = Neg(Shape(x) {start=-3, end=2})",
     "x: f32[2,3,N]; y = Neg(i64[2] {2, 3})"},
    {"fuse_consecutive_slices",
     "x: f32[5,6]; y = Slice(Slice(x, i64[1] 1, i64[1] 4, i64[1] 0), i64[1] 2, i64[1] 9, i64[1] 1)",
     "x: f32[5,6]; y = Slice(x, i64[2] {1, 2}, i64[2] {4, 9}, i64[2] {0, 1}, i64[2] 1)"},
    {"eliminate_unused_initializer", "x: f32[2]; w = f32[2] 1; a = Exp(x); y = Neg(x); return y",
     "x: f32[2]; a = Exp(x); y = Neg(x); return y"},
    {"eliminate_duplicate_initializer", "x: f32[2]; v = f32[2] 1; w = f32[2] 1; y = Mul(Add(x, v), Add(x, w))",
     "x: f32[2]; v = f32[2] 1; y = Mul(Add(x, v), Add(x, v))"},
    {"broadcast_to_matmul",
     "x: f32[2,5,3]; w: f32[3,4]; y = Reshape(MatMul(Reshape(x, i64[2] {10, 3}), w), i64[3] {2, 5, 4})",
     "x: f32[2,5,3]; w: f32[3,4]; y = MatMul(x, w)"},
    {"cast_constant_of_shape", "s: i64[2]; y = Cast(ConstantOfShape(s) {value=f32[1] 2}) {to=i32}",
     "s: i64[2]; y = ConstantOfShape(s) {value=i32[1] 2}"},
    {"gemm_to_matmul_add",
     "x: f32[2,5,3]; w: f32[3,4]; b: f32[4]; "
     "y = Reshape(Gemm(Reshape(x, i64[2] {10, 3}), w, b), i64[3] {2, 5, 4})",
     "x: f32[2,5,3]; w: f32[3,4]; b: f32[4]; y = Add(MatMul(x, w), b)"},
    {"no_op_removal", "x: f32; y = Neg(Dropout(Div(Mul(f32[] 1, Sub(Add(f32[] 0, x), f32[] 0)), f32[] 1)))",
     "x: f32; y = Neg(x)"},
};

/// Of local functions: one of two outputs, of which the second is not read, one of three nodes, and one without a call.
Model with_functions() {
  onnx::ModelProto proto = graph("x: f32[2]; h = Relu(x); y = Abs(h)").commit();
  const auto import_into = [](auto& holder) {
    holder.add_opset_import()->set_version(17);
    onnx::OperatorSetIdProto& own = *holder.add_opset_import();
    own.set_domain("own");
    own.set_version(1);
  };
  proto.clear_opset_import();
  import_into(proto);
  const auto add = [&](const std::string& name, int nodes, int outputs) {
    onnx::FunctionProto& function = *proto.add_functions();
    function.set_domain("own");
    function.set_name(name);
    import_into(function);
    function.add_input("a");
    for (int i = 0; i < nodes; ++i) {
      onnx::NodeProto& node = *function.add_node();
      node.set_op_type("Neg");
      node.add_input(i == 0 ? "a" : "t" + std::to_string(i - 1));
      node.add_output("t" + std::to_string(i));
    }
    for (int i = 0; i < outputs; ++i) function.add_output("t" + std::to_string(nodes - 1 - i));
  };
  add("Pair", 2, 2);
  add("Triple", 3, 1);
  add("Idle", 1, 1);
  const auto call = [&](int node, const std::string& name) {
    proto.mutable_graph()->mutable_node(node)->set_op_type(name);
    proto.mutable_graph()->mutable_node(node)->set_domain("own");
  };
  call(0, "Pair");
  call(1, "Triple");
  return Model(std::move(proto));
}

}  // namespace

TEST_CASE("each optimization does by itself what its name says") {
  const Registry<Optimization> all = optimizations();
  std::set<std::string_view> tried;
  for (const auto& [name, before, after] : examples) {
    INFO(name);
    const Optimization& one = all.at(name);
    CHECK(one.pass.name() == name);
    CHECK_FALSE(one.summary.empty());
    const Trial trial = given(before).pass(one.pass);
    CHECK(trial.becomes(after));
    CHECK(trial.idempotent());
    CHECK_FALSE(isomorphic(graph(before), graph(after)));
    tried.insert(name);
  }
  for (const std::string_view name :
       {"remove_unused_functions", "inline_functions_with_unused_outputs", "inline_simple_functions"})
    tried.insert(name);  // below
  for (const std::string_view name : all.names()) CHECK(tried.count(name) == 1);
}

TEST_CASE("each optimization of functions does by itself what its name says") {
  const Registry<Optimization> all = optimizations();
  const auto after = [&](std::string_view name) {
    Model model = with_functions();
    CHECK(all.at(name).pass.run(model).changes > 0);
    CHECK(verify(model).empty());
    std::string found;
    for (const onnx::FunctionProto& function : model.commit().functions()) found += function.name() + " ";
    return found;
  };
  CHECK(after("remove_unused_functions") == "Pair Triple ");
  CHECK(after("inline_functions_with_unused_outputs") == "Triple Idle ");
  CHECK(after("inline_simple_functions") == "Triple ");
}

TEST_CASE("Transposes that undo each other go, two or more of them") {
  const Pass pass = optimizations().at("fuse_consecutive_transposes").pass;
  CHECK(given("x: f32[2,3]; y = Neg(Transpose(Transpose(x)))").pass(pass).becomes("x: f32[2,3]; y = Neg(x)"));
  CHECK(given("x: f32[2,3,4]; a = Transpose(Transpose(x) {perm=[1,2,0]}) {perm=[1,2,0]}; "
              "y = Neg(Transpose(a) {perm=[1,2,0]})")
            .pass(pass)
            .becomes("x: f32[2,3,4]; y = Neg(x)"));
}

TEST_CASE("what an optimization consists of, and what it is called elsewhere, stand beside its pass") {
  const Registry<Optimization> all = optimizations();
  CHECK(all.at("eliminate_deadend").title == "Eliminate Deadend Nodes");
  CHECK(all.at("eliminate_nop_pad").title.empty());
  REQUIRE(all.at("fuse_pad_into_pool").rules.size() == 2);
  CHECK(all.at("fuse_pad_into_pool").rules[0].name() == "pad-into-average-pool");
  CHECK(all.at("fuse_qkv").rules.empty());
}

TEST_CASE("optimizations are picked by name and make a pipeline") {
  const Registry<Optimization> all = optimizations();
  const Pass chosen = all.at("eliminate_nop_cast").pass | all.at("eliminate_deadend").pass;
  CHECK(given("x: f32[2]; a = Exp(x); y = Neg(Cast(x) {to=f32}); return y")
            .pass(chosen)
            .becomes("x: f32[2]; y = Neg(x)"));
  CHECK(chosen.name() == "eliminate_nop_cast | eliminate_deadend");
  CHECK(all.find("eliminate_everything") == nullptr);
}

TEST_CASE("an optimization infers the types that it needs") {
  const Registry<Optimization> all = optimizations();
  for (const std::string_view name : {"eliminate_nop_cast", "eliminate_nop_flatten"}) {
    onnx::ModelProto proto =
        graph("x: f32[2,3]; a = Neg(x); b = Cast(a) {to=f32}; c = Flatten(b); y = Abs(c)").commit();
    proto.mutable_graph()->clear_value_info();
    Model model(std::move(proto));
    INFO(name);
    CHECK(all.at(name).pass.run(model).changes == 1);
    CHECK(model.graph().nodes().size() == 3);
  }
}
