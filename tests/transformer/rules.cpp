#include <graft/transformer/rules.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/infer.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/fuse/skip_layer_normalization.hpp>

using namespace graft;

namespace {

/// The model with every type that is known declared, so that it stays known when nodes lose inputs.
onnx::ModelProto typed(std::string_view text) {
  Model model = graph(text);
  infer_shapes(model.graph());
  for (Node& node : model.graph().nodes())
    for (Value& output : node.outputs())
      if (output.type() != nullptr && !output.is_graph_output())
        output.graph().declare_type(output, onnx::TypeProto(*output.type()));
  return model.commit();
}

void run_all_rules(const onnx::ModelProto& proto) {
  Model model(proto);
  infer_shapes(model.graph());
  std::vector<RuleView> all;
  const Registry<RuleView> rules = transformer_rules();
  for (const std::string_view name : rules.names()) all.push_back(rules.at(name));
  CHECK_NOTHROW(sweep(all).run(model));
}

constexpr std::string_view transformers[]{
    // Attention of merged projections.
    "x: f32[B,S,6]; mask: f32[B,1,1,S]; wq = f32[6,6] random; wk = f32[6,6] random; wv = f32[6,6] random; "
    "b = f32[6] random; split = i64[4] {0, 0, 2, 3}; "
    "qh = Transpose(Reshape(Add(MatMul(x, wq), b), split)) {perm=[0,2,1,3]}; "
    "kt = Transpose(Transpose(Reshape(MatMul(x, wk), split)) {perm=[0,2,1,3]}) {perm=[0,1,3,2]}; "
    "vh = Transpose(Reshape(MatMul(x, wv), split)) {perm=[0,2,1,3]}; "
    "h = MatMul(Softmax(Add(Mul(MatMul(qh, kt), f32[] 0.5), mask)) {axis=-1}, vh); "
    "y = Reshape(Transpose(h) {perm=[0,2,1,3]}, i64[3] {0, 0, 6})",
    // One projection that is split, and a condition instead of a mask.
    "x: f32[B,S,6]; c: bool[B,1,1,S]; w = f32[6,18] random; split = i64[4] {0, 0, 2, 3}; "
    "q, k, v = Split(MatMul(x, w), i64[3] {6, 6, 6}) {axis=-1}; "
    "qh = Transpose(Reshape(q, split)) {perm=[0,2,1,3]}; kt = Transpose(Reshape(k, split)) {perm=[0,2,3,1]}; "
    "vh = Transpose(Reshape(v, split)) {perm=[0,2,1,3]}; "
    "y = MatMul(Softmax(Where(c, Div(MatMul(qh, kt), f32[] 2), f32[] -3e38)) {axis=-1}, vh)",
    // Repeated heads of a cache, and a causal mask.
    "opset 17; q: f32[1,4,2,8]; k: f32[1,2,2,8]; v: f32[1,2,2,8]; pk: f32[1,2,P,8]; pv: f32[1,2,P,8]; "
    "g = i64[5] {1, 1, 2, 1, 1}; h = i64[4] {0, 4, -1, 8}; u = i64[1] 2; "
    "nk = Concat(pk, k) {axis=2}; nv = Concat(pv, v) {axis=2}; "
    "rk = Reshape(Expand(Unsqueeze(nk, u), g), h); rv = Gather(nv, i64[4] {0, 0, 1, 1}) {axis=1}; "
    "n = Shape(nk) {start=2, end=3}; t = Squeeze(n); o = Squeeze(Shape(pk) {start=2, end=3}); "
    "c = Range(i64[] 0, t, i64[] 1); r = Unsqueeze(Add(Range(i64[] 0, i64[] 2, i64[] 1), o), i64[1] 1); "
    "m = Where(Not(GreaterOrEqual(r, c)), f32[] -3e38, f32[] 0); "
    "y = MatMul(Softmax(Add(MatMul(q, Transpose(rk) {perm=[0,1,3,2]}), m)) {axis=-1}, rv)",
    // Rotary embeddings by halves, and of neighbours by parts.
    "x: f32[B,3,S,4]; p: i64[B,S]; f = Mul(Cast(Unsqueeze(p, i64[1] 2)) {to=f32}, f32[2] {1, 0.1}); "
    "a = Slice(x, i64[1] 0, i64[1] 2, i64[1] 3); b = Slice(x, i64[1] 2, i64[1] 9, i64[1] -1); "
    "r = Concat(f, f) {axis=-1}; c = Unsqueeze(Cos(r), i64[1] 1); s = Unsqueeze(Sin(r), i64[1] 1); "
    "t = Concat(Neg(b), a) {axis=-1}; y = Add(Mul(x, c), Mul(t, s))",
    "x: f32[B,3,S,4]; f: f32[B,S,2]; c = Unsqueeze(Cos(f), i64[1] 1); s = Unsqueeze(Sin(f), i64[1] 1); "
    "a = Slice(x, i64[1] 0, i64[1] 4, i64[1] 3, i64[1] 2); b = Slice(x, i64[1] 1, i64[1] 4, i64[1] 3, i64[1] 2); "
    "u = Sub(Mul(a, c), Mul(b, s)); v = Add(Mul(a, s), Mul(b, c)); "
    "z = Concat(Unsqueeze(u, i64[1] 4), Unsqueeze(v, i64[1] 4)) {axis=4}; y = Reshape(z, i64[4] {0, 0, 0, 4})",
    // Embeddings.
    "ids: i64[B,S]; types: i64[B,S]; w = f32[9,4] random; p = f32[6,4] random; t = f32[2,4] random; g = f32[4] 1; "
    "c = Range(i64[] 0, Gather(Shape(ids), i64[] 1), i64[] 1); "
    "y = LayerNormalization(Add(Add(Gather(w, ids), Gather(p, c)), Gather(t, types)), g)",
    "opset 23; q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; m: f32[1,T]; pk: f32[B,2,P,4]; pv: f32[B,2,P,4]; "
    "y, a, b = Attention(q, k, v, m, pk, pv); return y, a, b",
};

}  // namespace

TEST_CASE("rules of fusions pass over transformers any of whose nodes lacks an input") {
  for (const std::string_view text : transformers) {
    const onnx::ModelProto whole = typed(text);
    for (int at = 0; at < whole.graph().node_size(); ++at) {
      for (int i = 0; i < whole.graph().node(at).input_size(); ++i) {
        INFO(whole.graph().node(at).ShortDebugString() << " without input " << i);
        onnx::ModelProto broken = whole;
        onnx::NodeProto& node = *broken.mutable_graph()->mutable_node(at);
        node.set_input(i, "");
        run_all_rules(broken);
        while (node.input_size() > i) node.mutable_input()->RemoveLast();
        run_all_rules(broken);
      }
    }
  }
}

TEST_CASE("rules of fusions pass over Transposes whose axes are not a permutation") {
  for (const std::string_view text : transformers) {
    const onnx::ModelProto whole = typed(text);
    for (int at = 0; at < whole.graph().node_size(); ++at) {
      if (whole.graph().node(at).op_type() != "Transpose") continue;
      for (const auto& axes : std::vector<std::vector<int>>{{0, 1, -1, -2}, {0, 1}, {0, 1, 2, 9}, {0, 1, 1, 2}}) {
        onnx::ModelProto broken = whole;
        onnx::AttributeProto& perm = *broken.mutable_graph()->mutable_node(at)->mutable_attribute(0);
        perm.clear_ints();
        for (const int axis : axes) perm.add_ints(axis);
        run_all_rules(broken);
      }
    }
  }
}

TEST_CASE("rules of fusions are found by name") {
  const Registry<RuleView> rules = transformer_rules();
  CHECK(rules.at("skip-layer-normalization").name() == skip_layer_normalization.name());
  CHECK(rules.find("no-such-rule") == nullptr);
}

TEST_CASE("rules of fusions pass over nodes that lack inputs or results") {
  Model model = graph(
      "x: f32[2,3,4]; w = f32[4] 1; a = Add(x, x); b = LayerNormalization(a, w); c = Gather(x, x); d = Add(c, c);"
      "e = LayerNormalization(d, w); f = Mul(x, w); g = Gelu(x); h = Tanh(x); i = Add(h, w); j = Mul(x, i);"
      "k = Cast(x) {to=10}; l = Div(x, h); y = Neg(x); return y");
  for (const bool inputs : {false, true}) {
    onnx::ModelProto proto = model.commit();
    for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) {
      if (node.op_type() == "Neg") continue;
      if (inputs)
        for (std::string& name : *node.mutable_input()) name = name == "x" ? "" : name;
      else if (std::string("acdhi").find(node.output(0)) == std::string::npos) node.clear_output();
    }
    Model broken(proto);
    std::vector<RuleView> all;
    const Registry<RuleView> rules = transformer_rules();
    for (const std::string_view name : rules.names()) all.push_back(rules.at(name));
    CHECK_NOTHROW(sweep(all).run(broken));
    CHECK(broken.graph().find("y") != nullptr);
  }
}
