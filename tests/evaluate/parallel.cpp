#include <graft/evaluate/parallel.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/build.hpp>

#include "evaluate/detail/random.hpp"

using namespace graft;

namespace {

/// Every third task on each of three threads; counts the tasks.
ParallelFor on_threads(std::int64_t& tasks) {
  return [&tasks](std::int64_t count, const std::function<void(std::int64_t)>& task) {
    tasks += count;
    std::vector<std::thread> threads;
    for (std::int64_t first = 0; first < 3; ++first) {
      threads.emplace_back([=, &task] {
        for (std::int64_t i = count - 1 - first; i >= 0; i -= 3) task(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  };
}

Tensor random_tensor(Dims dims, std::uint32_t seed) {
  return Tensor::of(dims, random_floats(element_count(dims), seed));
}

Tensor random_bytes(Dims dims, std::uint32_t seed) {
  std::vector<float> values = random_floats(element_count(dims), seed);
  for (float& value : values) value = std::floor(value * 128);
  return Tensor::of(DType::i8, dims, values);
}

/// The bits of a node's output are the same on threads, which have something to do.
void check_inputs(std::string_view op, const Tensor& x, const std::vector<Tensor>& constants,
                  const Attributes& attributes) {
  Builder builder(17);
  std::vector<Value*> inputs{
      &builder.input("x", x.dtype(), std::vector<Dim>(x.dims().begin(), x.dims().end()))};
  for (const Tensor& constant : constants)
    inputs.push_back(&builder.constant(constant, "w" + std::to_string(inputs.size())));
  Value& y = *builder.graph().insert(op, inputs, 1, attributes).output(0);
  builder.output(y);
  // What a convolution is followed by goes into its loop.
  if (op == "Conv") builder.output(builder.op("Relu", {builder.graph().insert(op, inputs, 1, attributes).output(0)}));
  const Model model = builder.build();
  std::int64_t tasks = 0;
  const std::vector<Tensor> alone = Evaluator(model.graph()).run({{"x", x}});
  const std::vector<Tensor> together = Evaluator(model.graph(), on_threads(tasks)).run({{"x", x}});
  CAPTURE(op);
  CHECK(tasks > 1);
  for (std::size_t i = 0; i < alone.size(); ++i) CHECK(together[i].same_bytes(alone[i]));
}
void check_node(std::string_view op, const Tensor& x, const Tensor& w = {}, const Attributes& attributes = {}) {
  check_inputs(op, x, w ? std::vector<Tensor>{w} : std::vector<Tensor>(), attributes);
}

}  // namespace

TEST_CASE("threads change no bit of what is computed") {
  const Ints pads{1, 1, 1, 1};
  check_node("Conv", random_tensor({1, 64, 33, 30}, 1), random_tensor({200, 64, 3, 3}, 2), {{"pads", pads}});
  check_node("Conv", random_tensor({1, 200, 40, 40}, 1), random_tensor({90, 200, 1, 1}, 2), {});
  check_node("Conv", random_tensor({3, 8, 40, 40}, 1), random_tensor({8, 8, 3, 3}, 2), {{"pads", pads}});
  check_node("Conv", random_tensor({2, 90, 40, 40}, 1), random_tensor({90, 1, 3, 3}, 2), {{"group", 90}});
  check_node("Conv", random_tensor({1, 512, 7, 7}, 1), random_tensor({200, 512, 3, 3}, 2), {{"pads", pads}});
  check_node("Conv", random_tensor({1, 512, 9, 7}, 1), random_tensor({300, 512, 1, 1}, 2), {});
  check_node("MatMul", random_tensor({100, 300}, 1), random_tensor({300, 500}, 2), {});
  check_node("Gemm", random_tensor({1, 3000}, 1), random_tensor({3000, 3000}, 2), {{"transB", 1}});
  check_node("Gemm", random_tensor({20, 3000}, 1), random_tensor({500, 3000}, 2), {{"transB", 1}});
}

TEST_CASE("threads change no bit of sums of integers") {
  const Tensor one = Tensor::scalar(1.0F), zero = Tensor::scalar<std::int8_t>(3);
  const Tensor x = random_bytes({1, 64, 33, 30}, 1), w = random_bytes({200, 64, 3, 3}, 2);
  const Attributes pads{{"pads", Ints{1, 1, 1, 1}}};
  check_inputs("ConvInteger", x, {w, zero}, pads);
  check_inputs("ConvInteger", random_bytes({1, 512, 9, 7}, 1), {random_bytes({300, 512, 1, 1}, 2), zero}, {});
  check_inputs("MatMulInteger", random_bytes({100, 700}, 1), {random_bytes({700, 500}, 2), zero}, {});
  const std::vector<Tensor> constants{one, zero, w, one, zero, Tensor::scalar(2000.0F), zero};
  check_inputs("QLinearConv", x, constants, pads);
}

TEST_CASE("threads change no bit of what is computed element by element, or plane by plane") {
  const Tensor x = random_tensor({2, 30, 51, 47}, 1);
  for (const char* op : {"Relu", "Sigmoid", "Exp", "Tanh", "Erf"}) check_node(op, x);
  check_node("Clip", x, Tensor::scalar(0.25F));
  check_node("Add", x, random_tensor(x.dims(), 2));
  check_node("Sub", x, Tensor::scalar(0.25F));
  check_node("Mul", x, random_tensor({30, 1, 1}, 2));
  check_node("Div", x, random_tensor({51, 1}, 2));
  check_node("Max", random_tensor({30, 51, 1}, 2), x);
  check_node("QuantizeLinear", x, Tensor::scalar(0.01F));
  check_node("DequantizeLinear", Tensor::of(DType::u8, {90000}, std::vector<int>(90000, 7)), Tensor::scalar(0.01F));
  check_node("MaxPool", x, {}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}});
  check_node("AveragePool", x, {}, {{"kernel_shape", Ints{3, 3}}});
}

TEST_CASE("what a part throws comes out") {
  std::int64_t tasks = 0;
  const ParallelFor parallel = on_threads(tasks);
  std::vector<int> done(9);
  const auto part = [&](std::int64_t i) {
    done[static_cast<std::size_t>(i)] = 1;
    if (i == 4) throw std::runtime_error("four");
  };
  CHECK_THROWS_WITH(for_each_part(&parallel, 9, part), "four");
  CHECK(done == std::vector<int>(9, 1));
}

TEST_CASE("without threads the parts run in order") {
  std::vector<std::int64_t> order;
  for_each_part(nullptr, 3, [&](std::int64_t i) { order.push_back(i); });
  CHECK(order == std::vector<std::int64_t>{0, 1, 2});
}
