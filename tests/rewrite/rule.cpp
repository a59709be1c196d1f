#include <graft/rewrite/rule.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

/// What applying a rule at the producer of a graph's first output makes of it: "" or the reason why not.
template <class R>
std::string apply(const R& rule, Model& model, Context& context) {
  for (const RuleExplanation& one : explain(rule, model.graph(), context)) {
    if (one.node != model.graph().output(0)->producer()) continue;
    if (!one.applies) return one.text.substr(one.text.find(": ") + 2);
  }
  sweep(rule).run(model, context);
  return "";
}
template <class R>
std::string apply(const R& rule, Model& model) {
  Context context;
  return apply(rule, model, context);
}

std::string line(const Model& model) {
  return to_string(*model.graph().output(0)->producer());
}

std::vector<float> contents(const Value* value) { return value->constant()->to<float>(); }

Tensor twice(const Tensor& tensor) {
  Tensor result(DType::f32, tensor.dims());
  const std::vector<float> values = tensor.to<float>();
  for (std::size_t i = 0; i < values.size(); ++i) result.mutable_data<float>()[i] = 2 * values[i];
  return result;
}
Ints composed(const Ints& first, const Ints& second) {
  Ints result;
  for (const std::int64_t axis : second) result.push_back(first[static_cast<std::size_t>(axis)]);
  return result;
}
bool is_small(const Tensor& tensor) { return tensor.size() <= 4; }
bool is_within(const Tensor& tensor, const int& most) { return tensor.size() <= most; }
std::optional<Tensor> nothing(const Tensor&) { return std::nullopt; }

struct Convolution : Small {
  Value& image = build.input("image", DType::f32, {1, 2, 4, 4});
  Value& weight = build.constant(floats({3, 2, 1, 1}, 3), "weight");
  Node& node = build.node("Conv", {&image, &weight}, 1, {{"strides", Ints{2, 2}}});
  Convolution() {
    build.graph().rename(node, "first");
    build.graph().edit(node).set_doc_string("told");
  }
};

}  // namespace

TEST_CASE("one pattern becomes another") {
  Small m;
  Model model = m.finish(m.op("Relu", {&m.op("Relu", {&m.in})}));
  CHECK(apply(relu_relu, model) == "");
  CHECK(ops(model.graph()) == "Relu");
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(model.graph().first_node()->input(0)->name() == "in");
}

TEST_CASE("a captured value may be all that is left") {
  Small m;
  Model model = m.finish(m.op("Tanh", {&m.op("Identity", {&m.in})}));
  Context context;
  const Report report = sweep(no_identity).run(model, context);
  CHECK(report.changes == 1);
  CHECK(line(model) == "%y = Tanh(%in) : f32[2,2]");
}

TEST_CASE("a captured node is built again over other operands") {
  static constexpr auto drop_relu = rule<"drop-relu">(op<"Relu">(op<"Conv">(x, w).as(conv)), conv(x, tensor<twice>(w)));
  Convolution m;
  Model model = m.finish(m.op("Relu", {m.node.output(0)}));
  CHECK(apply(drop_relu, model) == "");
  const Node& node = *model.graph().first_node();
  CHECK(ops(model.graph()) == "Conv");
  CHECK(node.name() == "first");
  CHECK(node.proto().doc_string() == "told");
  CHECK(node.attr<Ints>("strides") == Ints{2, 2});
  CHECK(contents(node.input(1)) == std::vector<float>(6, 6));
  CHECK(model.graph().initializers().size() == 1);
}

TEST_CASE("a shared constant is left to its other users") {
  static constexpr auto drop_relu = rule<"drop-relu">(op<"Relu">(op<"Conv">(x, w).as(conv)), conv(x, tensor<twice>(w)));
  Convolution m;
  Value& other = m.op("Conv", {&m.image, &m.weight});
  m.build.output(other, "z");
  Model model = m.finish(m.op("Relu", {m.node.output(0)}));
  Context context;
  sweep(drop_relu).run(model, context);
  CHECK(contents(model.graph().output(0)->producer()->input(1)) == std::vector<float>(6, 3));
  CHECK(contents(model.graph().output(1)->producer()->input(1)) == std::vector<float>(6, 6));
}

TEST_CASE("another operator takes over the attributes of a captured one") {
  static constexpr auto to_other =
      rule<"to-other">(op<"Conv">(x, w).as(conv), op<"com.microsoft::NhwcConv">(x, w).like(conv));
  Convolution m;
  Model model = m.finish(*m.node.output(0));
  CHECK(apply(to_other, model) == "");
  const Node& node = *model.graph().first_node();
  CHECK(node.is("com.microsoft::NhwcConv"));
  CHECK(node.attr<Ints>("strides") == Ints{2, 2});
  CHECK(node.name() == "first");
  CHECK(model.opset("com.microsoft") == 1);
}

TEST_CASE("attributes are written: captured, computed, literal") {
  static constexpr auto transposes = rule<"transposes">(
      op<"Transpose">(op<"Transpose">(x).with(perm.named<"inner">())).with(perm.named<"outer">()).as(act),
      act(x).with(perm = call<composed>(perm.named<"inner">(), perm.named<"outer">())));
  static constexpr auto alpha = attr<"alpha", float>;
  static constexpr auto to_elu = rule<"to-elu">(op<"LeakyRelu">(x).with(alpha), op<"Elu">(x).with(alpha));
  static constexpr auto to_unit = rule<"to-unit">(op<"Elu">(x).with(alpha), op<"LeakyRelu">(x).with(alpha = 0.5f));
  Small m;
  Value& inner_node = m.op("Transpose", {&m.in}, {{"perm", Ints{1, 0}}});
  Value& outer_node = m.op("Transpose", {&inner_node}, {{"perm", Ints{1, 0}}});
  Model model = m.finish(m.op("LeakyRelu", {&outer_node}));
  Context context;
  sweep(transposes).run(model, context);
  CHECK(to_string(*model.graph().first_node()).find("{perm=[0,1]}") != std::string::npos);
  CHECK(apply(to_elu, model) == "");
  CHECK(line(model).find("Elu(") != std::string::npos);
  CHECK(line(model).find("{alpha=0.01}") != std::string::npos);
  CHECK(apply(to_unit, model) == "");
  CHECK(line(model).find("{alpha=0.5}") != std::string::npos);
}

TEST_CASE("a parameter is written where the operator version has it") {
  static constexpr auto axes = param<"axes", Axes>;
  static constexpr auto keep = rule<"keep">(op<"Relu">(op<"Squeeze">(x).with(axes).as(act)), act(op<"Relu">(x)));
  static constexpr auto rebuilt =
      rule<"rebuilt">(op<"Relu">(op<"Squeeze">(x).with(axes)), op<"Squeeze">(op<"Relu">(x)).with(axes));
  const auto check = [&](const auto& rule, int opset) {
    Builder build(opset);
    Value& in = build.input("in", DType::f32, {2, 1, 1});
    Value& squeeze = opset < 13
                         ? build.op("Squeeze", {&in}, {{"axes", Ints{1, 2}}})
                         : build.op("Squeeze", {&in, &build.constant(Tensor::of<std::int64_t>({2}, {1, -1}), "axes")});
    build.output(build.op("Relu", {&squeeze}), "y");
    Model model = build.build();
    CHECK(apply(rule, model) == "");
    CHECK(ops(model.graph()) == "Relu Squeeze");
    const Node& node = *model.graph().last_node();
    if (opset < 13) {
      CHECK(node.attr<Ints>("axes") == Ints{1, 2});
      CHECK(node.input_count() == 1);
    } else {
      CHECK(node.attribute("axes") == nullptr);
      CHECK(node.input(1)->constant()->dtype() == DType::i64);
    }
  };
  for (const int opset : {11, 17}) {
    check(keep, opset);
    check(rebuilt, opset);
  }
}

TEST_CASE("opt(...) is built if it was bound") {
  static constexpr auto drop_relu = rule<"drop-relu">(op<"Relu">(op<"Conv">(x, w, opt(b)).as(conv)),
                                                      conv(x, w, opt(tensor<twice>(b))));
  SECTION("without") {
    Convolution m;
    Model model = m.finish(m.op("Relu", {m.node.output(0)}));
    CHECK(apply(drop_relu, model) == "");
    CHECK(model.graph().first_node()->input_count() == 2);
  }
  SECTION("with") {
    Convolution m;
    Value& bias = m.build.constant(floats({3}, 4), "bias");
    Model model = m.finish(m.op("Relu", {&m.op("Conv", {&m.image, &m.weight, &bias})}));
    CHECK(apply(drop_relu, model) == "");
    CHECK(contents(model.graph().last_node()->input(2)) == std::vector<float>(3, 8));
  }
}

TEST_CASE("operands are lists: rest(...) and each(...)") {
  static constexpr auto flat = rule<"flat">(
      op<"Concat">(rest<"left">, op<"Concat">(rest<"middle">).with(axis), rest<"right">).with(axis),
      op<"Concat">(rest<"left">, rest<"middle">, rest<"right">).with(axis));
  static constexpr auto pulled =
      rule<"pulled">(op<"Concat">(each(op<"Relu">(x))).with(axis), op<"Relu">(op<"Concat">(each(x)).with(axis)));
  static constexpr auto pushed =
      rule<"pushed">(op<"Relu">(op<"Concat">(each(x)).with(axis)), op<"Concat">(each(op<"Relu">(x))).with(axis));
  Small m;
  Value& one = m.op("Tanh", {&m.in});
  Value& inner_node = m.op("Concat", {&m.in, &one}, {{"axis", 1}});
  Model model = m.finish(m.op("Concat", {&one, &inner_node, &m.in}, {{"axis", -1}}));
  Context context;
  infer_shapes(model.graph());
  CHECK(apply(flat, model) == "");
  const Node& concat = *model.graph().output(0)->producer();
  REQUIRE(concat.input_count() == 4);
  CHECK(concat.input(0) == &one);
  CHECK(concat.input(1) == &m.in);
  CHECK(concat.input(2) == &one);
  CHECK(concat.attr<std::int64_t>("axis") == 1);

  Small n;
  Model other = n.finish(n.op("Concat", {&n.op("Relu", {&n.in}), &n.op("Relu", {&n.in})}, {{"axis", 0}}));
  CHECK(apply(pulled, other) == "");
  CHECK(ops(other.graph()) == "Concat Relu");
  CHECK(apply(pushed, other) == "");
  CHECK(ops(other.graph()) == "Relu Relu Concat");
}

TEST_CASE("a chain is built again over another operand") {
  static constexpr auto moves = node<"moves">;
  static constexpr auto down =
      rule<"down">(chain(one_of<"Transpose", "Flatten">, op<"Relu">(x)).as(moves), op<"Relu">(moves(x)));
  Small m;
  Value& relu = m.op("Relu", {&m.in});
  Value& turned = m.op("Transpose", {&relu}, {{"perm", Ints{1, 0}}});
  Model model = m.finish(m.op("Flatten", {&turned}));
  CHECK(apply(down, model) == "");
  CHECK(ops(model.graph()) == "Transpose Flatten Relu");
  CHECK(model.graph().first_node()->attr<Ints>("perm") == Ints{1, 0});
}

TEST_CASE("constants are made: scalars, integers") {
  static constexpr auto alpha = attr<"alpha", float>;
  static constexpr auto scaled = rule<"scaled">(op<"Elu">(x).with(alpha), op<"Mul">(x, scalar(alpha).like(x)));
  static constexpr auto halved = rule<"halved">(op<"Neg">(x), op<"Mul">(x, scalar(0.5).like(x)));
  static constexpr auto reshaped = rule<"reshaped">(op<"Flatten">(x), op<"Reshape">(x, ints(0, -1)));
  Builder build(17);
  Value& in = build.input("in", DType::f16, {2, 2});
  build.output(build.op("Flatten", {&build.op("Neg", {&build.op("Elu", {&in}, {{"alpha", 0.25f}})})}), "y");
  Model model = build.build();
  infer_shapes(model.graph());
  Context context;
  CHECK((sweep(scaled) | sweep(halved) | sweep(reshaped)).run(model, context).changes == 3);
  const Node& quarter = *model.graph().first_node();
  CHECK(quarter.input(1)->constant()->dtype() == DType::f16);
  CHECK(quarter.input(1)->constant()->item<float>() == 0.25f);
  CHECK(quarter.next()->input(1)->constant()->item<float>() == 0.5f);
  CHECK(model.graph().last_node()->input(1)->constant()->to<std::int64_t>() == Ints{0, -1});
}

TEST_CASE("a constant that the replacement reads and that cannot be read declines") {
  Small m;
  onnx::TensorProto bad;
  bad.set_name("bad");
  bad.set_data_type(77);
  Value& unreadable = m.build.graph().add_initializer(bad);
  std::vector<Value*> inputs{&m.in, &unreadable};
  Model model = m.finish(*m.build.graph().insert("Mul", inputs, 1).output(0));
  static constexpr auto computed = rule<"computed">(op<"Mul">(x, w), op<"Add">(x, tensor<twice>(w)));
  CHECK(apply(computed, model) == "a constant that the replacement asks for cannot be read");
  static constexpr auto fold = rule<"fold">(op<"Mul">(x, w), op<"Add">(x, folded(op<"Neg">(w))));
  Context context;
  context.executor = [](const Node&, std::span<const Tensor>) { return std::nullopt; };
  CHECK(apply(fold, model, context) == "a constant that the replacement asks for cannot be read");
}

TEST_CASE("folded(...) is run by the executor") {
  static constexpr auto c = cst<"c">;
  static constexpr auto fold =
      rule<"fold">(op<"Mul">(op<"Mul">(x, w), c), op<"Mul">(x, folded(op<"Neg">(op<"Mul">(w, c)))));
  Small m;
  Value& two = m.build.constant(floats({2}, 2), "two");
  Value& three = m.build.constant(floats({2}, 3), "three");
  Model model = m.finish(m.op("Mul", {&m.op("Mul", {&m.in, &two}), &three}));
  CHECK(apply(fold, model) == "folded(...) needs an executor: set Context::executor, for example to node_executor()");
  Context context;
  std::vector<std::string> ran;
  context.executor = [&](const Node& node, std::span<const Tensor> inputs) -> std::optional<std::vector<Tensor>> {
    ran.emplace_back(node.op_type());
    if (node.is("Neg")) return std::vector{floats({2}, -inputs[0].to<float>()[0])};
    return std::vector{floats({2}, inputs[0].to<float>()[0] * inputs[1].to<float>()[0])};
  };
  CHECK(apply(fold, model, context) == "");
  CHECK(ops(model.graph()) == "Mul");
  CHECK(contents(model.graph().first_node()->input(1)) == std::vector<float>{-6, -6});
  CHECK(ran.back() == "Neg");
  CHECK(model.graph().initializers().size() == 1);
}

TEST_CASE("outputs(...) replaces outputs one by one") {
  static constexpr auto first_alone =
      rule<"first-alone">(op<"Split">(x).with(axis).as(act), outputs(op<"Relu">(x), none));
  static constexpr auto both_turned = rule<"both-turned">(
      op<"Split">(op<"Relu">(x)).with(axis).as(act), [](const auto& m, Rewriter& rw) -> Node& {
        Node& split = rw.clone(m[act], {&m[x]});
        return split;
      });
  Builder build(17);
  Value& in = build.input("in", DType::f32);
  Node& split = build.node("Split", {&build.op("Relu", {&in})}, 2, {{"axis", 1}});
  build.output(*split.output(0), "y");
  SECTION("an unused output needs none") {
    Model model = build.build();
    Context context;
    CHECK(sweep(first_alone).run(model, context).changes == 1);
    CHECK(ops(model.graph()) == "Relu Relu");
  }
  SECTION("a used one does") {
    build.output(*split.output(1), "z");
    Model model = build.build();
    CHECK(apply(first_alone, model) == "a used output would be left without a successor (1)");
  }
  SECTION("the outputs of a node replace those of the root") {
    build.output(*split.output(1), "z");
    Model model = build.build();
    CHECK(apply(both_turned, model) == "");
    CHECK(ops(model.graph()) == "Split");
    CHECK(model.graph().output(1)->name() == "z");
    CHECK(model.graph().output(1)->index() == 1);
  }
}

TEST_CASE("several roots are replaced together") {
  static constexpr auto parts = node<"parts">;
  static constexpr auto joined = rule<"joined">(
      roots(op<"Sin">(x), op<"Cos">(x)),
      outputs(op<"Split">(op<"Tanh">(x)).with(axis = 0).as(parts), parts.out(1))).changes_shapes();
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2, 2});
  build.output(build.op("Sin", {&in}), "y");
  build.output(build.op("Cos", {&in}), "z");
  Model model = build.build();
  Context context;
  CHECK(sweep(joined).run(model, context).changes == 1);
  CHECK(ops(model.graph()) == "Tanh Split");
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(model.graph().output(1)->name() == "z");
  CHECK(model.graph().output(1)->index() == 1);
}

TEST_CASE("a rule declines by itself, and says why") {
  const auto over_relu = [](const auto& rule, int opset = 17) {
    Small m(opset);
    Model model = m.finish(m.op("Relu", {&m.in}));
    infer_shapes(model.graph());
    const std::string before = model.serialize();
    const std::string why = apply(rule, model);
    Context context;
    const Report report = sweep(rule).run(model, context);
    CHECK(report.changes == 0);
    CHECK(report.rules[0].declined == 1);
    CHECK(model.serialize() == before);
    return why;
  };
  static constexpr auto gelu = rule<"gelu">(op<"Relu">(x), op<"Gelu">(x));
  CHECK(over_relu(gelu) == "opset 17 lacks Gelu");
  static constexpr auto turned = rule<"turned">(op<"Relu">(x), op<"Flatten">(x).with(attr<"axis", std::int64_t> = 0));
  CHECK(over_relu(turned) == "axis 0 has extent 1 in the replacement, 2 in the original");
  static constexpr auto retyped = rule<"retyped">(op<"Relu">(x), op<"Shape">(x));
  CHECK(over_relu(retyped) == "the replacement is i64, the original is f32");
  static constexpr auto mistyped = rule<"mistyped">(op<"Relu">(x), op<"Softmax">(x).with(attr<"axis", float> = 1.f));
  CHECK(over_relu(mistyped) == "the attribute 'axis' of Softmax is an int, given is a float (17)");
  static constexpr auto unset = rule<"unset">(op<"Relu">(x), op<"Cast">(x));
  CHECK(over_relu(unset) == "Cast requires the attribute 'to', an int, in opset 17");
  static constexpr auto circle = rule<"circle">(op<"Relu">(x).as(act), op<"Tanh">(act.out(0)));
  CHECK(over_relu(circle) == "the replacement would close a cycle");
  static constexpr auto idle = rule<"idle">(op<"Relu">(x), [](const auto&, Rewriter&) { return Verdict::yes(); });
  CHECK(over_relu(idle) == "the rule returned yes, but changed nothing");
  static constexpr auto unwilling =
      rule<"unwilling">(op<"Relu">(x), [](const auto& m, Rewriter& rw) {
        rw.op("Tanh", {&m[x]});
        return rw.decline("not on a Monday");
      });
  CHECK(over_relu(unwilling) == "not on a Monday");
  static constexpr auto signed_up = rule<"signed-up">(op<"Relu">(x), [](const auto& m, Rewriter& rw) {
    rw.add_output(*m.root().output(0));
    return Verdict::yes();
  });
  CHECK(over_relu(signed_up) == "the rewrite changes the graph's signature but does not declare it");
}

TEST_CASE("a function of the replacement declines by returning nothing") {
  static constexpr auto computed = rule<"computed">(op<"Add">(x, w), op<"Add">(x, tensor<nothing>(w)));
  Small m;
  Model model = m.finish(m.op("Add", {&m.in, &m.build.constant(floats({2, 2}), "c")}));
  CHECK(apply(computed, model) == "a function of the replacement over 'w' declines");
}

TEST_CASE("where(...) refuses a match") {
  static constexpr auto small_only = predicate<is_small>("the constant is large");
  static constexpr auto guarded = rule<"guarded">(op<"Add">(x, w), where(small_only(w)), op<"Sub">(x, w));
  for (const std::int64_t size : {2, 8}) {
    Builder build(17);
    Value& in = build.input("in", DType::f32, {size});
    build.output(build.op("Add", {&in, &build.constant(floats({size}), "c")}), "y");
    Model model = build.build();
    CHECK(apply(guarded, model) == (size == 2 ? "" : "the constant is large"));
  }
}

TEST_CASE("an attribute that a rule does not mention stops it") {
  static constexpr auto axpy = rule<"gemm">(op<"Gemm">(x, w), op<"MatMul">(x, w));
  Small m;
  Value& c = m.build.constant(floats({2, 2}), "c");
  Model model = m.finish(m.op("Gemm", {&m.in, &c}, {{"transB", 1}}));
  CHECK(apply(axpy, model) ==
        "it has transB, which is not its default and which the pattern does not mention; to keep it, bind "
        "the node by .as(node) and build node(...) or .like(node); to read it, write "
        ".with(opt(attr<\"transB\", std::int64_t>))");
}

TEST_CASE("a replacement that is a function edits, or returns what replaces the root") {
  static constexpr auto by_value =
      rule<"by-value">(op<"Relu">(x), [](const auto& m, Rewriter& rw) -> Value& { return rw.op("Tanh", {&m[x]}); });
  static constexpr auto in_place = rule<"in-place">(op<"Tanh">(x), [](const auto& m, Rewriter& rw) {
    rw.set_input(m.root().use(0), &rw.op("Neg", {&m[x]}));
    return Verdict::yes();
  });
  Small m;
  Model model = m.finish(m.op("Relu", {&m.in}));
  CHECK(apply(by_value, model) == "");
  CHECK(ops(model.graph()) == "Tanh");
  CHECK(apply(in_place, model) == "");
  CHECK(ops(model.graph()) == "Neg Tanh");
}

TEST_CASE("a rule reads arguments that a pass is given") {
  static constexpr auto limit = arg<"limit", int>;
  static constexpr auto fits = predicate<is_within>("the constant is larger than the limit");
  static constexpr auto guarded = rule<"guarded">(op<"Add">(x, w), where(fits(w, limit)), op<"Sub">(x, w));
  for (const int most : {2, 4}) {
    Small m;
    Model model = m.finish(m.op("Add", {&m.in, &m.build.constant(floats({2, 2}), "c")}));
    const Pass limited = pass("limited", sweep(guarded), limit = most);
    CHECK(limited.name() == "limited");
    CHECK(limited.run(model).changes == (most == 4 ? 1u : 0u));
    CHECK_THROWS_WITH(
        sweep(guarded).run(model),
        "pass 'sweep(guarded)': 'guarded' reads the argument 'limit', which is missing or has another type");
  }
}
