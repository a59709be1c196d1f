#include <graft/evaluate/onnxruntime.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/testing/text.hpp>

#include "support/data.hpp"
#include "support/folder.hpp"

using namespace graft;

static_assert(Executor<OnnxRuntime>);
static_assert(Executor<const OnnxRuntime>);

namespace {

const OnnxRuntimeOptions one_thread{.threads = 1};

Tensor floats(std::vector<float> values) {
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

/// y = Relu(a - b), with "d" = a - b; b is a constant.
const char* const difference = R"(
  a: f32[2]
  b = f32[2] {1, 10}
  d = Sub(a, b)
  y = Relu(d)
)";

std::string message(const auto& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// The ranges of all tensors, as an executor finds them on two samples of x.
template <class Executor>
Ranges ranges(Executor&& executor, const Graph& graph) {
  std::vector<Feeds> samples;
  for (const std::int64_t batch : {1, 3}) {
    Tensor x(DType::f32, {batch, 2, 4, 4});
    float next = -20;
    for (float& element : x.mutable_data<float>()) element = next++;
    samples.push_back({{"x", x}});
  }
  Statistics statistics(MinMax().start());
  observe(executor, observable(graph), samples, statistics);
  return ranges_of(MinMax(), statistics);
}

/// Of whole numbers, so that no order of summation rounds.
const char* const exact_net = R"(
  x: f32[N,2,4,4]
  w = f32[3,2,3,3] {1,0,-1,2,0,-2,1,0,-1, 1,2,1,0,0,0,-1,-2,-1, 0,0,0,0,1,0,0,0,0, 3,0,0,0,0,0,0,0,0,
                    0,1,0,1,-4,1,0,1,0, 1,1,1,1,1,1,1,1,1}
  b = f32[3] {1,-2,3}
  c = Conv(x, w, b) {pads=[1,1,1,1]}
  r = Relu(c)
  p = MaxPool(r) {kernel_shape=[2,2], strides=[2,2]}
  y = Add(p, p)
)";

}  // namespace

TEST_CASE("a session runs its graph again and again, and results outlive it") {
  std::vector<Tensor> outputs;
  {
    const Model model = graph(difference);
    const OnnxRuntime runtime(model.graph());
    for (int i = 0; i < 2; ++i) outputs = runtime.run({{"a", floats({5, 5})}});
  }
  REQUIRE(outputs.size() == 1);
  CHECK(outputs[0].same_bytes(floats({4, 0})));
  outputs[0].mutable_data<float>()[1] = 7;
  CHECK(outputs[0].same_bytes(floats({4, 7})));
}

TEST_CASE("a session gives any value, by name or by itself, also twice, and changes no feed") {
  const Model model = graph(difference);
  const OnnxRuntime runtime(model.graph());
  const Value& d = *model.graph().find("d");
  const Tensor a = floats({5, 5});
  const std::vector<Tensor> values = runtime.run({{"a", a}}, {"d", d, "b", "a", "y"});
  REQUIRE(values.size() == 5);
  CHECK(values[0].same_bytes(floats({4, -5})));
  CHECK(values[1].same_bytes(floats({4, -5})));
  CHECK(values[2].same_bytes(floats({1, 10})));
  CHECK(values[3].same_bytes(floats({5, 5})));
  CHECK(values[4].same_bytes(floats({4, 0})));
  CHECK(a.same_bytes(floats({5, 5})));
}

TEST_CASE("a session does not compute what is fed, nor what only it needs") {
  const Model model = graph(difference);
  const OnnxRuntime runtime(model.graph());
  CHECK(runtime.run({{"d", floats({-1, 1})}}, {"y"})[0].same_bytes(floats({0, 1})));
  CHECK(runtime.run({{"a", floats({5, 5})}, {"b", floats({2, 2})}})[0].same_bytes(floats({3, 3})));
  CHECK(runtime.run({{"a", floats({5, 5})}}, {"a"})[0].same_bytes(floats({5, 5})));

  const Model halves = graph("x: f32[4]; a, b = Split(x, i64[2] {2, 2}) {axis=0}; y = Neg(a); z = Neg(b)");
  const auto next_number = [&] {
    const std::string name = halves.graph().fresh_name("n");
    return std::stoi(name.substr(name.rfind('_') + 1));
  };
  const int number = next_number();
  const auto values = OnnxRuntime(halves.graph()).run({{"x", floats({1, 2, 3, 4})}, {"a", floats({8, 9})}}, {"y", "z"});
  CHECK(values[0].same_bytes(floats({-8, -9})));
  CHECK(values[1].same_bytes(floats({-3, -4})));
  CHECK(next_number() == number + 1);  // the session has taken no name from the graph
}

TEST_CASE("a session gets what bodies read around them, and defaults that are not fed") {
  const Model model = graph(R"(
    c: bool[]
    x: f32[2]
    k: f32[] = {10}
    unused: f32[2]
    n = Neg(x)
    y = If(c) {then_branch={ t = Add(n, k) }, else_branch={ u = Identity(x) }}
  )");
  const OnnxRuntime runtime(model.graph());
  const auto run = [&](bool condition, Feeds feeds) {
    feeds.emplace_back("c", Tensor::scalar(condition));
    feeds.emplace_back("x", floats({1, 2}));
    return runtime.run(feeds)[0];
  };
  CHECK(run(true, {}).same_bytes(floats({9, 8})));
  CHECK(run(true, {{"k", Tensor::scalar(20.0f)}}).same_bytes(floats({19, 18})));
  CHECK(run(false, {}).same_bytes(floats({1, 2})));
  CHECK(runtime.run({}, {"k"})[0].same_bytes(Tensor::scalar(10.0f)));
}

TEST_CASE("symbolic dims take any size, none too") {
  const Model model = graph("x: f32[N,2]; y = Concat(x, x) {axis=0}");
  const OnnxRuntime runtime(model.graph());
  for (const std::int64_t n : {3, 1, 0})
    CHECK(runtime.run({{"x", Tensor(DType::f32, {n, 2})}})[0].same_bytes(Tensor(DType::f32, {2 * n, 2})));
}

TEST_CASE("tensors of every dtype that the runtime has pass through it") {
  std::string refused;
  for (std::int32_t number = 1; is_known(DType{number}); ++number) {
    const DType dtype{number};
    if (dtype == DType::string) continue;
    CAPTURE(to_string(dtype));
    const Model model = graph("ir 11; opset 23; x: " + std::string(to_string(dtype)) + "[5]; y = Transpose(x)");
    Tensor tensor(dtype, {5});
    unsigned char next = 0;
    for (std::byte& byte : tensor.mutable_bytes()) byte = std::byte{next++ % 2 == 0};
    Tensor output;
    if (message([&] { output = OnnxRuntime(model.graph()).run({{"x", tensor}})[0]; }).empty()) {
      CHECK(output.same_bytes(tensor));
    } else {
      refused += std::string(to_string(dtype)) + " ";
    }
  }
  CHECK(refused == "c64 c128 f4e2m1 f8e8m0 u2 i2 ");
}

TEST_CASE("what is wrong with a session is named, else told in the runtime's words") {
  Model model = graph(difference);
  const OnnxRuntime runtime(model.graph());
  CHECK(message([&] { runtime.run({}, {"y"}); }) == "a: has no value: it is neither fed nor computed");
  CHECK(message([&] { runtime.run({}, {"nowhere"}); }) ==
        "nowhere: the graph computes no such value; its inputs are 'a'");
  CHECK(message([&] { runtime.run({{"a", floats({1, 2, 3})}}); }) == "a: fed with f32[3], expected f32[2]");

  const Model unknown = graph("x: f32[1]; y = my.domain::Twist(x)");
  CHECK(message([&] { OnnxRuntime(unknown.graph()).run({{"x", floats({1})}}); }).find("Twist") != std::string::npos);
  const Model failing = graph("x: f32[N]; s: i64[1]; y = Reshape(x, s)");
  const Feeds feeds{{"x", floats({1, 2})}, {"s", Tensor::of<std::int64_t>({1}, {3})}};
  CHECK(message([&] { OnnxRuntime(failing.graph()).run(feeds); }).find("ONNX Runtime: ") == 0);
  const Model inner = graph("c: bool[]; x: f32[1]; y = If(c) {then_branch={ t = Neg(x) }, else_branch={ u = Abs(x) }}");
  const Graph& branch = *inner.graph().first_node()->bodies()[0].graph;
  CHECK_THROWS_WITH(OnnxRuntime(branch), "only the main graph of a model can be run");
  CHECK_THROWS_WITH(OnnxRuntime(inner.graph()).run({}, {branch.output(0)}),
                    "t: the graph computes no such value; its inputs are 'c', 'x'");
  const Model sequence = graph("x: f32[2]; s = SequenceConstruct(x); y = SequenceLength(s)");
  CHECK(message([&] { OnnxRuntime(sequence.graph()).run({{"x", floats({1, 2})}}, {"s"}); }) == "s: is not a tensor");
  const Model text = graph("x: f32[1]; y = Cast(x) {to=8}");
  CHECK(message([&] { OnnxRuntime(text.graph()).run({{"x", floats({1})}}); }).find("y: ") == 0);
  const OnnxRuntimeOptions bad{.configure = [](const OrtApi& api, OrtSessionOptions&) {
    return api.CreateStatus(ORT_INVALID_ARGUMENT, "not this way");
  }};
  CHECK(message([&] { OnnxRuntime(model.graph(), bad).run({{"a", floats({1, 2})}}); }) ==
        "ONNX Runtime: not this way");
}

TEST_CASE("weights that lie beside the model are found there") {
  const Folder folder;
  Model whole = graph(difference);
  whole.save(folder / "model.onnx", {.external_data_over = 0});
  const Model model = Model::load(folder / "model.onnx");
  REQUIRE(model.graph().find("b")->initializer()->data_location() == onnx::TensorProto::EXTERNAL);
  CHECK(OnnxRuntime(model.graph()).run({{"a", floats({5, 5})}})[0].same_bytes(floats({4, 0})));
  std::filesystem::remove(folder / "model.onnx.data");
  CHECK(message([&] { OnnxRuntime(model.graph()).run({{"a", floats({5, 5})}}); }).find("model.onnx.data") !=
        std::string::npos);
}

TEST_CASE("calibration in a session finds the ranges that the evaluator finds") {
  Model model = graph(exact_net);
  const Ranges expected = ranges(Evaluator(model.graph()), model.graph());
  CHECK(expected.size() == 5);
  CHECK(ranges(OnnxRuntime(model.graph(), one_thread), model.graph()) == expected);

  Context context;
  const std::vector<Feeds> samples{{{"x", Tensor(DType::f32, {1, 2, 4, 4})}}};
  int made = 0;
  const auto in_session = [&made](const Graph& graph) {
    ++made;
    return OnnxRuntime(graph, one_thread);
  };
  calibrate(samples, MinMax(), in_session).run(model, context);
  CHECK(made == 1);
  CHECK(context.facts.find<Ranges>()->at("y") == Range{0, 6});
}

TEST_CASE("several runs go on in a session at once") {
  const Model model = graph(exact_net);
  const OnnxRuntime runtime(model.graph(), one_thread);
  const Evaluator evaluator(model.graph());
  std::vector<int> differences(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::vector<float> all(32, static_cast<float>(i));
      const Feeds feeds{{"x", Tensor::of<float>({1, 2, 4, 4}, all)}};
      const Fetches fetches{i % 2 == 0 ? "c" : "p", "y"};
      for (int round = 0; round < 20; ++round) {
        const auto actual = runtime.run(feeds, fetches), expected = evaluator.run(feeds, fetches);
        for (std::size_t k = 0; k < fetches.size(); ++k) differences[i] += !actual[k].same_bytes(expected[k]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(differences == std::vector<int>(4, 0));
}

TEST_CASE("a session gives every tensor of a model as the evaluator does", "[data]") {
  TEST_DATA(path, "models/mobilenetv2.onnx");
  const Model model = Model::load(path);
  const std::vector<const Value*> values = observable(model.graph());
  const Fetches fetches(values.begin(), values.end());
  const Value& image = *model.graph().inputs()[0];
  Dims dims;
  for (std::size_t axis = 0; axis < image.shape().rank(); ++axis)
    dims.push_back(image.shape()[axis].known() ? image.shape()[axis].value() : 1);
  Tensor stripes(DType::f32, dims);
  float place = 0;
  for (float& value : stripes.mutable_data<float>()) value = std::sin(place++ / 7);
  const Feeds feeds{{&image, stripes}};
  const std::vector<Tensor> actual = OnnxRuntime(model.graph()).run(feeds, fetches);
  const std::vector<Tensor> expected = Evaluator(model.graph()).run(feeds, fetches);
  for (std::size_t i = 0; i < fetches.size(); ++i) {
    CAPTURE(fetches[i].name());
    REQUIRE(actual[i].dims() == expected[i].dims());
    const auto a = actual[i].data<float>(), b = expected[i].data<float>();
    float largest = 0, apart = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      largest = std::max(largest, std::abs(b[k]));
      apart = std::max(apart, std::abs(a[k] - b[k]));
    }
    CHECK(apart <= 1e-4f * largest);
  }
}
