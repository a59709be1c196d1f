#include <graft/rewrite/rewriter.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

std::string why(const Verdict& verdict) { return verdict ? "" : to_string(verdict.reason()); }

/// Relu of in, a weight and their sum, which is the output.
struct Sum : Small {
  Value& relu = op("Relu", {&in});
  Value& weight = build.constant(floats({2, 2}), "weight");
  Value& sum = op("Add", {&relu, &weight});
  Model model = finish(sum);
  Graph& graph = model.graph();
  Context context;
  Rewriter rw{graph, context};
  Sum() { infer_shapes(graph); }
};

}  // namespace

TEST_CASE("what is done between two commits is kept whole") {
  Sum m;
  m.rw.at(*m.sum.producer());
  Value& gelu = m.rw.op("Tanh", {&m.relu});
  CHECK(gelu.dtype() == DType::f32);
  m.rw.set_input(m.sum.producer()->use(0), &gelu);
  CHECK(m.relu.use_count() == 1);
  CHECK(m.rw.accept());
  CHECK(ops(m.graph) == "Relu Tanh Add");
  CHECK(m.rw.edits().inserted == std::vector<Node*>{gelu.producer()});
}

TEST_CASE("what is not committed is taken back to the last bit") {
  Sum m;
  const std::string before = m.model.serialize();
  SECTION("by a refusal") {
    m.rw.at(*m.sum.producer());
    Value& tanh = m.rw.op("Tanh", {&m.rw.constant(floats({2, 2}, 7))});
    static_cast<void>(m.rw.replace(m.sum, tanh));
    m.rw.erase(*m.sum.producer());
    m.rw.erase(*m.relu.producer());
    m.rw.set_attribute(*tanh.producer(), {"no_such", 1});
    CHECK(why(m.rw.decline("not today")) == "not today");
  }
  SECTION("by an edit that cannot be done") {
    m.rw.at(*m.sum.producer());
    Value& tanh = m.rw.op("Tanh", {&m.sum});
    CHECK(why(m.rw.replace(m.sum, tanh)) == "the replacement would close a cycle");
    CHECK(why(m.rw.accept()) == "the replacement would close a cycle");
  }
  SECTION("by destruction") {
    Rewriter other(m.graph, m.context);
    other.at(*m.sum.producer());
    CHECK(other.replace(m.sum, m.relu));
    other.erase(*m.sum.producer());
    CHECK(ops(m.graph) == "Relu");
  }
  CHECK(ops(m.graph) == "Relu Add");
  CHECK(m.model.serialize() == before);
  CHECK(m.rw.accept());
}

TEST_CASE("known contents outlast a commit only if the rewrite said so before it began") {
  Sum m;
  Value& shape = m.rw.op("Shape", {&m.relu});
  CHECK(m.rw.accept());
  const auto known_after = [&](auto&& rewrite) {
    m.rw.known_contents().ints(shape);
    rewrite();
    CHECK(m.rw.accept());
    return m.rw.known_contents().is_current(m.model);
  };
  CHECK(known_after([&] {
    m.rw.keep_known_contents();
    m.rw.op("Tanh", {&m.relu});
  }));
  CHECK_FALSE(known_after([&] { m.rw.op("Tanh", {&m.relu}); }));
  CHECK_FALSE(known_after([&] {
    m.rw.op("Tanh", {&m.relu});
    m.rw.keep_known_contents();
  }));
}

TEST_CASE("a new node stands where its inputs are known") {
  Sum m;
  m.rw.at(*m.relu.producer());
  Value& late = m.rw.op("Tanh", {&m.sum});
  CHECK(m.rw.op("Tanh", {&m.in}).producer()->before(*m.relu.producer()));
  CHECK(m.sum.producer()->before(*late.producer()));
}

TEST_CASE("a node in a body may read the nodes after the one that holds the body") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  Value& flag = build.input("flag", DType::boolean, std::vector<Dim>{});
  Builder then_build(17, "then");
  then_build.output(then_build.op("Constant", {}, {{"value", floats({2})}}), "t");
  Builder else_build(17, "else");
  else_build.output(else_build.op("Constant", {}, {{"value", floats({2})}}), "e");
  Value& branch = build.op(
      "If", {&flag},
      {{"then_branch", then_build.build().proto().graph()}, {"else_branch", else_build.build().proto().graph()}});
  Value& behind = build.op("Relu", {&in});
  build.output(branch, "y");
  build.output(behind, "z");
  Model model = build.build();
  Context context;
  Rewriter rw(model.graph(), context);
  Graph& body = *branch.producer()->bodies()[0].graph;
  rw.at(*body.first_node());
  Value& tanh = rw.op("Tanh", {&behind});
  CHECK(rw.replace(*body.output(0), tanh));
  CHECK(rw.accept());
  CHECK(behind.producer()->before(*branch.producer()));
  CHECK(ops(model.graph()) == "Relu If");
}

TEST_CASE("equal fresh constants share an initializer") {
  Sum m;
  Value& one = m.rw.constant(floats({2}, 1));
  Value& same = m.rw.constant(floats({2}, 1));
  Value& other = m.rw.constant(floats({1, 2}, 1));
  CHECK(&one == &same);
  CHECK(&one != &other);
  m.rw.rollback();
  Value& again = m.rw.constant(floats({2}, 1));
  CHECK_FALSE(again.erased());
  CHECK(&again != &one);
}

TEST_CASE("axes and target shapes are constants of int64 and rank 1") {
  Sum m;
  Value& shape = m.rw.ints({0, -1});
  CHECK(shape.constant()->same_bytes(Tensor::of<std::int64_t>({2}, {0, -1})));
  CHECK(&m.rw.ints({0, -1}) == &shape);
  CHECK(m.rw.ints({}, "none").name().starts_with("none"));
}

TEST_CASE("a clone keeps what its node is, and takes a name of its own beside it") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2, 4});
  Node& split = build.node("Split", {&in}, 2, {{"axis", 1}});
  build.graph().edit(split).set_doc_string("halves");
  build.graph().edit(split).mutable_unknown_fields()->AddVarint(9999, 5);
  build.graph().rename(split, "halving");
  build.output(*split.output(0), "a");
  build.output(*split.output(1), "b");
  Model model = build.build();
  Context context;
  Rewriter rw(model.graph(), context);
  rw.at(split);
  Value& relu = rw.op("Relu", {&in});
  Node& copy = rw.clone(split, {&relu});
  CHECK(copy.output_count() == 2);
  CHECK(copy.attr<std::int64_t>("axis") == 1);
  CHECK(copy.proto().doc_string() == "halves");
  CHECK(copy.proto().unknown_fields().field(0).varint() == 5);
  CHECK(copy.output(0)->shape()[1].value() == 2);
  SECTION("in its place") {
    Value* const outputs[] = {copy.output(0), copy.output(1)};
    CHECK(rw.replace(split, outputs));
    CHECK(rw.accept());
    CHECK(copy.name() == "halving");
    CHECK(model.graph().output(0) == copy.output(0));
    CHECK(copy.output(0)->name() == "a");
  }
  SECTION("beside it") {
    CHECK(rw.accept());
    CHECK(copy.name() != "halving");
    CHECK(split.name() == "halving");
  }
}

TEST_CASE("a graph output keeps its name") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  Value& weight = build.constant(floats({2}), "weight");
  Value& relu = build.op("Relu", {&in});
  Value& tanh = build.op("Tanh", {&in});
  infer_shapes(build.graph());
  build.output(relu, "y");
  build.output(tanh, "z");
  Model model = build.build();
  Graph& graph = model.graph();
  Context context;
  Rewriter rw(graph, context);
  const auto identity_of = [&](const Value& value) {
    const Node* const node = graph.output(0)->producer();
    return node->is("Identity") && node->input(0) == &value;
  };
  SECTION("with its new producer") {
    rw.at(*relu.producer());
    Value& elu = rw.op("Elu", {&in});
    CHECK(rw.replace(relu, elu));
    CHECK(graph.output(0) == &elu);
  }
  SECTION("by an Identity of an input") {
    CHECK(rw.replace(relu, in));
    CHECK(identity_of(in));
  }
  SECTION("by an Identity of an initializer") {
    CHECK(rw.replace(relu, weight));
    CHECK(identity_of(weight));
  }
  SECTION("by an Identity of another output") {
    CHECK(rw.replace(relu, tanh));
    CHECK(identity_of(tanh));
    CHECK(graph.output(1) == &tanh);
  }
  CHECK(graph.output(0)->name() == "y");
  rw.erase_unused(std::vector<Node*>{relu.producer()});
  CHECK(rw.accept());
  const onnx::GraphProto& proto = model.commit().graph();
  CHECK(proto.output(0).name() == "y");
  CHECK(proto.output(1).name() == "z");
  CHECK(proto.output(0).type().tensor_type().shape().dim(0).dim_value() == 2);
}

TEST_CASE("what takes the place of an inner value bears its name, where it is new and the value is gone") {
  Sum m;
  m.relu.graph().rename(m.relu, "r");
  m.rw.at(*m.relu.producer());
  const std::string before = m.model.serialize();
  SECTION("a new node for one that goes") {
    Value& elu = m.rw.op("Elu", {&m.in});
    CHECK(m.rw.replace(m.relu, elu));
    CHECK(m.rw.accept());
    CHECK(elu.name() == "r");
    CHECK(m.graph.find("r") == &elu);
  }
  SECTION("not for one that stays") {
    Value& tanh = m.rw.op("Tanh", {&m.relu});
    m.rw.set_input(m.sum.producer()->use(0), &tanh);
    CHECK(m.rw.accept());
    CHECK(m.relu.name() == "r");
  }
  SECTION("not a value that was there before") {
    CHECK(m.rw.replace(m.relu, m.in));
    CHECK(m.rw.accept());
    CHECK(m.in.name() == "in");
    CHECK(m.graph.find("r") == nullptr);
  }
  SECTION("until it is taken back") {
    {
      Transaction whole(m.graph);
      Value& elu = m.rw.op("Elu", {&m.in});
      CHECK(m.rw.replace(m.relu, elu));
      CHECK(m.rw.accept());
      CHECK(elu.name() == "r");
    }
    CHECK(m.graph.find("r") == &m.relu);
    CHECK(m.model.serialize() == before);
  }
}

TEST_CASE("a value that stands for another is known as exactly as both") {
  Sum m;
  const auto dims = [](const Value& value) { return to_string(value.shape()); };
  const auto shaped = [](std::vector<Dim> extents) { return tensor_type(DType::f32, Shape(std::move(extents))); };
  Value& tanh = m.rw.op("Tanh", {&m.in});
  SECTION("extent by extent, a name before none, in whatever order") {
    m.rw.set_type(m.relu, shaped({Dim("N"), Dim(2)}));
    m.rw.set_type(tanh, shaped({Dim(), Dim("M")}));
    CHECK(m.rw.replace(m.relu, tanh));
    CHECK(dims(tanh) == "[N,2]");
    CHECK(m.rw.edits().changed.size() > 0);
  }
  SECTION("where nothing was known of it") {
    m.rw.set_type(tanh, tensor_type(DType::f32));
    CHECK(m.rw.replace(m.relu, tanh));
    CHECK(dims(tanh) == "[2,2]");
  }
  SECTION("not an input, whose type belongs to the signature") {
    m.rw.set_type(m.in, shaped({Dim("N"), Dim(2)}));
    CHECK(m.rw.replace(m.relu, m.in));
    CHECK(dims(m.in) == "[N,2]");
  }
  CHECK(m.rw.accept());
}

TEST_CASE("a graph input that is an output as well cannot be replaced") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  build.output(in);
  Model model = build.build();
  Context context;
  Rewriter rw(model.graph(), context);
  rw.at_end(model.graph());
  Value& relu = rw.op("Relu", {&in});
  CHECK(why(rw.replace(in, relu)) == "a graph input that is an output as well cannot be replaced");
}

TEST_CASE("what does not fit is refused") {
  Sum m;
  m.rw.at(*m.sum.producer());
  SECTION("another element type") {
    CHECK(why(m.rw.replace(m.relu, m.rw.constant(Tensor(DType::f64, {2, 2})))) ==
          "the replacement is f64, the original is f32");
  }
  SECTION("another rank") {
    CHECK(why(m.rw.replace(m.relu, m.rw.constant(floats({2})))) ==
          "the replacement has rank 1, the original has rank 2");
  }
  SECTION("another shape") {
    CHECK(why(m.rw.replace(m.relu, m.rw.constant(floats({1, 2})))) ==
          "axis 0 has extent 1 in the replacement, 2 in the original");
  }
  SECTION("an operator that the opset lacks") {
    m.rw.op("Gelu", {&m.relu});
    CHECK(why(m.rw.problem()) == "opset 17 lacks Gelu");
  }
  SECTION("an operator that the opset has deprecated") {
    m.rw.op("Upsample", {&m.relu, &m.rw.constant(floats({2}))});
    CHECK(why(m.rw.problem()) == "Upsample is deprecated in opset 17");
  }
  SECTION("an attribute that the version lacks") {
    m.rw.op("Squeeze", {&m.relu}, {{"axes", Ints{0}}});
    CHECK(why(m.rw.problem()) == "Squeeze lacks the attribute 'axes' in opset 17");
  }
  SECTION("an attribute of another type") {
    m.rw.op("Softmax", {&m.relu}, {{"axis", 1.f}});
    CHECK(why(m.rw.problem()) == "the attribute 'axis' of Softmax is an int, given is a float (17)");
  }
  SECTION("an attribute that becomes one of another type") {
    m.rw.set_attribute(*m.rw.op("Softmax", {&m.relu}).producer(), {"axis", 1.f});
    CHECK(why(m.rw.problem()) == "the attribute 'axis' of Softmax is an int, given is a float (17)");
  }
  SECTION("an attribute that is required") {
    m.rw.op("Cast", {&m.relu});
    CHECK(why(m.rw.problem()) == "Cast requires the attribute 'to', an int, in opset 17");
  }
  SECTION("too many inputs") {
    m.rw.op("Relu", {&m.relu, &m.in});
    CHECK(why(m.rw.problem()) == "Relu does not take 2 inputs in opset 17");
  }
  SECTION("an element type that the version does not take") {
    m.rw.op("Sqrt", {&m.rw.constant(Tensor(DType::i64, {2, 2}))});
    CHECK(why(m.rw.problem()) == "Sqrt does not take i64 as its input 0 in opset 17");
  }
  SECTION("element types that must be one") {
    m.rw.op("Add", {&m.relu, &m.rw.constant(Tensor(DType::f64, {2, 2}))});
    CHECK(why(m.rw.problem()) == "Add does not take f64 as its input 1 beside f32 in opset 17");
  }
  SECTION("inputs that do not go together") {
    m.rw.op("Add", {&m.relu, &m.rw.constant(floats({3}))});
    CHECK_FALSE(m.rw.problem());
  }
  SECTION("an input from behind") {
    m.rw.set_input(m.relu.producer()->use(0), &m.sum);
    CHECK(why(m.rw.problem()) == "the new input would close a cycle");
  }
  SECTION("a used output without a successor") {
    CHECK(why(m.rw.replace(*m.relu.producer(), {})) == "a used output would be left without a successor (0)");
  }
  SECTION("erasing what is used") {
    m.rw.erase(*m.relu.producer());
    CHECK(why(m.rw.problem()) == "a node is erased whose output is used");
  }
  SECTION("erasing a used initializer") {
    m.rw.erase(m.weight);
    CHECK(why(m.rw.problem()) == "only an unused initializer can be erased");
  }
  SECTION("dropping a used output") {
    m.rw.drop_output(m.relu);
    CHECK(why(m.rw.problem()) == "only an unused output of a node can be dropped");
  }
  const std::string first = why(m.rw.problem());
  CHECK(why(m.rw.accept()) == first);
  CHECK(ops(m.graph) == "Relu Add");
}

TEST_CASE("values of another model are refused, and what is erased already stays so") {
  Sum m;
  const Sum other;
  m.rw.set_input(m.sum.producer()->use(0), &other.relu);
  CHECK(why(m.rw.problem()) == "an input would read a value that is not visible there");
  CHECK_FALSE(m.rw.accept());
  Value& unused = m.graph.add_initializer(floats({2, 2}), "unused");
  m.rw.erase(unused);
  m.rw.erase(unused);
  CHECK(why(m.rw.problem()) == "");
  CHECK(m.rw.accept());
  CHECK(m.graph.initializers().size() == 1);
}

TEST_CASE("an erased value is called erased") {
  Sum m;
  Value& unused = m.graph.add_initializer(floats({2, 2}), "unused");
  m.rw.erase(unused);
  m.rw.set_input(m.sum.producer()->use(0), &unused);
  CHECK(why(m.rw.problem()) == "an input would read a value that is erased");
  CHECK_FALSE(m.rw.accept());
}

TEST_CASE("shapes may change where that is declared") {
  Sum m;
  m.rw.intend({.shapes = true});
  CHECK(m.rw.replace(m.relu, m.rw.constant(floats({1, 2}))));
  CHECK(m.rw.accept());
}

TEST_CASE("the signature changes where that is declared") {
  Sum m;
  const auto undeclared = "the rewrite changes the graph's signature but does not declare it";
  m.rw.rename(m.in, "input");
  CHECK(why(m.rw.accept()) == undeclared);
  m.rw.rename(m.sum, "output");
  CHECK(why(m.rw.accept()) == undeclared);
  m.rw.add_output(m.relu);
  CHECK(why(m.rw.accept()) == undeclared);
  m.rw.reorder_inputs({});
  CHECK(why(m.rw.accept()) == undeclared);
  m.rw.rename(m.relu, "inside");
  CHECK(m.rw.accept());

  m.rw.intend({.signature = true});
  m.rw.rename(m.in, "input");
  m.rw.add_output(m.relu);
  CHECK(m.rw.accept());
  m.rw.remove_output(0);
  CHECK(m.rw.accept());
  const onnx::GraphProto& proto = m.model.commit().graph();
  CHECK(proto.input(0).name() == "input");
  CHECK(proto.output_size() == 1);
  CHECK(proto.output(0).name() == "inside");
  m.rw.remove_input(m.in);
  CHECK(why(m.rw.accept()) == "a used graph input cannot be removed");
}

TEST_CASE("the imports follow the nodes, and go back with them") {
  Sum m;
  m.rw.at(*m.sum.producer());
  m.rw.op("com.microsoft::QuickGelu", {&m.relu});
  CHECK(m.model.opset("com.microsoft") == 1);
  m.rw.rollback();
  CHECK(m.model.opset("com.microsoft") == 0);
  m.rw.op("com.microsoft::QuickGelu", {&m.relu});
  CHECK(m.rw.accept());
  CHECK(m.model.commit().opset_import(1).domain() == "com.microsoft");
}

TEST_CASE("constants go with their last user, those of others stay") {
  Sum m;
  SECTION("an initializer") {
    CHECK(m.rw.replace(m.sum, m.relu));
    m.rw.erase(*m.sum.producer());
    CHECK_FALSE(m.weight.erased());
    CHECK(m.rw.accept());
    CHECK(m.weight.erased());
  }
  SECTION("an initializer that has another user") {
    m.rw.at_end(m.graph);
    m.rw.op("Tanh", {&m.weight});
    CHECK(m.rw.replace(m.sum, m.relu));
    m.rw.erase(*m.sum.producer());
    CHECK(m.rw.accept());
    CHECK_FALSE(m.weight.erased());
  }
  SECTION("a Constant behind an Identity") {
    m.rw.at(*m.sum.producer());
    Value& constant = m.rw.op("Constant", {}, {{"value", floats({2, 2})}});
    Value& identity = m.rw.op("Identity", {&constant});
    m.rw.set_input(m.sum.producer()->use(1), &identity);
    CHECK(m.rw.accept());
    CHECK(ops(m.graph) == "Relu Constant Identity Add");
    m.rw.set_input(m.sum.producer()->use(1), &m.relu);
    CHECK(m.rw.accept());
    CHECK(ops(m.graph) == "Relu Add");
  }
}

TEST_CASE("the default of a graph input stays when its last user goes") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  Value& relu = build.op("Relu", {&in});
  build.output(relu, "y");
  Model first = build.build();
  onnx::ModelProto proto = first.proto();
  proto.mutable_graph()->add_input()->set_name("scale");
  write_tensor(floats({2}), *proto.mutable_graph()->add_initializer());
  proto.mutable_graph()->mutable_initializer(0)->set_name("scale");
  Model model(std::move(proto));
  Context context;
  Rewriter rw(model.graph(), context);
  Value& scale = *model.graph().find("scale");
  rw.at_end(model.graph());
  Value& sum = rw.op("Add", {model.graph().output(0), &scale});
  CHECK(rw.accept());
  rw.erase(*sum.producer());
  CHECK(rw.accept());
  CHECK(scale.initializer() != nullptr);
}

TEST_CASE("nodes are inserted behind a value and before a use") {
  Sum m;
  m.rw.at(*m.sum.producer());
  SECTION("behind a graph output, which hands its name on") {
    Value& tanh = m.rw.insert_after(m.sum, "Tanh");
    CHECK(m.graph.output(0) == &tanh);
    CHECK(tanh.name() == "y");
    CHECK(m.sum.name() != "y");
    CHECK(tanh.producer()->input(0) == &m.sum);
  }
  SECTION("behind an inner value, for all of its uses but the new one") {
    m.rw.at_end(m.graph);
    Value& other = m.rw.op("Tanh", {&m.relu});
    m.rw.at(*m.sum.producer());
    Value& elu = m.rw.insert_after(m.relu, "Elu", {}, {{"alpha", 2.0f}});
    CHECK(m.relu.use_count() == 1);
    CHECK(elu.use_count() == 2);
    CHECK(other.producer()->input(0) == &elu);
  }
  SECTION("before one use") {
    Value& elu = m.rw.insert_before(m.sum.producer()->use(1), "Elu");
    CHECK(m.sum.producer()->input(1) == &elu);
    CHECK(elu.producer()->input(0) == &m.weight);
  }
  CHECK(m.rw.accept());
}

TEST_CASE("an input becomes absent, and trailing absent ones are dropped") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  Value& low = build.constant(floats({}, 0), "low");
  Value& high = build.constant(floats({}, 6), "high");
  Node& clip = build.node("Clip", {&in, &low, &high}, 1);
  build.output(*clip.output(0), "y");
  Model model = build.build();
  Context context;
  Rewriter rw(model.graph(), context);
  rw.remove_input(clip.use(1));
  CHECK(rw.accept());
  CHECK(clip.input_count() == 3);
  CHECK(clip.input(1) == nullptr);
  CHECK(low.erased());
  rw.remove_input(clip.use(2));
  CHECK(rw.accept());
  CHECK(clip.input_count() == 1);
  CHECK(high.erased());
}

namespace {

/// If over two branches: Relu of in plus a weight of its own, or in as it is; the first holds an If in turn.
struct Branches {
  static Model make() {
    Builder inmost(17, "inmost");
    inmost.output(inmost.op("Constant", {}, {{"value", floats({2}, 3)}}), "c");
    onnx::GraphProto constant = inmost.build().proto().graph();
    onnx::GraphProto reads = constant;
    reads.mutable_node(0)->Clear();
    reads.mutable_node(0)->set_op_type("Neg");
    reads.mutable_node(0)->add_input("shifted");
    reads.mutable_node(0)->add_output("c");

    Builder then_build(17, "then");
    Value& flag = then_build.constant(Tensor::scalar(true), "own_flag");
    Value& weight = then_build.constant(floats({2}, 5), "weight");
    Value& shifted = then_build.op("Relu", {&weight});
    then_build.graph().rename(shifted, "shifted");
    then_build.output(then_build.op("If", {&flag}, {{"then_branch", reads}, {"else_branch", constant}}), "t");

    Builder else_build(17, "else");
    else_build.output(else_build.op("Identity", {&else_build.constant(floats({2}), "k")}), "e");

    Builder build(17);
    Value& in = build.input("in", DType::f32, {2});
    Value& cond = build.constant(Tensor::scalar(true), "cond");
    Value& branch = build.op(
        "If", {&cond},
        {{"then_branch", then_build.build().proto().graph()}, {"else_branch", else_build.build().proto().graph()}});
    build.output(build.op("Add", {&branch, &in}), "y");
    build.output(branch, "z");
    onnx::ModelProto proto = build.build().proto();
    proto.mutable_graph()->mutable_node(0)->mutable_attribute(1)->mutable_g()->mutable_node(0)->set_input(0, "in");
    return Model(std::move(proto));
  }
  Model model = make();
  Graph& graph = model.graph();
  Node& branch = *graph.first_node();
  Context context;
  Rewriter rw{graph, context};
};

}  // namespace

TEST_CASE("an attribute that holds a body is neither written over nor removed") {
  Branches m;
  const std::string before = m.model.serialize();
  SECTION("written over") { m.rw.set_attribute(m.branch, {"then_branch", 1}); }
  SECTION("removed") { m.rw.remove_attribute(m.branch, "then_branch"); }
  CHECK(why(m.rw.accept()) == "an attribute holds a body: edit the body as a graph, or erase the node");
  CHECK(m.model.serialize() == before);
}

TEST_CASE("a body takes the place of its node") {
  Branches m;
  REQUIRE(m.branch.is("If"));
  SECTION("with its initializers, nodes and their bodies") {
    CHECK(m.rw.inline_body(m.branch, "then_branch"));
    CHECK(m.rw.accept());
    CHECK(ops(m.graph) == "Relu If Add");
    Node& inner = *m.graph.first_node()->next();
    CHECK(m.graph.output(1) == inner.output(0));
    CHECK(m.graph.output(1)->name() == "z");
    const Node& negation = *inner.bodies()[0].graph->first_node();
    CHECK(negation.is("Neg"));
    CHECK(negation.input(0) == m.graph.first_node()->output(0));
    CHECK(m.graph.first_node()->input(0)->constant()->to<float>() == std::vector<float>{5, 5});
  }
  SECTION("where it only passes on what is around it") {
    CHECK(m.rw.inline_body(m.branch, "else_branch"));
    CHECK(m.rw.accept());
    CHECK(ops(m.graph) == "Identity Add");
    CHECK(m.graph.output(1)->name() == "z");
  }
  SECTION("and the other body, and the condition, are gone") {
    CHECK(m.rw.inline_body(m.branch, "else_branch"));
    CHECK(m.rw.accept());
    CHECK(m.graph.initializers().empty());
    CHECK(m.model.scopes().size() == 1);
  }
  Model again(m.model.commit());
  CHECK(ops(again.graph()) == ops(m.graph));
}

TEST_CASE("bodies within a body take the place of their nodes with it") {
  Branches m;
  const auto first = [](const Node& node) -> const Graph* { return node.body("then_branch"); };
  CHECK(m.rw.inline_bodies(m.branch, first));
  CHECK(m.rw.accept());
  CHECK(ops(m.graph) == "Relu Neg Add");
  CHECK(m.graph.output(1)->name() == "z");
  CHECK(m.graph.output(1)->producer()->is("Neg"));
  CHECK(m.model.scopes().size() == 1);
  CHECK(m.graph.initializers().size() == 1);  // the weight, not the conditions
  CHECK(ops(Model(m.model.commit()).graph()) == ops(m.graph));
}

TEST_CASE("what only another body reads does not come along") {
  Branches m;
  const auto choose = [](const Node& node) -> const Graph* {
    return node.body(node.graph().parent() == nullptr ? "then_branch" : "else_branch");
  };
  CHECK(m.rw.inline_bodies(m.branch, choose));
  CHECK(m.rw.accept());
  CHECK(ops(m.graph) == "Constant Add");
  CHECK(m.graph.initializers().empty());
}

TEST_CASE("a node stays where none of its bodies is taken, or the one that is has inputs") {
  Branches m;
  CHECK(why(m.rw.inline_bodies(m.branch, [](const Node&) -> const Graph* { return nullptr; })) ==
        "none of the node's bodies is taken");
  m.rw.rollback();
  Node& inner = *m.branch.body("then_branch")->last_node();
  inner.body("then_branch")->add_input("extra", tensor_type(DType::f32));
  CHECK(m.rw.inline_bodies(m.branch, [](const Node& node) -> const Graph* { return node.body("then_branch"); }));
  CHECK(m.rw.accept());
  CHECK(ops(m.graph) == "Relu If Add");
}

TEST_CASE("a body that is inlined and taken back leaves no trace") {
  Branches m;
  const std::string before = m.model.serialize();
  CHECK(m.rw.inline_body(m.branch, "then_branch"));
  m.rw.rollback();
  CHECK(m.model.serialize() == before);
  CHECK(why(m.rw.inline_body(m.branch, "no_branch")) == "the node has no such body");
}

TEST_CASE("a clone has its bodies as they are now") {
  Branches m;
  Graph& body = *m.branch.bodies()[0].graph;
  m.rw.at(*body.first_node()->next());
  m.rw.insert_after(*body.first_node()->output(0), "Tanh");
  CHECK(m.rw.accept());
  m.rw.at(m.branch);
  Node& copy = m.rw.clone(m.branch, {m.branch.input(0)});
  CHECK(m.rw.accept());
  CHECK(ops(*copy.bodies()[0].graph) == "Relu Tanh If");
}

namespace {

/// Relu of in, twice added to in; Tanh between the sums stands outside.
struct Outlined : Small {
  Value& relu = op("Relu", {&in});
  Value& first = op("Add", {&relu, &in});
  Value& tanh = op("Tanh", {&first});
  Value& second = op("Add", {&relu, &first});
  Model model = [this] {
    build.output(tanh, "t");
    return finish(second);
  }();
  Graph& graph = model.graph();
  Context context;
  Rewriter rw{graph, context};
};

}  // namespace

TEST_CASE("nodes become a local function, and a call of it") {
  Outlined m;
  Node* const nodes[] = {m.second.producer(), m.relu.producer(), m.first.producer()};
  Node& call = m.rw.outline(nodes, "own::Both");
  CHECK(m.rw.accept());
  CHECK(ops(m.graph) == "Both Tanh");
  CHECK(call.is("own::Both"));
  CHECK(call.input_count() == 1);
  CHECK(call.output_count() == 2);
  CHECK(m.graph.output(1) == call.output(1));
  CHECK(m.graph.output(1)->name() == "y");
  REQUIRE(m.model.functions().size() == 1);
  CHECK(ops(*m.model.functions()[0]) == "Relu Add Add");
  CHECK(m.model.opset("own") == 1);

  const onnx::ModelProto& proto = m.model.commit();
  REQUIRE(proto.functions_size() == 1);
  CHECK(proto.functions(0).domain() == "own");
  CHECK(proto.functions(0).opset_import(0).version() == 17);
  CHECK(ops(Model(proto).graph()) == "Both Tanh");
}

TEST_CASE("an outline that is taken back, or cannot be, leaves no trace") {
  Outlined m;
  const std::string before = m.model.serialize();
  Node* const sums[] = {m.first.producer(), m.second.producer()};
  SECTION("taken back") {
    m.rw.outline(sums, "Sums");
    m.rw.rollback();
    CHECK(m.model.functions().empty());
    CHECK(m.model.scopes().size() == 1);
  }
  SECTION("of what a path leaves and comes back to") {
    Value& back = m.rw.op("Add", {&m.tanh, &m.second});
    CHECK(m.rw.accept());
    Node* const around[] = {m.first.producer(), back.producer()};
    m.rw.at_end(m.graph);
    m.rw.outline(around, "Around");
    CHECK(why(m.rw.accept()) == "the replacement would close a cycle");
    m.rw.erase(*back.producer());
    CHECK(m.rw.accept());
  }
  SECTION("of no nodes") {
    CHECK_THROWS_WITH(m.rw.outline({}, "Nothing"), "a function needs at least one node");
    CHECK(m.rw.accept());
  }
  SECTION("of a name that there is") {
    m.rw.outline(sums, "Sums");
    m.rw.outline(sums, "Sums");
    CHECK(why(m.rw.accept()) == "there is a function of that name already");
  }
  CHECK(m.model.serialize() == before);
}
