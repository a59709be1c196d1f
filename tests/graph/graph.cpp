#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/transaction.hpp>

#include "support/data.hpp"

using namespace graft;
using Catch::Matchers::Contains;

namespace {

/// The first invariant of the view that does not hold, from scratch; "" if all do.
std::string inconsistency(const Model& model) {
  std::unordered_map<const Value*, std::size_t> reads;
  for (const Graph* const graph : model.scopes()) {
    std::size_t count = 0;
    const Node* previous = nullptr;
    for (const Node& node : graph->nodes()) {
      ++count;
      if (previous != nullptr && !previous->before(node)) return "nodes out of order";
      previous = &node;
      for (const Value* const value : node.inputs()) {
        if (value == nullptr) continue;
        ++reads[value];
        if (value->erased()) return "an erased value is read";
        const Node* const producer = value->producer();
        if (producer != nullptr && &value->graph() == graph && !producer->before(node))
          return "read before it is produced";
      }
      for (const Value& output : node.outputs())
        if (!output.name().empty() && graph->find(output.name()) != &output) return "a name finds another value";
    }
    if (count != graph->nodes().size()) return "miscounted nodes";
    for (const Value* const output : graph->outputs()) reads[output] += output != nullptr;
  }
  for (const auto& [value, count] : reads) {
    std::size_t uses = 0;
    if (value == nullptr) continue;
    for (const Use& use : value->uses()) {
      ++uses;
      if (use.value() != value) return "a use of another value";
    }
    if (uses != count || uses != value->use_count()) return "miscounted uses";
  }
  return "";
}

class RandomEdits {
 public:
  explicit RandomEdits(unsigned seed) : random_(seed) {}

  void one(Model& model) {
    const std::vector<Graph*> scopes = model.scopes();
    Graph& graph = *scopes[below(scopes.size())];
    std::vector<Node*> nodes;
    for (Node& node : graph.nodes())
      if (node.output_count() > 0 && !node.output(0)->name().empty()) nodes.push_back(&node);
    if (nodes.empty()) return;
    Node& node = *nodes[below(nodes.size())];
    Node& other = *nodes[below(nodes.size())];
    switch (below(11)) {
      case 0: {
        Node& identity = graph.insert("Identity", {node.output(0)}, 1, {}, node.next());
        for (Use& use : node.output(0)->uses())
          if (use.user() != &identity && !use.is_graph_output()) REQUIRE(graph.set_input(use, identity.output(0)));
        return;
      }
      case 1:
        for (const Value& output : node.outputs())
          if (output.use_count() != 0) return;
        return graph.erase(node);
      case 2:
        if (node.input_count() > 0) static_cast<void>(graph.set_input(node, 0, other.output(0)));
        return;
      case 3: return graph.rename(*node.output(0), graph.fresh_name("renamed"));
      case 4: return graph.resize_inputs(node, below(node.input_count() + 2));
      case 5: return graph.set_attribute(node, {"note", 3});
      case 6:
        if (node.input_count() > 0)
          REQUIRE(graph.set_input(node, 0, &graph.add_initializer(Tensor::of<float>({2}, {1, 2}), "added")));
        return;
      case 7: {
        const std::vector<Value*> initializers = graph.initializers();
        if (initializers.empty()) return;
        Value& value = *initializers[below(initializers.size())];
        if (value.use_count() == 0) return graph.erase(value);
        return graph.set_initializer(value, Tensor::of<float>({1}, {3}));
      }
      case 8:
        if (graph.output_count() > 0) return graph.set_output(below(graph.output_count()), *node.output(0));
        return;
      case 9:
        return below(2) ? graph.declare_type(*node.output(0), tensor_type(DType::f32))
                        : graph.add_output(*node.output(0));
      default: static_cast<void>(graph.replace_uses(*node.output(0), *other.output(0)));
    }
  }

 private:
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  std::mt19937 random_;
};

onnx::ModelProto nested_model() {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {4});
  Value& condition = b.input("condition", DType::boolean, {});
  Value& a = b.op("Relu", {&x});
  Value& c = b.op("Neg", {&a});
  const auto branch = [&](const char* op, const Value& captured) {
    onnx::GraphProto body;
    body.set_name(op);
    onnx::NodeProto& node = *body.add_node();
    node.set_op_type(op);
    node.add_input(std::string(captured.name()));
    node.add_output(std::string("of_") + op);
    body.add_output()->set_name(std::string("of_") + op);
    return body;
  };
  Value& y = b.op("If", {&condition}, {{"then_branch", branch("Exp", a)}, {"else_branch", branch("Abs", c)}});
  b.output(b.op("Mul", {&y, &c}), "y");
  return b.build().commit();
}

}  // namespace

TEST_CASE("random edits keep every invariant, and rolling back leaves no trace") {
  std::vector<onnx::ModelProto> models{nested_model()};
  if (const auto folder = test_data("fixtures/transform/fusion")) {
    for (const char* const name : {"attention_symbolic_batch.onnx", "embed_layer_norm_format3.onnx", "reshape.onnx"})
      models.push_back(Model::load(*folder / name).proto());
  }
  for (const onnx::ModelProto& proto : models) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      Model model(proto);
      RandomEdits edits(seed);
      for (int round = 0; round < 6; ++round) {
        const std::string before = model.serialize();
        Transaction transaction(model.graph());
        for (int i = 0; i < 30; ++i) edits.one(model);
        REQUIRE(inconsistency(model) == "");
        if (round % 2 == 0) {
          transaction.rollback();
          REQUIRE(inconsistency(model) == "");
          REQUIRE(model.serialize() == before);
        } else {
          transaction.keep();
          const Model reread(model.commit());
          CHECK_FALSE(reread.was_unsorted());
          REQUIRE(inconsistency(reread) == "");
          CHECK(reread.graph().nodes().size() == model.graph().nodes().size());
        }
      }
    }
  }
}

TEST_CASE("an inner transaction rolls back alone") {
  Model model(nested_model());
  Graph& graph = model.graph();
  Transaction outer(graph);
  graph.insert("Neg", {graph.find("x")}, 1, {}, nullptr, "kept");
  {
    Transaction inner(graph);
    graph.insert("Neg", {graph.find("x")}, 1, {}, nullptr, "dropped");
    CHECK(graph.nodes().size() == 6);
  }
  CHECK(graph.nodes().size() == 5);
  CHECK_THROWS_WITH(model.commit(), Contains("open transaction"));
  outer.keep();
  CHECK(model.commit().graph().node_size() == 5);
}

TEST_CASE("a use inside a body is a use") {
  Model model(nested_model());
  Graph& graph = model.graph();
  Value& a = *graph.first_node()->output(0);
  REQUIRE(a.use_count() == 2);
  CHECK(std::any_of(a.uses().begin(), a.uses().end(), [&](const Use& use) { return &use.graph() != &graph; }));
  CHECK_THROWS_WITH(graph.erase(*graph.first_node()), Contains("is used"));

  Node& branch = *graph.find("y")->producer()->input(0)->producer();
  CHECK(branch.bodies().size() == 2);
  CHECK(branch.body(branch.bodies()[1].attribute) == branch.bodies()[1].graph);
  CHECK(branch.body("body") == nullptr);
  Transaction transaction(graph);
  REQUIRE(graph.set_input(*graph.find("y")->producer(), 0, &a));
  graph.erase(branch);
  CHECK(a.use_count() == 2);  // Neg and Mul: the body's use went with the node
  transaction.rollback();
  CHECK(a.use_count() == 2);
  CHECK(model.scopes().size() == 3);
}

TEST_CASE("a body is reachable as long as all nodes around it are in place") {
  onnx::ModelProto proto = nested_model();
  // A further If in a branch of the If.
  onnx::GraphProto& outer = *proto.mutable_graph()->mutable_node(2)->mutable_attribute(0)->mutable_g();
  onnx::NodeProto inner = proto.graph().node(2);
  for (onnx::AttributeProto& attribute : *inner.mutable_attribute()) {
    attribute.mutable_g()->mutable_node(0)->set_output(0, "inmost");
    attribute.mutable_g()->mutable_output(0)->set_name("inmost");
  }
  inner.set_output(0, "inner");
  *outer.add_node() = inner;
  Model model(std::move(proto));
  Graph& graph = model.graph();
  Node& branch = *graph.first_node()->next()->next();
  REQUIRE(branch.is("If"));
  Graph& body = *branch.bodies()[0].graph;
  Node& nested = *body.last_node();
  Graph& inmost = *nested.bodies()[1].graph;
  CHECK(graph.depth() == 0);
  CHECK(body.depth() == 1);
  CHECK(inmost.depth() == 2);
  CHECK(inmost.reachable());
  {
    Transaction transaction(graph);
    REQUIRE(graph.set_input(*graph.last_node(), 0, graph.find("x")));
    SECTION("the outer one goes") { graph.erase(branch); }
    SECTION("the inner one goes first") {
      body.erase(nested);
      CHECK(body.reachable());
      CHECK_FALSE(inmost.reachable());
      graph.erase(branch);
    }
    CHECK(graph.reachable());
    CHECK_FALSE(body.reachable());
    CHECK_FALSE(inmost.reachable());
    CHECK(model.scopes().size() == 1);
  }
  CHECK(body.reachable());
  CHECK(inmost.reachable());
  CHECK(model.scopes().size() == 5);

  body.erase(nested);
  Transaction transaction(graph);
  REQUIRE(graph.set_input(*graph.last_node(), 0, graph.find("x")));
  graph.erase(branch);
  transaction.rollback();
  CHECK(body.reachable());
  CHECK_FALSE(inmost.reachable());  // it was gone before
}

TEST_CASE("the payload of a node with bodies is edited without copying them") {
  Model model(nested_model());
  const std::string before = model.serialize();
  Graph& graph = model.graph();
  Node& branch = *graph.find("y")->producer()->input(0)->producer();
  const onnx::GraphProto* const body = &branch.proto().attribute(0).g();
  graph.rename(branch, "branch");
  Graph& inner = *branch.body(branch.proto().attribute(0).name());
  inner.insert("Neg", {inner.output(0)}, 1);
  inner.set_output(0, *inner.last_node()->output(0));
  model.commit();
  CHECK(&branch.proto().attribute(0).g() == body);
  CHECK(body->node_size() == 2);
  CHECK(body->output(0).name() == body->node(1).output(0));
  CHECK(branch.proto().name() == "branch");
  CHECK(branch.bodies()[0].attribute.data() == branch.proto().attribute(0).name().data());
  CHECK_THROWS_WITH(graph.remove_attribute(branch, branch.bodies()[0].attribute), Contains("holds a body"));
}

TEST_CASE("an edge that closes a cycle is refused and changes nothing") {
  Model model(nested_model());
  Graph& graph = model.graph();
  const std::string before = model.serialize();
  Node& first = *graph.first_node();
  CHECK_FALSE(graph.set_input(first, 0, graph.find("y")));
  CHECK_FALSE(graph.set_input(first, 0, first.output(0)));
  CHECK_FALSE(graph.replace_uses(*graph.find("x"), *graph.find("y")));
  CHECK(model.serialize() == before);
}

TEST_CASE("rewiring to a later node moves it, and what it needs, to the front") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {4});
  Value& early = b.op("Relu", {&x});
  b.output(early, "early");
  Value& late = b.op("Exp", {&b.op("Neg", {&x})});
  b.output(late, "late");
  Model model = b.build();
  REQUIRE(model.graph().set_input(*early.producer(), 0, &late));
  REQUIRE(inconsistency(model) == "");
  CHECK(model.graph().first_node()->op_type() == "Neg");
  CHECK(model.commit().graph().node(2).op_type() == "Relu");
}

TEST_CASE("thousands of nodes fit into one place") {
  Model model(nested_model());
  Graph& graph = model.graph();
  Node* const last = graph.last_node();
  Node* before = last;
  for (int i = 0; i < 3000; ++i) graph.insert("Neg", {graph.find("x")}, 1, {}, last);
  for (int i = 0; i < 3000; ++i) before = &graph.insert("Neg", {graph.find("x")}, 1, {}, before);
  REQUIRE(inconsistency(model) == "");
  CHECK(graph.nodes().size() == 6004);
}

TEST_CASE("iteration goes on from an erased node") {
  Model model(nested_model());
  Graph& graph = model.graph();
  for (int i = 0; i < 5; ++i) graph.insert("Neg", {graph.find("x")}, 1, {}, graph.first_node());
  std::size_t visited = 0;
  for (Node& node : graph.nodes()) {
    ++visited;
    if (node.output(0)->use_count() == 0) graph.erase(node);
  }
  CHECK(visited == 9);
  CHECK(graph.nodes().size() == 4);
}

TEST_CASE("fresh names keep clear of every name in every scope") {
  onnx::ModelProto proto = nested_model();
  proto.mutable_graph()->mutable_node(2)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_name("x__70");
  Model model(proto);
  CHECK(model.graph().fresh_name("x") == "x__71");
  CHECK(model.graph().fresh_name("x__5") == "x__72");
}

TEST_CASE("a renamed value keeps its declared type") {
  onnx::ModelProto proto = nested_model();
  onnx::ValueInfoProto& info = *proto.mutable_graph()->add_value_info();
  info.set_name(proto.graph().node(0).output(0));
  *info.mutable_type() = tensor_type(DType::f32);
  Model model(proto);
  model.graph().rename(*model.graph().first_node()->output(0), "activated");
  const onnx::GraphProto& graph = model.commit().graph();
  REQUIRE(graph.value_info_size() == 1);
  CHECK(graph.value_info(0).name() == "activated");
  CHECK(graph.value_info(0).type().tensor_type().elem_type() == onnx::TensorProto::FLOAT);
  CHECK(graph.node(2).attribute(0).g().node(0).input(0) == "activated");
}

TEST_CASE("what was read out of order is written in order, once anything is edited") {
  onnx::ModelProto proto = nested_model();
  proto.mutable_graph()->mutable_node()->SwapElements(0, proto.graph().node_size() - 1);
  Model model(proto);
  REQUIRE(model.was_unsorted());
  CHECK(Model(model.commit()).was_unsorted());
  model.graph().declare_type(*model.graph().first_node()->output(0), tensor_type(DType::f32));
  CHECK_FALSE(Model(model.commit()).was_unsorted());
}

TEST_CASE("a type that is taken away is not written, nor what is then inferred") {
  onnx::ModelProto proto = nested_model();
  onnx::ValueInfoProto& info = *proto.mutable_graph()->add_value_info();
  info.set_name(proto.graph().node(0).output(0));
  *info.mutable_type() = tensor_type(DType::f32, Shape({2}));
  Model model(proto);
  Value& value = *model.graph().find(info.name());
  model.graph().declare_type(value, {});
  CHECK(value.type() == nullptr);
  model.graph().set_type(value, tensor_type(DType::f32));
  CHECK(model.commit().graph().value_info_size() == 0);
  model.graph().declare_type(value, tensor_type(DType::f32));
  CHECK(model.commit().graph().value_info_size() == 1);
}

TEST_CASE("a type is written once its dtype is known") {
  Model model(nested_model());
  Value& value = *model.graph().first_node()->output(0);
  const int before = model.commit().graph().value_info_size();
  model.graph().declare_type(value, tensor_type(DType::undefined, Shape({2})));
  CHECK(value.shape() == Shape({2}));
  CHECK(model.commit().graph().value_info_size() == before);
  model.graph().declare_type(value, tensor_type(DType::f32, Shape({2})));
  CHECK(model.commit().graph().value_info_size() == before + 1);
}

TEST_CASE("a type that loses its dtype is not written over one that was") {
  Model model(nested_model());
  Graph& graph = model.graph();
  Value &value = *graph.first_node()->output(0), &output = *graph.output(0);
  for (Value* const one : {&value, &output}) graph.declare_type(*one, tensor_type(DType::f32, Shape({2})));
  const int before = model.commit().graph().value_info_size();
  REQUIRE(model.commit().graph().output(0).has_type());
  for (Value* const one : {&value, &output}) graph.declare_type(*one, tensor_type(DType::undefined, Shape({2})));
  const onnx::GraphProto& written = model.commit().graph();
  CHECK(written.value_info_size() == before - 1);
  CHECK_FALSE(written.output(0).has_type());
}

TEST_CASE("a value that takes over the name of another does not get its value_info") {
  const auto [from, to] = GENERATE(std::pair{"h", "k"}, std::pair{"w", "v"});  // made by nodes; initializers
  Builder b(13);
  Value& x = b.input("x", DType::f32, {1, 2});
  Value& h = b.op("Add", {&x, &b.constant(Tensor::of<float>({2}, {1, 2}), "w")});
  Value& k = b.op("Add", {&h, &b.constant(Tensor::of<float>({1, 2}, {1, 2}), "v")});
  b.graph().rename(h, "h");
  b.graph().rename(k, "k");
  b.output(b.op("Neg", {&k}), "y");
  Model model = b.build();
  Graph& graph = model.graph();
  graph.declare_type(*graph.find(from), tensor_type(DType::f32));
  model.commit();
  Value &old = *graph.find(from), &other = *graph.find(to);
  graph.rename(old, "aside");
  graph.rename(other, from);
  for (const onnx::ModelProto& written : {model.clone().proto(), model.commit()}) {
    REQUIRE(written.graph().value_info_size() == 1);
    CHECK(written.graph().value_info(0).name() == "aside");
  }
}

TEST_CASE("a value that is gone leaves no value_info behind") {
  onnx::ModelProto proto = nested_model();
  const std::string gone = proto.graph().node(0).output(0);
  proto.mutable_graph()->add_value_info()->set_name(gone);
  Model model(proto);
  Graph& graph = model.graph();
  REQUIRE(graph.replace_uses(*graph.find(gone), *graph.find("x")));
  graph.erase(*graph.first_node());
  CHECK(model.commit().graph().value_info_size() == 0);
}

namespace {

/// Says of a tensor where its scale is.
void annotate(onnx::GraphProto& graph, const std::string& tensor, const std::string& scale) {
  onnx::TensorAnnotation& annotation = *graph.add_quantization_annotation();
  annotation.set_tensor_name(tensor);
  onnx::StringStringEntryProto& parameter = *annotation.add_quant_parameter_tensor_names();
  parameter.set_key("SCALE_TENSOR");
  parameter.set_value(scale);
}

/// "x: scale" of each annotation.
std::string annotations(const onnx::GraphProto& graph) {
  std::string text;
  for (const onnx::TensorAnnotation& annotation : graph.quantization_annotation()) {
    text += (text.empty() ? "" : ", ") + annotation.tensor_name();
    for (const auto& parameter : annotation.quant_parameter_tensor_names()) text += ": " + parameter.value();
  }
  return text;
}

/// Relu of x is h, Neg of h is y; initializers s and t, which no node reads.
onnx::ModelProto annotated_model() {
  Builder build(17);
  Value& h = build.op("Relu", {&build.input("x", DType::f32, {2})});
  build.graph().rename(h, "h");
  build.output(build.op("Neg", {&h}), "y");
  build.constant(Tensor::scalar(1.0f), "s");
  build.constant(Tensor::scalar(2.0f), "t");
  onnx::ModelProto proto = build.build().commit();
  for (const char* const name : {"h", "nothing", "y", "x"}) annotate(*proto.mutable_graph(), name, "s");
  annotate(*proto.mutable_graph(), "x", "t");
  proto.mutable_graph()->add_quantization_annotation();
  return proto;
}

}  // namespace

TEST_CASE("taking edits back is a change") {
  Model model(annotated_model());
  Transaction transaction(model.graph());
  model.graph().rename(*model.graph().find("h"), "hidden");
  const std::uint64_t edits = model.edit_count();
  transaction.rollback();
  CHECK(model.edit_count() != edits);
}

TEST_CASE("annotations follow their values under new names") {
  const onnx::ModelProto proto = annotated_model();
  Model model(proto);
  CHECK(model.serialize() == proto.SerializeAsString());
  Graph& graph = model.graph();
  graph.rename(*graph.find("h"), "hidden");
  graph.rename(*graph.find("s"), "scale");
  CHECK(annotations(model.commit().graph()) == "hidden: scale, y: scale, x: scale");
}

TEST_CASE("an edited graph has one annotation for each tensor, and none of nothing") {
  onnx::ModelProto proto = annotated_model();
  onnx::TensorAnnotation& more = *proto.mutable_graph()->mutable_quantization_annotation(4);
  more.add_quant_parameter_tensor_names()->set_key("ZERO_POINT_TENSOR");
  more.mutable_quant_parameter_tensor_names(1)->set_value("t");
  Model model(proto);
  Graph& graph = model.graph();
  SECTION("a tensor takes the name of another") {
    Value &h = *graph.find("h"), &y = *graph.find("y");
    graph.set_output(0, h);
    graph.erase(*y.producer());
    graph.rename(h, "y");
    CHECK(annotations(model.commit().graph()) == "y: s, x: s: t");
  }
  SECTION("parameters follow") {
    graph.rename(*graph.find("t"), "zero");
    CHECK(annotations(model.commit().graph()) == "h: s, y: s, x: s: zero");
  }
}

TEST_CASE("an annotation of what is gone goes") {
  onnx::ModelProto proto = annotated_model();
  Model model = Model::view(proto);
  Graph& graph = model.graph();
  SECTION("a value") {
    REQUIRE(graph.replace_uses(*graph.find("h"), *graph.find("x")));
    graph.erase(*graph.first_node());
    CHECK(annotations(proto.graph()) == "h: s, nothing: s, y: s, x: s, x: t, ");
    model.commit();
    CHECK(annotations(proto.graph()) == "y: s, x: s");
  }
  SECTION("a parameter") {
    graph.erase(*graph.find("s"));
    model.commit();
    CHECK(annotations(proto.graph()) == "x: t");
  }
  SECTION("but one that was written into the proto meanwhile stays, and all others with it") {
    annotate(*model.commit().mutable_graph(), "x", "s");
    model.commit();
    CHECK(annotations(proto.graph()) == "h: s, nothing: s, y: s, x: s, x: t, , x: s");
    graph.rename(*graph.find("s"), "scale");  // from then on it follows as the others do
    model.commit();
    CHECK(annotations(proto.graph()) == "h: scale, y: scale, x: scale");
  }
  SECTION("not what makes an output, while the output is there") {
    Value& old = *graph.find("y");
    Value& other = *graph.insert("Abs", {graph.find("h")}).output(0);
    graph.set_output(0, other);
    graph.erase(*old.producer());
    graph.rename(other, "y");
    model.commit();
    CHECK(annotations(proto.graph()) == "h: s, y: s, x: s");
    graph.rename(other, "z");
    model.commit();
    CHECK(annotations(proto.graph()) == "h: s, z: s, x: s");
  }
}

TEST_CASE("inputs can be removed, added and reordered") {
  Model model(nested_model());
  Graph& graph = model.graph();
  Value& added = graph.add_input("added", tensor_type(DType::f32));
  CHECK_THROWS_WITH(graph.add_input("x", tensor_type(DType::f32)), Contains("'x'"));
  CHECK_THROWS_WITH(graph.remove_input(*graph.find("x")), Contains("used"));
  const std::vector<Value*> order{&added, graph.find("condition"), graph.find("x")};
  {
    Transaction transaction(graph);
    graph.reorder_inputs(order);
    graph.remove_input(added);
    CHECK(graph.inputs().size() == 2);
  }
  CHECK(graph.inputs()[0] == graph.find("x"));
  graph.reorder_inputs(order);
  graph.add_output(*graph.find("x"));
  graph.remove_output(0);
  const onnx::GraphProto& proto = model.commit().graph();
  CHECK(proto.input(0).name() == "added");
  CHECK(proto.input(2).name() == "x");
  REQUIRE(proto.output_size() == 1);
  CHECK(proto.output(0).name() == "x");
}

namespace {

/// Relu of x is h, Neg of h is y; k is an initializer that nobody reads.
Model small_model() {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {2});
  Value& h = build.op("Relu", {&x});
  build.graph().rename(h, "h");
  build.output(build.op("Neg", {&h}), "y");
  build.graph().rename(*h.producer(), "relu");
  build.graph().rename(*build.graph().last_node(), "neg");
  build.graph().add_initializer([] {
    onnx::TensorProto k;
    write_tensor(Tensor::scalar(1.0f), k);
    k.set_name("k");
    return k;
  }());
  return build.build();
}

}  // namespace

TEST_CASE("edits refuse values and nodes of another model, and change nothing") {
  Model model = small_model();
  const Model other = small_model();
  Graph& graph = model.graph();
  const std::string before = model.serialize();
  Value& foreign = *other.graph().find("h");
  Node& foreign_node = *foreign.producer();
  Node& relu = *graph.first_node();
  const auto refused = Contains("another model");
  const onnx::TypeProto type = tensor_type(DType::f32);
  CHECK_THROWS_WITH(graph.insert("Abs", {graph.find("x"), &foreign}), refused && Contains("input[1]"));
  CHECK_THROWS_WITH(graph.insert("Abs", {graph.find("x")}, 1, {}, &foreign_node), refused);
  CHECK_THROWS_WITH(graph.set_input(relu, 0, &foreign), refused && Contains("'relu'"));
  CHECK_THROWS_WITH(graph.set_input(foreign_node, 0, graph.find("x")), refused);
  CHECK_THROWS_WITH(graph.set_input(foreign_node.use(0), graph.find("x")), refused);
  CHECK_THROWS_WITH(graph.resize_inputs(foreign_node, 2), refused);
  CHECK_THROWS_WITH(graph.set_output(0, foreign), refused);
  CHECK_THROWS_WITH(graph.add_output(foreign), refused);
  CHECK_THROWS_WITH(graph.replace_uses(*graph.find("h"), foreign), refused);
  CHECK_THROWS_WITH(graph.replace_uses(foreign, *graph.find("h")), refused);
  CHECK_THROWS_WITH(graph.rename(foreign, "z"), refused);
  CHECK_THROWS_WITH(graph.rename(foreign_node, "z"), refused);
  CHECK_THROWS_WITH(graph.omit(foreign), refused);
  CHECK_THROWS_WITH(graph.set_type(foreign, type), refused);
  CHECK_THROWS_WITH(graph.declare_type(foreign, type), refused);
  CHECK_THROWS_WITH(graph.edit(foreign_node), refused);
  CHECK_THROWS_WITH(graph.set_attribute(foreign_node, {"a", 1}), refused);
  CHECK_THROWS_WITH(graph.remove_attribute(foreign_node, "a"), refused);
  CHECK_THROWS_WITH(graph.set_op(foreign_node, "Abs"), refused);
  CHECK_THROWS_WITH(graph.erase(foreign_node), refused);
  CHECK_THROWS_WITH(graph.erase(*other.graph().find("k")), refused);
  CHECK_THROWS_WITH(graph.set_initializer(*other.graph().find("k"), Tensor::scalar(1.0f)), refused);
  CHECK_THROWS_WITH(graph.order(foreign_node, relu), refused);
  CHECK_THROWS_WITH(graph.remove_input(*other.graph().find("x")), Contains("not a graph input"));
  CHECK_THROWS_WITH(graph.reorder_inputs(std::vector<Value*>{other.graph().find("x")}), Contains("permutation"));
  CHECK_THROWS_WITH(graph.reorder_inputs(std::vector<Value*>{nullptr}), Contains("permutation"));
  CHECK(inconsistency(model) == "");
  CHECK(model.serialize() == before);
}

TEST_CASE("edits refuse what has been erased, before and after a commit") {
  Model model = small_model();
  Graph& graph = model.graph();
  Node& gone_node = graph.insert("Abs", {graph.find("h")});
  Value& gone = *gone_node.output(0);
  Use& gone_use = gone_node.use(0);
  Value& gone_initializer = *graph.find("k");
  Value& gone_input = graph.add_input("gone", tensor_type(DType::f32));
  model.commit();
  graph.erase(gone_node);
  graph.erase(gone_initializer);
  graph.remove_input(gone_input);
  if (GENERATE(false, true)) model.commit();
  Node& relu = *graph.first_node();
  const auto refused = Contains("has been erased");
  const onnx::TypeProto type = tensor_type(DType::f32);
  for (Value* const value : {&gone, &gone_initializer, &gone_input}) {
    CHECK_THROWS_WITH(graph.insert("Abs", {value}), refused);
    CHECK_THROWS_WITH(graph.set_input(relu, 0, value), refused);
    CHECK_THROWS_WITH(graph.set_output(0, *value), refused);
    CHECK_THROWS_WITH(graph.add_output(*value), refused);
    CHECK_THROWS_WITH(graph.replace_uses(*graph.find("h"), *value), refused);
    CHECK_THROWS_WITH(graph.replace_uses(*value, *graph.find("h")), refused);
    CHECK_THROWS_WITH(graph.rename(*value, "z"), refused);
    CHECK_THROWS_WITH(graph.omit(*value), refused);
    CHECK_THROWS_WITH(graph.set_type(*value, type), refused);
    CHECK_THROWS_WITH(graph.declare_type(*value, type), refused);
    CHECK_THROWS_WITH(graph.set_initializer(*value, Tensor::scalar(2.0f)), refused);
    CHECK_THROWS_WITH(graph.erase(*value), refused);
    CHECK_THROWS_WITH(graph.remove_input(*value), refused);
  }
  CHECK_THROWS_WITH(graph.insert("Abs", {graph.find("x")}, 1, {}, &gone_node), refused);
  CHECK_THROWS_WITH(graph.set_input(gone_node, 0, graph.find("x")), refused);
  CHECK_THROWS_WITH(graph.set_input(gone_use, graph.find("x")), refused);
  CHECK_THROWS_WITH(graph.resize_inputs(gone_node, 2), refused);
  CHECK_THROWS_WITH(graph.rename(gone_node, "z"), refused);
  CHECK_THROWS_WITH(graph.edit(gone_node), refused);
  CHECK_THROWS_WITH(graph.set_attribute(gone_node, {"a", 1}), refused);
  CHECK_THROWS_WITH(graph.remove_attribute(gone_node, "a"), refused);
  CHECK_THROWS_WITH(graph.set_op(gone_node, "Abs"), refused);
  CHECK_THROWS_WITH(graph.erase(gone_node), refused);
  CHECK_THROWS_WITH(graph.order(gone_node, relu), refused);
  CHECK(inconsistency(model) == "");
  CHECK(model.commit().graph().node_size() == 2);
}

TEST_CASE("edits refuse inputs and outputs that do not exist") {
  Model model = small_model();
  Graph& graph = model.graph();
  const std::string before = model.serialize();
  Node& relu = *graph.first_node();
  CHECK_THROWS_WITH(graph.set_input(relu, 1, graph.find("x")), Contains("'relu'") && Contains("no input 1"));
  CHECK_THROWS_WITH(relu.use(7), Contains("'relu'") && Contains("no input 7"));
  CHECK_THROWS_WITH(graph.output_use(1), Contains("no output 1"));
  CHECK_THROWS_WITH(graph.set_output(1, *graph.find("h")), Contains("no output 1"));
  CHECK_THROWS_WITH(graph.remove_output(1), Contains("no output 1"));
  Use& stale = relu.use(0);
  graph.resize_inputs(relu, 2);
  CHECK_THROWS_WITH(graph.set_input(stale, graph.find("k")), Contains("resize"));
  graph.resize_inputs(relu, 1);
  CHECK(inconsistency(model) == "");
  CHECK(model.serialize() == before);
}

TEST_CASE("a node is not inserted before what it reads, nor without an operator") {
  Model model = small_model();
  Graph& graph = model.graph();
  const std::string before = model.serialize();
  CHECK_THROWS_WITH(graph.insert("Abs", {graph.find("y")}, 1, {}, graph.last_node()),
                    Contains("'y' is computed later"));
  CHECK_THROWS_WITH(graph.insert("", {graph.find("x")}), Contains("operator"));
  CHECK_THROWS_WITH(graph.set_op(*graph.first_node(), "domain::"), Contains("operator"));
  CHECK(model.serialize() == before);
}

TEST_CASE("an output that is omitted is read by nobody") {
  Model model = small_model();
  Graph& graph = model.graph();
  Node& split = graph.insert("Split", {graph.find("x")}, 2);
  graph.omit(*split.output(1));
  const auto refused = Contains("omitted");
  CHECK_THROWS_WITH(graph.insert("Abs", {split.output(1)}), refused);
  CHECK_THROWS_WITH(graph.set_input(*graph.first_node(), 0, split.output(1)), refused);
  CHECK_THROWS_WITH(graph.set_output(0, *split.output(1)), refused);
  CHECK_THROWS_WITH(graph.replace_uses(*graph.find("x"), *split.output(1)), refused);
}

TEST_CASE("an output that is omitted keeps its type, of which no value_info is left") {
  Model model = small_model();
  Graph& graph = model.graph();
  Value& unused = *graph.insert("Split", {graph.find("x")}, 2).output(1);
  graph.declare_type(unused, tensor_type(DType::f32, Shape({1})));
  model.commit();
  const onnx::TypeProto* const declared = unused.type();
  graph.omit(unused);
  CHECK(unused.type() != declared);
  model.commit();
  CHECK(unused.shape() == Shape({1}));
}

TEST_CASE("scopes read what is visible to them, under a name that means it there") {
  Model model(nested_model());
  Graph& graph = model.graph();
  Node& branch = *graph.find("y")->producer()->input(0)->producer();
  Graph& body = *branch.bodies()[0].graph;
  Graph& sibling = *branch.bodies()[1].graph;
  Value& inner = *body.output(0);
  Value& captured = *graph.first_node()->output(0);
  const auto uses = captured.uses();
  const auto in_body = std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return &use.graph() != &graph; });
  Graph& reader = in_body->graph();
  const auto invisible = Contains("not visible");
  CHECK_THROWS_WITH(graph.insert("Abs", {&inner}), invisible);
  CHECK_THROWS_WITH(sibling.insert("Abs", {&inner}), invisible);
  CHECK_THROWS_WITH(graph.set_input(*graph.first_node(), 0, &inner), invisible);
  CHECK_THROWS_WITH(graph.add_output(inner), invisible);
  CHECK_THROWS_WITH(graph.set_output(0, inner), invisible);
  CHECK_THROWS_WITH(graph.replace_uses(captured, inner), invisible);
  CHECK_THROWS_WITH(body.insert("Abs", {graph.find("y")}), Contains("computed later"));
  CHECK_THROWS_WITH(graph.rename(inner, "z"), Contains("another graph"));
  CHECK_THROWS_WITH(graph.erase(*body.first_node()), Contains("another graph"));

  CHECK_THROWS_WITH(graph.rename(captured, reader.output(0)->name()), Contains("taken in a body"));
  CHECK_THROWS_WITH(reader.rename(*reader.output(0), captured.name()), Contains("taken"));
  CHECK_THROWS_WITH(reader.add_input(captured.name(), tensor_type(DType::f32)), Contains("cannot be called"));
  graph.rename(captured, "a");
  sibling.rename(*sibling.output(0), "hidden");
  graph.rename(*graph.find("x"), "hidden");
  CHECK_THROWS_WITH(sibling.insert("Abs", {graph.find("hidden")}), Contains("hides"));
  CHECK(inconsistency(model) == "");
  CHECK(inconsistency(Model(model.commit())) == "");

  graph.set_output(0, captured);
  graph.erase(*graph.last_node());
  Use& inside = body.first_node()->use(0);
  graph.erase(branch);
  CHECK_THROWS_WITH(body.set_input(inside, &captured), Contains("has been erased"));
}

TEST_CASE("nodes have a size, and are found by name") {
  Model model = small_model();
  Graph& graph = model.graph();
  CHECK(graph.nodes().size() == 2);
  CHECK_FALSE(graph.nodes().empty());
  CHECK(&graph.nodes().front() == graph.first_node());
  CHECK(graph.find_node("neg") == graph.last_node());
  CHECK(graph.find_node("h") == nullptr);
  graph.rename(*graph.last_node(), "negated");
  CHECK(graph.find_node("neg") == nullptr);
  CHECK(graph.find_node("negated") == graph.last_node());
  Builder none(17);
  CHECK(none.graph().nodes().empty());
}
