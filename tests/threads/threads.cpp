#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/pattern.hpp>
#include <graft/quantize.hpp>
#include <graft/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

// Several threads read one graph, or change a model each. The thread sanitizer reports what they share. Results are
// those of one thread.

namespace {

constexpr int threads = 4;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "threads: %s\n", what);
  std::exit(1);
}

/// f(0), f(1), ..., each on a thread of its own; their results in order.
template <class F>
auto on_threads(const F& f) {
  std::vector<decltype(f(0))> results(threads);
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back([&, i] { results[static_cast<std::size_t>(i)] = f(i); });
  for (std::thread& thread : running) thread.join();
  return results;
}

/// Has a local function and bodies, and reads constants: one behind more Identities than are walked each time.
Model varied_model() {
  std::string text = R"(
      x: f32[1,3,4,4]; c: bool[]; w = f32[2,3,1,1] random; p0 = Identity(f32[2] {1, -1});)";
  for (int i = 0; i < 40; ++i) text += "p" + std::to_string(i + 1) + " = Identity(p" + std::to_string(i) + ");";
  text += R"(
      h = Relu(Conv(x, w, p40))
      r = Reshape(h, Concat(Gather(Shape(h), i64[1] 0), i64[1] -1) {axis=0})
      y = If(c) {then_branch={ t = Neg(r) }, else_branch={ u = Relu(Relu(r)) }})";
  onnx::ModelProto proto = graph(text).commit();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("own");
  function.set_name("Unread");
  function.add_input("a");
  function.add_output("b");
  *function.add_opset_import() = proto.opset_import(0);
  onnx::NodeProto& node = *function.add_node();
  node.set_op_type("Abs");
  node.add_input("a");
  node.add_output("b");
  return Model(std::move(proto));
}

Feeds feeds_of(int seed) {
  std::vector<float> values;
  for (int i = 0; i < 48; ++i) values.push_back(static_cast<float>((i * 7 + seed * 5) % 11 - 5));
  return {{"x", Tensor::of<float>({1, 3, 4, 4}, values)}, {"c", Tensor::scalar(seed % 2 == 0)}};
}

std::string text_of(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors) text += to_string(tensor) + "\n";
  return text;
}

// What can be asked of a graph that others read, in words.

std::string walk(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    text += display_name(node) + (node.schema() != nullptr ? std::to_string(node.schema()->inputs().size()) : "");
    for (const Value& output : node.outputs()) {
      check(graph.find(output.name()) == &output, "a name is another value's");
      text += to_string(output) + to_string(output.shape()) + std::to_string(output.use_count());
      for (const Use& use : output.uses()) text += std::to_string(use.index());
    }
  }
  return text;
}

std::string read_constants(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    for (const Value* const input : node.inputs()) {
      text += input->is_constant() ? to_string(*input->constant()) : "_";
      if (const auto ints = known_ints(*input)) text += std::to_string(ints->size());
    }
  }
  return text;
}

std::string verify_all(const Graph& graph) {
  std::string text;
  for (const Problem& problem : verify(graph.model())) text += problem.text;
  return text;
}

/// Operators that the model has, and some that it has not.
std::string match_all(const Graph& graph) {
  constexpr auto x = val<"x">;
  Graph& same = graph.model().graph();  // a match hands out nodes that may be changed
  std::string text = std::to_string(find_all(query<"relu">(op<"Relu">(x)), same).size());
  text += std::to_string(find_all(query<"none">(one_of<"Gelu", "own::Unread", "own::Other">(x)), same).size());
  for (const Explanation& one : explain(query<"sum">(one_of<"Conv", "Sum", "Mean">(x)), same)) text += one.text;
  return text;
}

std::string evaluate(const Graph& graph) { return text_of(Evaluator(graph).run(feeds_of(1))); }

std::string print(const Graph& graph) { return to_string(graph) + graph.model().proto().SerializeAsString(); }

/// A copy reads the same files.
std::string change_copy(const Graph& graph) {
  Model model(graph.model().proto(), *graph.model().external_data());
  simplify().run(model);
  return read_constants(model.graph()) + print(model.graph());
}

void one_graph() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("graft_threads_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  varied_model().save(folder / "m.onnx", {.external_data_over = 16});
  const auto load = [&] { return Model::load(folder / "m.onnx"); };
  const Model alone = load();
  // Each question of a model that has not been asked before: threads that ask another first may order what follows.
  for (const auto& question : {walk, read_constants, verify_all, match_all, evaluate, print, change_copy}) {
    const Model model = load();
    const std::string expected = question(alone.graph());
    for (const std::string& answer : on_threads([&](int) { return question(model.graph()); }))
      check(answer == expected, "a graph reads otherwise on threads");
  }
  const Evaluator shared(alone.graph());
  const std::string expected = evaluate(alone.graph());
  for (const std::string& answer : on_threads([&](int) { return text_of(shared.run(feeds_of(1))); }))
    check(answer == expected, "a shared evaluator computes otherwise");
  std::filesystem::remove_all(folder);
}

std::string quantized(int which, std::size_t samples_at_a_time) {
  Model model = graph(which % 2 == 0 ? R"(
      x: f32[1,3,4,4]; w = f32[4,3,1,1] random; v = f32[2,4,1,1] random
      y = Conv(Relu(Identity(Conv(x, w, f32[4] 0.5))), v))"
                                     : R"(
      x: f32[1,3,4,4]; w = f32[3,1,3,3] random; s = f32[3] {2, 1, 0.5}
      n = BatchNormalization(Conv(x, w) {group=3, pads=[1,1,1,1]}, s, f32[3] 0, f32[3] 0, f32[3] 1)
      y = GlobalAveragePool(HardSwish(n)))");
  simplify().run(model);
  std::vector<Feeds> samples;
  for (int i = 0; i < 12; ++i) samples.push_back({feeds_of(i)[0]});
  Context context;
  context.threads = samples_at_a_time;
  quantize(model, samples, targets::ort_cpu_x64, {}, context);
  ThreadPool pool(2);
  const Evaluator evaluator(model.graph(), std::ref(pool));
  return to_string(model.graph()) + text_of(evaluator.run(samples[0]));
}

void many_models() {
  const auto quantize_one = [](int i) { return quantized(i, 1 + static_cast<std::size_t>(i) / 2); };
  const std::vector<std::string> together = on_threads(quantize_one);
  check(together[0] == together[2] && together[1] == together[3], "a model becomes another beside others");
  check(together[0] == quantized(0, 1) && together[1] == quantized(1, 1), "a model becomes another on threads");
}

}  // namespace

int main() {
  one_graph();
  many_models();
}
