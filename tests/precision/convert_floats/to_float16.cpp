#include <graft/precision/convert_floats.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate.hpp>
#include <graft/graph/verify.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

FloatOptions with_io(FloatOptions options = {}) {
  options.keep_io = true;
  options.cast_cost = 0;
  return options;
}

std::size_t count(Model& model, std::string_view op) {
  std::size_t found = 0;
  for (const Graph* const scope : model.scopes())
    for (const Node& node : scope->nodes()) found += node.is(op) ? 1 : 0;
  return found;
}

DType dtype_in(Model& model, std::string_view name) { return model.graph().find(name)->dtype(); }

Model converted(const std::string& text, const FloatOptions& options = {}) {
  Model model = graph(text);
  to_float16(options).run(model);
  for (const Problem& problem : verify(model)) FAIL_CHECK(to_string(problem));
  Model saved(model.commit());
  infer_shapes(saved.graph());
  return saved;
}

bool has_note(const Report& report, const std::string& text) {
  return std::any_of(report.notes.begin(), report.notes.end(),
                     [&](const std::string& note) { return note.find(text) != note.npos; });
}

}  // namespace

TEST_CASE("inputs, outputs, constants and attributes become 16-bit floats") {
  for (const std::string half : {"f16", "bf16"}) {
    const bool is_half = half == "f16";
    Model model = graph("x: f32[N,2]; w = f32[2,2] {1, 2, 3, 4}; h = MatMul(x, w); "
                "y = Add(h, Constant() {value=f32[2] {5, 6}}); e = EyeLike(h) {dtype=f32}; "
                "s = ConstantOfShape(Shape(x)) {value=f32[1] 3}; z = Sum(y, e, s); return z");
    (is_half ? to_float16() : to_bfloat16()).run(model);
    CHECK(isomorphic(graph(std::string(is_half ? "" : "opset 22; ") + "x: " + half + "[N,2]; w = " + half +
                           "[2,2] {1, 2, 3, 4}; h = MatMul(x, w); "
                       "y = Add(h, Constant() {value=" + half + "[2] {5, 6}}); e = EyeLike(h) {dtype=" + half + "}; "
                       "s = ConstantOfShape(Shape(x)) {value=" + half + "[1] 3}; z = Sum(y, e, s); return z"),
                     model));
  }
}

TEST_CASE("inputs and outputs keep their dtypes and names, between one Cast each") {
  Model model =
      converted("x: f32[8,8]; w = f32[8,8] 0.5; y = MatMul(x, w); z = MatMul(y, x); return z, y, z", with_io());
  CHECK(count(model, "Cast") == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(model.graph().output(i)->dtype() == DType::f32);
  CHECK(model.graph().output(0)->name() == "z");
  CHECK(model.graph().output(1)->name() == "y");
  CHECK(model.graph().output(0)->producer()->input(0)->producer()->is("MatMul"));
  CHECK(dtype_in(model, "w") == DType::f16);
}

TEST_CASE("sensitive operators stay in float32, and what is between them if Casts cost more than they save") {
  Model model = converted("x: f32[64,64]; a = MatMul(x, x); s = Softmax(a); n = Neg(s); t = Softmax(n); "
                          "b = MatMul(t, x); r = Relu(b); return r");
  for (const std::string_view name : {"s", "n", "t"}) CHECK(dtype_in(model, name) == DType::f32);
  for (const std::string_view name : {"x", "a", "b", "r"}) CHECK(dtype_in(model, name) == DType::f16);
  CHECK(count(model, "Cast") == 2);
}

TEST_CASE("nodes stay by name, by operator and by target") {
  const std::string text = "x: f32[8,8]; a = MatMul(x, x); b = MatMul(a, x); return b";
  FloatOptions by_name, by_operator, by_target;
  by_name.keep = {"b|c.*"};
  Model kept = converted(text, by_name);
  CHECK(kept.graph().output(0)->dtype() == DType::f16);
  CHECK(kept.graph().output(0)->producer()->is("Cast"));
  by_operator.keep_operators = {"MatMul"};
  const std::string_view products[] = {"MatMul"};
  by_target.target = {"none", {true, products}, {}};
  for (const FloatOptions& options : {by_operator, by_target}) {
    Model all = converted(text, options);
    CHECK(dtype_in(all, "a") == DType::f32);
  }
}

TEST_CASE("constants decide: beyond the range, vanishing, and bounds that saturate") {
  Model mask = converted("x: f32[8,8]; a = MatMul(x, x); m = f32[8] -3.4e38; y = Add(a, m); z = Reshape(y, i64[1] -1)");
  CHECK(dtype_in(mask, "m") == DType::f32);
  CHECK(mask.graph().find("y")->dtype() == DType::f32);
  CHECK(mask.graph().output(0)->producer()->input(0)->dtype() == DType::f32);  // moves the same elements
  Model epsilon = converted("x: f32[8,8]; a = MatMul(x, x); y = Add(a, f32[] 1e-12); return y");
  CHECK(epsilon.graph().output(0)->producer()->is("Cast"));
  Model bound =
      converted("x: f32[8,8]; a = MatMul(x, x); y = Clip(a, f32[] 0, Constant() {value=f32[] 3e38}); return y");
  CHECK(count(bound, "Cast") == 0);
  CHECK(bound.graph().output(0)->producer()->input(2)->constant()->item<float>() == 65504);
  Model weight = converted("x: f32[4]; w = f32[4] {1e-9, 1, 2, 3}; y = Mul(x, w); return y");
  CHECK(dtype_in(weight, "w") == DType::f16);
}

TEST_CASE("values computed from integers alone stay: positions, and masks") {
  Model model = converted("x: f32[1,2048,4]; p: i64[1,2048]; f = f32[1,1,2] {1, 0.01}; c = Cast(p) {to=f32}; "
                          "u = Unsqueeze(c, i64[1] 2); a = Mul(u, f); s = Sin(a); t = Concat(s, s) {axis=-1}; "
                          "q = MatMul(x, f32[4,4] 0.5); y = Mul(q, t); return y");
  for (const std::string_view name : {"c", "a", "s"}) CHECK(dtype_in(model, name) == DType::f32);
  CHECK(model.graph().output(0)->producer()->is("Mul"));
  Model image = converted("x: u8[1,4]; c = Cast(x) {to=f32}; y = Mul(c, f32[] 0.5); return y");
  CHECK(count(image, "Cast") == 1);
  CHECK(dtype_in(image, "c") == DType::f16);
}

TEST_CASE("long sums, powers, scales of Resize and grids stay") {
  Model sums = converted("x: f32[1,4,64,64]; y = ReduceSum(x, i64[2] {2, 3}); z = ReduceSum(x, i64[1] 1); return y, z");
  CHECK(sums.graph().output(0)->producer()->is("Cast"));
  CHECK(sums.graph().output(1)->producer()->is("ReduceSum"));
  Model power = converted("x: f32[4]; y = Pow(x, f32[] 2); z = Pow(x, f32[] 0.5); v = Mul(x, x); return y, z, v");
  CHECK(power.graph().output(0)->producer()->is("Cast"));
  CHECK(power.graph().output(1)->producer()->is("Pow"));
  CHECK(power.graph().output(2)->producer()->is("Cast"));
  Model resize = converted("x: f32[1,1,4,4]; y = Resize(x, _, f32[4] {1, 1, 2, 2}); return y");
  CHECK(resize.graph().output(0)->producer()->input(2)->dtype() == DType::f32);
  CHECK(resize.graph().output(0)->dtype() == DType::f16);
}

TEST_CASE("scales of quantizers follow, from opset 19 on, if they are normal numbers") {
  const auto text = [](const std::string& opset, const std::string& scale) {
    return "opset " + opset + "; x: f32[8]; s = f32[] " + scale +
           "; y = DequantizeLinear(QuantizeLinear(x, s, u8[] 1), s, u8[] 1); return y";
  };
  Model old = converted(text("13", "0.5")), newer = converted(text("21", "0.5")), small = converted(text("19", "1e-5"));
  CHECK(old.graph().opset() == 19);
  CHECK(dtype_in(old, "s") == DType::f16);
  CHECK(newer.graph().opset() == 21);
  CHECK(dtype_in(newer, "s") == DType::f16);
  CHECK(dtype_in(small, "s") == DType::f32);
}

TEST_CASE("normalizations that sum in float32 by their stash_type follow") {
  const auto normalized = [](const std::string& call) {
    Model model = converted("opset 21; x: f32[2,4,8]; s = f32[8] 1; g = f32[4] 1; "
                            "h = MatMul(x, f32[8,8] 0.5); n = " + call + "; y = MatMul(n, f32[8,8] 0.5); return y");
    return dtype_in(model, "n");
  };
  CHECK(normalized("LayerNormalization(h, s)") == DType::f16);
  CHECK(normalized("LayerNormalization(h, s) {stash_type=1}") == DType::f16);
  CHECK(normalized("LayerNormalization(h, s) {stash_type=16}") == DType::f32);
  CHECK(normalized("GroupNormalization(h, g, g) {num_groups=2}") == DType::f16);
  CHECK(normalized("InstanceNormalization(h, g, g)") == DType::f32);
}

/// A convolution between pairs, with these floats.
std::string quantized_conv(const std::string& opset, const std::string& dtype, const std::string& scale = "0.25",
                           const std::string& integers = "{100, -60, 3, 4}") {
  return "opset " + opset + "; x: " + dtype + "[1,2,4,4]; s = " + dtype + "[] 0.5; z = i8[] 0; v = " + dtype +
         "[2] {" + scale + ", 0.5}; k = i8[2,2,1,1] " + integers + "; b = " + dtype + "[2] {1, 2}; "
         "d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); w = DequantizeLinear(k, v, i8[2] 0) {axis=0}; "
         "c = Relu(Conv(d, w, b)); q = QuantizeLinear(c, s, z); y = Neg(DequantizeLinear(q, s, z)); return y";
}

TEST_CASE("a target that takes scales of float16 computes all of a quantized model in it") {
  FloatOptions options;
  options.target = float_targets::tensorrt;
  for (const std::string opset : {"13", "21"}) {
    Model half = converted(quantized_conv(opset, "f32"), options);
    CHECK(isomorphic(graph(quantized_conv(opset == "13" ? "19" : opset, "f16")), half));
  }
  // 2^-18 becomes 2^-14, with a sixteenth of the integers.
  Model raised = converted(quantized_conv("19", "f32", "0.000003814697265625"), options);
  CHECK(isomorphic(graph(quantized_conv("19", "f16", "0.00006103515625", "{6, -4, 3, 4}")), raised));
}

TEST_CASE("a target that takes no such scales keeps what is between quantizers, and its opset") {
  FloatOptions options;
  options.target = float_targets::ort_cpu;
  options.keep_io = true;
  Model model = graph("x: f32[2,2]; s = f32[] 0.5; z = i8[] 0; h = MatMul(x, x); t = Transpose(DequantizeLinear("
                      "QuantizeLinear(h, s, z), s, z)); p = MatMul(t, DequantizeLinear(i8[2,2] 3, s, z)); "
                      "r = Relu(p); y = DequantizeLinear(QuantizeLinear(r, s, z), s, z); return y");
  const int opset = model.opset();
  const Report report = to_float16(options).run(model);
  CHECK(model.opset() == opset);
  CHECK(verify(model).empty());
  CHECK(has_note(report, "2 nodes are not converted: reads a quantizer that stays"));
  CHECK(dtype_in(model, "h") == DType::f16);
  for (const char* const name : {"s", "t", "p", "r"}) CHECK(dtype_in(model, name) == DType::f32);
}

TEST_CASE("the opset is raised if an operator takes the type later") {
  const std::string text = "opset 13; x: f32[1,2,4,4]; w = f32[2,2,1,1] 0.5; y = Conv(x, w); return y";
  Model half = converted(text);
  CHECK(half.graph().opset() == 13);
  for (const bool raises : {true, false}) {
    Model model = graph(text);
    FloatOptions options;
    options.raise_opset = raises;
    to_bfloat16(options).run(model);
    CHECK(model.graph().opset() == (raises ? 22 : 13));
    CHECK(dtype_in(model, "w") == (raises ? DType::bf16 : DType::f32));
    CHECK(verify(model).empty());
  }
}

TEST_CASE("optionals follow") {
  Model model = converted(
      "opset 18; x: f32[2,2]; h = MatMul(x, x); o = Optional(h); g = OptionalGetElement(o); y = Relu(g)");
  CHECK(count(model, "Cast") == 0);
  CHECK(model.graph().output(0)->dtype() == DType::f16);
}

TEST_CASE("bodies and sequences follow") {
  Model model = graph(
      "opset 18; x: f32[2,2]; c: bool[]; w = f32[2,2] {1, 2, 3, 4}; n = i64[] 3; "
      "y = If(c) {then_branch={ t = MatMul(x, w) }, else_branch={ e = Softmax(x) }}; "
      "z, all = Loop(n, _, y) {body={ i: i64[]; more: bool[]; s: f32[2,2]; u = MatMul(s, w); "
      "on = Identity(more); v = Relu(u); return on, u, v }}; "
      "q = SequenceConstruct(z, y); a = SequenceAt(q, i64[] 0); "
      "r = Scan(a, all) {num_scan_inputs=1, body={ h: f32[2,2]; k: f32[2,2]; m = Add(h, k); return m }}; "
      "return r, all");
  to_float16(with_io()).run(model);
  for (const Problem& problem : verify(model)) FAIL_CHECK(to_string(problem));
  Model saved(model.commit());
  infer_shapes(saved.graph());
  CHECK(verify(saved).empty());
  for (const Graph* const scope : saved.scopes())
    for (const Node& node : scope->nodes())
      if (node.is("MatMul")) CHECK(node.input(0)->dtype() == DType::f16);
  CHECK(dtype_in(saved, "w") == DType::f16);
  CHECK(dtype_in(saved, "a") == DType::f16);
}

TEST_CASE("a converted loop computes the same within the type's error") {
  Model model = graph(
      "opset 18; x: f32[2,2]; c: bool[]; w = f32[2,2] {1, 2, 3, 4}; n = i64[] 3; "
      "y = If(c) {then_branch={ t = MatMul(x, w) }, else_branch={ e = Softmax(x) }}; "
      "z, all = Loop(n, _, y) {body={ i: i64[]; more: bool[]; s: f32[2,2]; u = MatMul(s, w); "
      "on = Identity(more); v = Relu(u); return on, u, v }}; return z, all");
  for (const bool takes_product : {true, false}) {
    const Feeds feeds{{"x", Tensor::of<float>({2, 2}, {0.125f, -0.5f, 0.25f, 1})},
                      {"c", Tensor::of<bool>({}, {takes_product})}};
    Model half = model.clone();
    to_float16(with_io()).run(half);
    const std::vector<Tensor> wanted = Evaluator(model.graph()).run(feeds), got = Evaluator(half.graph()).run(feeds);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      REQUIRE(got[k].dtype() == DType::f32);
      const std::vector<float> one = got[k].to<float>(), other = wanted[k].to<float>();
      for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == Approx(other[i]).epsilon(2e-3).margin(2e-3));
    }
  }
}

TEST_CASE("functions are inlined and converted") {
  onnx::ModelProto proto = graph("x: f32[4,4]; y = Relu(x); return y").commit();
  proto.mutable_graph()->mutable_node(0)->set_domain("local");
  proto.add_opset_import()->set_domain("local");
  proto.mutable_opset_import(proto.opset_import_size() - 1)->set_version(1);
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("local");
  function.set_name("Relu");
  function.add_input("a");
  function.add_output("b");
  *function.add_opset_import() = proto.opset_import(0);
  onnx::NodeProto& product = *function.add_node();
  product.set_op_type("MatMul");
  product.add_input("a");
  product.add_input("a");
  product.add_output("b");
  Model model(proto);
  to_float16().run(model);
  CHECK(verify(model).empty());
  CHECK(model.graph().output(0)->dtype() == DType::f16);
  CHECK(model.functions().empty());
}

TEST_CASE("a model of float16 comes back with the same nodes") {
  const std::string text = "x: f32[4,4]; w = f32[4,4] 0.5; y = MatMul(x, w); z = Softmax(y); return z";
  Model model = graph(text);
  (to_float16(with_io()) | to_float32()).run(model);
  CHECK(isomorphic(graph(text), model));
}

TEST_CASE("the default of an input follows its dtype") {
  Model model = converted("x: f32[2]; d: f32[2] = {1, 2}; y = Add(x, d); return y");
  CHECK(dtype_in(model, "d") == DType::f16);
  CHECK(model.proto().graph().initializer(0).data_type() == onnx::TensorProto::FLOAT16);
  const Feeds feeds{{"x", Tensor::of<float>(DType::f16, {2}, {3, 4})}};
  CHECK(Evaluator(model.graph()).run(feeds)[0].to<float>() == std::vector<float>{4, 6});
}

TEST_CASE("a sparse constant stays behind a Cast") {
  onnx::SparseTensorProto sparse;
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(1);
  sparse.mutable_values()->add_float_data(3);
  sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(1);
  sparse.mutable_indices()->add_int64_data(1);
  sparse.add_dims(2);
  onnx::AttributeProto attribute;
  attribute.set_type(onnx::AttributeProto::SPARSE_TENSOR);
  *attribute.mutable_sparse_tensor() = sparse;
  Model model = graph("x: f32[1,2]; c = Constant() {value=f32[2] 1}; y = Add(MatMul(x, f32[2,2] 1), c); return y");
  Graph& main = model.graph();
  Node& constant = *main.find("c")->producer();
  main.remove_attribute(constant, "value");
  main.set_attribute(constant, Attribute("sparse_value", attribute));
  to_float16().run(model);
  CHECK(verify(model).empty());
  CHECK(dtype_in(model, "c") == DType::f32);
  CHECK(main.output(0)->dtype() == DType::f16);
}

TEST_CASE("an empty sequence follows the tensors that are inserted") {
  Model model = converted("x: f32[2,2]; h = MatMul(x, x); s = SequenceInsert(SequenceEmpty(), h); "
                          "y = SequenceAt(s, i64[] 0); return y");
  CHECK(dtype_in(model, "h") == DType::f16);
  CHECK(model.graph().find("h")->uses().begin()->user()->is("SequenceInsert"));
}

TEST_CASE("a node with bodies stays by name, together with its bodies") {
  const std::string text =
      "opset 18; x: f32[2,2]; z = Loop(i64[] 3, _, x) {body={ i: i64[]; more: bool[]; s: f32[2,2]; "
      "u = MatMul(s, f32[2,2] 100); on = Identity(more); return on, u }}; y = MatMul(z, f32[2,2] 1e-3); return y";
  FloatOptions options;
  options.keep = {"z"};
  Model model = graph(text);
  const Report report = to_float16(options).run(model);
  CHECK(verify(model).empty());
  CHECK(dtype_in(model, "z") == DType::f32);
  CHECK(model.graph().find("z")->producer()->body("body")->find("u")->dtype() == DType::f32);
  CHECK(has_note(report, "2 nodes are not converted: chosen by name"));
}

TEST_CASE("constants that bodies and the model return stay if they are beyond the range or vanish") {
  for (const std::string constant : {"1e6", "1e-12"}) {
    Model branch = graph("c: bool[]; x: f32[1,1]; m = If(c) {then_branch={ t = Constant() {value=f32[1,1] " + constant +
                         "} }, else_branch={ e = Neg(x) }}; y = MatMul(m, x); return y");
    const Report report = to_float16(with_io()).run(branch);
    INFO(report);
    CHECK(verify(branch).empty());
    CHECK(dtype_in(branch, "m") == DType::f32);
    CHECK(dtype_in(branch, "y") == DType::f32);
    CHECK(has_note(report, constant == "1e6" ? "constant beyond the range" : "constant that vanishes"));
    const Feeds feeds{{"c", Tensor::of<bool>({}, {true})}, {"x", Tensor::of<float>({1, 1}, {0.5f})}};
    CHECK(Evaluator(branch.graph()).run(feeds)[0].to<float>()[0] == Approx(std::stod(constant) / 2));
    Model output = converted("x: f32[2]; k = f32[1] " + constant + "; y = Neg(x); return y, k");
    CHECK(output.graph().output(0)->dtype() == DType::f16);
    CHECK(output.graph().output(1)->dtype() == DType::f32);
  }
}

TEST_CASE("scales of QLinearMatMul and com.microsoft quantizers stay, and need no later opset") {
  Model product = converted("opset 13; a: u8[2,2]; x: f32[2,2]; h = MatMul(x, x); s = f32[] 0.5; "
                            "q = QLinearMatMul(a, s, u8[] 0, a, s, u8[] 0, s, u8[] 0); return q, h");
  CHECK(product.graph().opset() == 13);
  CHECK(dtype_in(product, "s") == DType::f32);
  Model later = converted("opset 21; a: u8[2,2]; x: f32[2,2]; h = MatMul(x, x); s = f32[] 0.5; "
                          "q = QLinearMatMul(a, s, u8[] 0, a, s, u8[] 0, s, u8[] 0); return q, h");
  CHECK(dtype_in(later, "s") == DType::f32);
  Model pair = converted("x: f32[2,2]; h = MatMul(x, x); s = f32[] 0.5; "
                         "q = com.microsoft::QuantizeLinear(h, s, u8[] 0); "
                         "d = com.microsoft::DequantizeLinear(q, s, u8[] 0); y = MatMul(d, x); return y");
  CHECK(dtype_in(pair, "s") == DType::f32);
  CHECK(dtype_in(pair, "h") == DType::f16);
}

TEST_CASE("a vanishing fill of ConstantOfShape stays, and its readers") {
  Model model = converted("x: f32[2,2]; h = MatMul(x, x); e = ConstantOfShape(Shape(h)) {value=f32[1] 1e-12}; "
                          "y = Add(h, e); return y");
  CHECK(dtype_in(model, "e") == DType::f32);
  CHECK(model.graph().output(0)->producer()->is("Cast"));
}

TEST_CASE("options out of range throw, and patterns without a node are warnings") {
  FloatOptions negative, large, cosine, vanished, unmatched;
  negative.cast_cost = -1;
  large.cast_cost = std::numeric_limits<std::int64_t>::max() / 4;
  cosine.min_cosine = 1.5;
  vanished.max_vanished = std::nan("");
  for (const FloatOptions& options : {negative, large, cosine, vanished}) CHECK_THROWS_AS(to_float16(options), Error);
  CHECK_THROWS_WITH(to_float16(cosine), Catch::Contains("min_cosine"));
  unmatched.keep = {"produkt", "inner"};
  Model model = graph("x: f32[2,2]; c: bool[]; product = MatMul(x, x); "
                      "y = If(c) {then_branch={ inner = Neg(x) }, else_branch={ e = Abs(x) }}; return product, y");
  const Report report = to_float16(unmatched).run(model);
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings[0] == "no node is called 'produkt'; did you mean 'product'?");
}
