// The kit proves itself: eight rules that are wrong, each in one respect that is easily overlooked, and the case that
// finds it.
#include <catch2/catch.hpp>

#include "testing/words.hpp"

using namespace words;

namespace {

/// Edits a graph at each node that it likes, the graph's own way, without the rewriter's guards.
Trial planted(std::string_view text, std::function<bool(Graph&, Node&)> edit) {
  return given(text).pass(pass("planted", [edit = std::move(edit)](Graph& graph, Context&) {
    Report report;
    for (Node& node : graph.nodes())
      if (edit(graph, node)) ++report.changes;
    return report;
  }));
}

/// The value stands in for the output of a node, which goes.
void put_in_place(Graph& graph, Node& node, Value& by) {
  const std::string name(node.output(0)->name());
  if (by.type() == nullptr && node.output(0)->type() != nullptr) graph.set_type(by, *node.output(0)->type());
  REQUIRE(graph.replace_uses(*node.output(0), by));
  bool renamed = false;
  for (std::size_t i = 0; i < graph.output_count(); ++i) {
    if (graph.output(i) != node.output(0)) continue;
    graph.set_output(i, by);
    renamed = true;
  }
  graph.erase(node);
  if (renamed) graph.rename(by, name);
}

Tensor sum(const Tensor& a, const Tensor& b) {
  std::vector<float> values = a.to<float>();
  const std::vector<float> others = b.to<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += others[i % others.size()];
  return Tensor::of(a.dtype(), a.dims(), values);
}
Tensor tensor_of(const Value& value) { return read_tensor(*value.initializer()); }
void erase_unused(Graph& graph, Value& constant) {
  if (constant.use_count() != 0 || constant.is_graph_input()) return;
  if (constant.producer() != nullptr) graph.erase(*constant.producer());
  else graph.erase(constant);
}
std::size_t users_here(const Value& value) {
  std::size_t count = 0;
  for (const Use& use : value.uses()) count += use.user() != nullptr && &use.graph() == &value.graph();
  return count;
}
void set_bias(Graph& graph, Node& convolution, Tensor bias) {
  graph.resize_inputs(convolution, 3);
  REQUIRE(graph.set_input(convolution, 2, &graph.add_initializer(std::move(bias), "bias")));
}

/// Which of the derived cases fail.
std::vector<std::string> failures(const Trial& trial) {
  const VariantReport report = variants(trial, {.inputs = 8});
  CHECK_FALSE(report);
  std::vector<std::string> names;
  for (const Variant& one : report.all())
    if (one.outcome == Variant::Outcome::failed) names.push_back(one.name);
  CHECK(report.find("as given")->outcome == Variant::Outcome::equivalent);  // it takes the kit to find the fault
  return names;
}
bool contains(const std::vector<std::string>& all, std::string_view name) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

constexpr std::string_view conv_add = R"(
  x: f32[1,2,4,4]; w = f32[3,2,1,1] random; c = f32[1,3,1,1] random
  h = Conv(x, w)
  y = Add(h, c))";
/// Adds the constant to the bias of the Conv, which has none, if `may` agrees.
Trial add_into_conv(std::function<bool(const Value& between)> may) {
  return planted(conv_add, [may = std::move(may)](Graph& graph, Node& node) {
    if (!node.is("Add") || node.input(0)->producer() == nullptr || !node.input(1)->is_constant()) return false;
    Node& convolution = *node.input(0)->producer();
    const Tensor constant = *node.input(1)->constant();
    if (!convolution.is("Conv") || convolution.input(2) != nullptr || !may(*node.input(0))) return false;
    if (constant.rank() != 4 || constant.dims()[1] != convolution.output(0)->shape()[1].value()) return false;
    Value& old = *node.input(1);
    set_bias(graph, convolution, constant.reshaped({constant.dims()[1]}));
    put_in_place(graph, node, *convolution.output(0));
    erase_unused(graph, old);
    return true;
  });
}

}  // namespace

TEST_CASE("planted: fan-out is ignored") {
  const auto failed = failures(add_into_conv([](const Value&) { return true; }));
  CHECK(contains(failed, "another consumer of %h"));
}

TEST_CASE("planted: a tapped output is not a user") {
  const auto failed = failures(add_into_conv([](const Value& h) {
    std::size_t nodes = 0;
    for (const Use& use : h.uses()) nodes += use.user() != nullptr;
    return nodes == 1;
  }));
  CHECK(contains(failed, "%h as a graph output"));
  CHECK_FALSE(contains(failed, "capture of %h by an If body"));
}

TEST_CASE("planted: a use by a body is not a use") {
  const auto failed = failures(
      add_into_conv([](const Value& h) { return users_here(h) == 1 && !h.is_graph_output(); }));
  CHECK(failed == std::vector<std::string>{"capture of %h by an If body"});
}

TEST_CASE("the same without a fault passes") {
  const VariantReport report = variants(add_into_conv([](const Value& h) { return h.use_count() == 1; }));
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("another consumer of %c")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("planted: an initializer that callers may override is taken for a constant") {
  const auto failed = failures(
      planted("x: f32[2]; a = f32[2] {1,2}; b = f32[2] {3,4}; y = Add(Add(x, a), b)", [](Graph& graph, Node& node) {
        Node* const inner = node.is("Add") ? node.input(0)->producer() : nullptr;
        if (inner == nullptr || !inner->is("Add") || inner->output(0)->use_count() != 1) return false;
        Value *const a = inner->input(1), *const b = node.input(1);
        if (a->initializer() == nullptr || b->initializer() == nullptr) return false;
        Value& both = graph.add_initializer(sum(tensor_of(*a), tensor_of(*b)), "sum");
        REQUIRE(graph.set_input(node, 1, &both));
        REQUIRE(graph.set_input(node, 0, inner->input(0)));
        graph.erase(*inner);
        for (Value* const old : {a, b}) erase_unused(graph, *old);
        return true;
      }));
  CHECK(failed == std::vector<std::string>{"%a as an input that callers may override",
                                           "%b as an input that callers may override"});
}

TEST_CASE("planted: another axis") {
  // Concat of Concat is flattened, whatever the axis of the inner one.
  const auto failed = failures(planted("x: f32[2,2]; z: f32[2,2]; h = Concat(x, z) {axis=0}; y = Concat(h, h) {axis=0}",
                                       [](Graph& graph, Node& node) {
                                         Node* const inner = node.is("Concat") ? node.input(0)->producer() : nullptr;
                                         if (inner == nullptr || !inner->is("Concat") ||
                                             node.input(1) != node.input(0) || inner->output(0)->use_count() != 2)
                                           return false;
                                         Value *const a = inner->input(0), *const b = inner->input(1);
                                         graph.resize_inputs(node, 4);
                                         for (std::size_t i = 0; i < 4; ++i)
                                           REQUIRE(graph.set_input(node, i, i % 2 == 0 ? a : b));
                                         graph.erase(*inner);
                                         return true;
                                       }));
  CHECK(contains(failed, "axis=1 at %h"));
  CHECK_FALSE(contains(failed, "axis=1 at every Concat"));
}

TEST_CASE("planted: an attribute that is always 1") {
  // The axis of the node is looked at, and written as it mostly is.
  const auto failed = failures(planted("x: f32[2,3]; y = Relu(Softmax(x) {axis=1})", [](Graph& graph, Node& node) {
    if (!node.is("Relu") || node.input(0)->producer() == nullptr || !node.input(0)->producer()->is("Softmax"))
      return false;
    Node& softmax = *node.input(0)->producer();
    if (softmax.output(0)->use_count() != 1) return false;
    Value& same = *graph.insert("Softmax", {softmax.input(0)}, 1, {{"axis", 1}}, &node).output(0);
    put_in_place(graph, node, same);
    graph.erase(softmax);
    return true;
  }));
  CHECK(contains(failed, "axis=0 at %Softmax_1"));
}

TEST_CASE("planted: a bias that is absent") {
  // The constant is added to the bias, and lost where there is none.
  constexpr std::string_view with_bias = R"(
    x: f32[1,2,4,4]; w = f32[3,2,1,1] random; b = f32[3] random; c = f32[1,3,1,1] random
    h = Conv(x, w, b)
    y = Add(h, c))";
  const auto failed = failures(planted(with_bias, [](Graph& graph, Node& node) {
    if (!node.is("Add") || node.input(0)->producer() == nullptr || !node.input(1)->is_constant()) return false;
    Node& convolution = *node.input(0)->producer();
    if (!convolution.is("Conv") || node.input(0)->use_count() != 1) return false;
    Value *const old_bias = convolution.input(2), *const constant = node.input(1);
    if (old_bias != nullptr && !old_bias->is_constant()) return false;
    if (old_bias != nullptr) set_bias(graph, convolution, sum(*old_bias->constant(), *constant->constant()));
    put_in_place(graph, node, *convolution.output(0));
    if (old_bias != nullptr) erase_unused(graph, *old_bias);
    erase_unused(graph, *constant);
    return true;
  }));
  CHECK(contains(failed, "%h without input B"));
}

TEST_CASE("planted: an operator that the opset lacks") {
  const auto failed = failures(planted(
      "x: f32[6]; h = HardSigmoid(x) {alpha=0.16666667, beta=0.5}; y = Mul(x, h)", [](Graph& graph, Node& node) {
        Node* const gate = node.is("Mul") ? node.input(1)->producer() : nullptr;
        if (gate == nullptr || !gate->is("HardSigmoid") || gate->output(0)->use_count() != 1 ||
            gate->input(0) != node.input(0))
          return false;
        if (gate->attr<float>("alpha") != 0.16666667f || gate->attr<float>("beta") != 0.5f) return false;
        put_in_place(graph, node, *graph.insert("HardSwish", {gate->input(0)}, 1, {}, &node).output(0));
        graph.erase(*gate);
        return true;
      }));
  CHECK(contains(failed, "opset 7"));
  CHECK(contains(failed, "opset 13"));
  CHECK_FALSE(contains(failed, "opset 14"));
}

TEST_CASE("planted: a shared weight is edited") {
  constexpr std::string_view scaled =
      "x: f32[1,2,4,4]; w = f32[3,2,1,1] random; s = f32[] 2; h = Conv(x, w); y = Mul(h, s)";
  const auto failed = failures(planted(scaled, [](Graph& graph, Node& node) {
    Node* const convolution = node.is("Mul") ? node.input(0)->producer() : nullptr;
    if (convolution == nullptr || !convolution->is("Conv") || convolution->output(0)->use_count() != 1) return false;
    Value *const w = convolution->input(1), *const s = node.input(1);
    if (convolution->input(2) != nullptr || !w->is_constant() || !s->is_constant() || w->initializer() == nullptr)
      return false;
    Tensor weights = tensor_of(*w);
    for (float& weight : weights.mutable_data<float>()) weight *= s->constant()->item<float>();
    graph.set_initializer(*w, weights);
    put_in_place(graph, node, *convolution->output(0));
    erase_unused(graph, *s);
    return true;
  }));
  CHECK(contains(failed, "another consumer of %w"));
  CHECK(contains(failed, "%w as a graph output"));
  CHECK(contains(failed, "capture of %w by an If body"));
}
