// Measures the engine on graphs of 10^3 to 10^6 nodes: parse, view, match, rewrite, simplify and save, each in
// nanoseconds a node. The baseline only parses with protobuf, interns every name in a hash map, and serializes.
#include <string>
#include <unordered_map>

#include <benchmark/benchmark.h>

#include <graft/pattern.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify/simplify.hpp>

#include "graphs.hpp"
#include "topologies/exported_transformer.hpp"

namespace {

using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto w = cst<"w">;
inline constexpr auto b = cst<"b">;
inline constexpr auto low = cst<"low">;
inline constexpr auto high = cst<"high">;
inline constexpr auto conv_clip = query<"conv-clip">(op<"Clip">(op<"Conv">(x, w, opt(b)), low, high));
inline constexpr auto clip_to_relu = rule<"clip-to-relu">(op<"Clip">(x, low, high), op<"Relu">(x));
inline constexpr auto relu_to_abs = rule<"relu-to-abs">(op<"Relu">(x), op<"Abs">(x));
inline constexpr auto relu_to_two = rule<"relu-to-two">(op<"Relu">(x), op<"Abs">(op<"Neg">(x)));
inline constexpr auto relu_to_none = rule<"relu-to-none">(op<"Relu">(x), x);

const std::string& bytes_of(bool mobilenet, std::int64_t nodes) {
  static std::unordered_map<std::int64_t, std::string> made[2];
  std::string& bytes = made[mobilenet][nodes];
  if (bytes.empty())
    bytes = (mobilenet ? SyntheticModel::mobilenet(nodes) : SyntheticModel::chain(nodes)).SerializeAsString();
  return bytes;
}

struct Input {
  explicit Input(const benchmark::State& state) : bytes(bytes_of(state.range(0) != 0, state.range(1))) {}
  onnx::ModelProto parse() const {
    onnx::ModelProto proto;
    if (!proto.ParseFromString(bytes)) std::abort();
    return proto;
  }
  const std::string& bytes;
};

void report(benchmark::State& state, std::size_t nodes) {
  state.counters["ns/node"] = benchmark::Counter(
      static_cast<double>(nodes) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void baseline(benchmark::State& state) {
  const Input input(state);
  for (auto _ : state) {
    const onnx::ModelProto proto = input.parse();
    std::unordered_map<std::string, int> names;
    for (const onnx::NodeProto& node : proto.graph().node()) {
      for (const std::string& name : node.input()) names.try_emplace(name, static_cast<int>(names.size()));
      for (const std::string& name : node.output()) names.try_emplace(name, static_cast<int>(names.size()));
    }
    benchmark::DoNotOptimize(names.size() + proto.SerializeAsString().size());
  }
  report(state, static_cast<std::size_t>(state.range(1)));
}

void parse(benchmark::State& state) {
  const Input input(state);
  for (auto _ : state) benchmark::DoNotOptimize(input.parse().graph().node_size());
  report(state, static_cast<std::size_t>(state.range(1)));
}

void view(benchmark::State& state) {
  const Input input(state);
  for (auto _ : state) {
    state.PauseTiming();
    onnx::ModelProto proto = input.parse();
    state.ResumeTiming();
    Model model = Model::view(proto);
    benchmark::DoNotOptimize(model.graph().nodes().size());
    state.PauseTiming();
    state.counters["bytes/node"] =
        static_cast<double>(model.view_bytes()) / static_cast<double>(model.graph().nodes().size());
    { const Model dropped = std::move(model); }
    { const onnx::ModelProto dropped = std::move(proto); }
    state.ResumeTiming();
  }
  report(state, static_cast<std::size_t>(state.range(1)));
}

void match(benchmark::State& state) {
  Model model(Input(state).parse());
  for (auto _ : state) {
    std::size_t found = 0;
    for (Node& node : model.graph().nodes()) found += static_cast<bool>(graft::match(conv_clip, node));
    benchmark::DoNotOptimize(found);
  }
  report(state, model.graph().nodes().size());
}

void rewrite(benchmark::State& state) {
  const Input input(state);
  for (auto _ : state) {
    state.PauseTiming();
    Model model(input.parse());
    state.ResumeTiming();
    const Report done = sweep(clip_to_relu, relu_to_abs).run(model);
    if (done.changes == 0) std::abort();
    state.PauseTiming();
    { const Model dropped = std::move(model); }
    state.ResumeTiming();
  }
  report(state, static_cast<std::size_t>(state.range(1)));
}

/// A chain of Relus is reduced to one, with one edit a node; the inverted residuals do not change.
void simplify(benchmark::State& state) {
  const Input input(state);
  for (auto _ : state) {
    state.PauseTiming();
    Model model(input.parse());
    state.ResumeTiming();
    if (!graft::simplify().run(model).converged()) std::abort();
    state.PauseTiming();
    { const Model dropped = std::move(model); }
    state.ResumeTiming();
  }
  report(state, static_cast<std::size_t>(state.range(1)));
}

void whole(benchmark::State& state) {
  const Input input(state);
  for (auto _ : state) {
    Model model(input.parse());
    sweep(clip_to_relu, relu_to_abs).run(model);
    benchmark::DoNotOptimize(model.serialize().size());
  }
  report(state, static_cast<std::size_t>(state.range(1)));
}

void save(benchmark::State& state) {
  const Input input(state);
  for (auto _ : state) {
    state.PauseTiming();
    Model model(input.parse());
    sweep(clip_to_relu, relu_to_abs).run(model);
    state.ResumeTiming();
    benchmark::DoNotOptimize(model.serialize().size());
    state.PauseTiming();
    { const Model dropped = std::move(model); }
    state.ResumeTiming();
  }
  report(state, static_cast<std::size_t>(state.range(1)));
}

/// The cost of one change on a chain of that many nodes, in nanoseconds.
void change(benchmark::State& state, const onnx::ModelProto& chain, const Pass& pass) {
  const std::string bytes = chain.SerializeAsString();
  std::size_t changes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    onnx::ModelProto proto;
    if (!proto.ParseFromString(bytes)) std::abort();
    Model model(std::move(proto));
    infer_shapes(model.graph());
    state.ResumeTiming();
    const Report done = pass.run(model);
    changes = done.changes;
    state.PauseTiming();
    { const Model dropped = std::move(model); }
    state.ResumeTiming();
  }
  state.counters["changes"] = static_cast<double>(changes);
  state.counters["ns/change"] = benchmark::Counter(
      static_cast<double>(changes) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

constexpr std::int64_t chain_length = 100000;
/// Each node becomes two.
void change_for_two(benchmark::State& state) {
  change(state, SyntheticModel::repeated(chain_length, {"Relu"}), fixpoint(relu_to_two));
}
/// The input of each node replaces its output.
void change_for_present(benchmark::State& state) {
  change(state, SyntheticModel::repeated(chain_length, {"Relu"}), fixpoint(relu_to_none));
}
void change_by_simplify(benchmark::State& state) {
  change(state, SyntheticModel::undone(chain_length), graft::simplify());
}

/// Moves bodies out of bodies; here a node is an If.
void nested(benchmark::State& state) {
  const onnx::ModelProto proto = SyntheticModel::nested_ifs(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    Model model{onnx::ModelProto(proto)};
    state.ResumeTiming();
    graft::simplify().run(model);
    if (model.graph().nodes().size() != 1) std::abort();
    state.PauseTiming();
    { const Model dropped = std::move(model); }
    state.ResumeTiming();
  }
  report(state, static_cast<std::size_t>(state.range(0)));
}

/// Simplifies an encoder of 24 layers as exporters trace it: prints the nodes before and after, and the time.
void transformer(benchmark::State& state) {
  const std::string bytes = exported_transformer(static_cast<int>(state.range(0))).serialize();
  for (auto _ : state) {
    state.PauseTiming();
    onnx::ModelProto proto;
    if (!proto.ParseFromString(bytes)) std::abort();
    Model model(std::move(proto));
    state.counters["before"] = static_cast<double>(model.graph().nodes().size());
    state.ResumeTiming();
    if (!graft::simplify().run(model).converged()) std::abort();
    state.PauseTiming();
    state.counters["after"] = static_cast<double>(model.graph().nodes().size());
    { const Model dropped = std::move(model); }
    state.ResumeTiming();
  }
}

void sizes(benchmark::internal::Benchmark* made) {
  made->ArgNames({"mobilenet", "nodes"})->Unit(benchmark::kMillisecond);
  for (const int mobilenet : {0, 1})
    for (const int nodes : {1000, 10000, 100000, 1000000}) made->Args({mobilenet, nodes});
}

BENCHMARK(baseline)->Apply(sizes);
BENCHMARK(parse)->Apply(sizes);
BENCHMARK(view)->Apply(sizes);
BENCHMARK(match)->Apply(sizes);
BENCHMARK(rewrite)->Apply(sizes);
BENCHMARK(simplify)->Apply(sizes);
BENCHMARK(save)->Apply(sizes);
BENCHMARK(whole)->Apply(sizes);
BENCHMARK(transformer)->ArgName("opset")->Unit(benchmark::kMillisecond)->Arg(14)->Arg(17)->Arg(20);
BENCHMARK(change_for_two)->Unit(benchmark::kMillisecond);
BENCHMARK(change_for_present)->Unit(benchmark::kMillisecond);
BENCHMARK(change_by_simplify)->Unit(benchmark::kMillisecond);
BENCHMARK(nested)->ArgName("depth")->Unit(benchmark::kMillisecond)->Arg(100)->Arg(1000);

}  // namespace

BENCHMARK_MAIN();
