#include "evaluate/run_op.hpp"

#include <cmath>
#include <numeric>
#include <string>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/build.hpp>

using namespace graft;

std::vector<Tensor> run_op(int opset, std::string_view op, const std::vector<Tensor>& inputs,
                           const Attributes& attributes, std::size_t outputs) {
  Builder builder(opset);
  if (const OpName name = OpName::parse(op); !name.domain.empty()) builder.import(name.domain, opset);
  std::vector<Value*> values;
  Feeds feeds;
  for (const Tensor& input : inputs) {
    values.push_back(nullptr);
    if (!input) continue;
    const std::string name = "x" + std::to_string(values.size());
    values.back() = &builder.input(name, input.dtype(), std::vector<Dim>(input.dims().begin(), input.dims().end()));
    feeds.emplace_back(name, input);
  }
  Node& node = builder.graph().insert(op, values, outputs, attributes);
  for (std::size_t i = 0; i < outputs; ++i) builder.output(*node.output(i));
  const Model model = builder.build();
  return Evaluator(model.graph()).run(feeds);
}

Tensor floats(std::vector<float> values) { return Tensor::of({static_cast<std::int64_t>(values.size())}, values); }

Tensor ints(std::vector<std::int64_t> values) { return Tensor::of({static_cast<std::int64_t>(values.size())}, values); }

Tensor counting(Dims dims, float first) {
  Tensor tensor(DType::f32, std::move(dims));
  const auto values = tensor.mutable_data<float>();
  std::iota(values.begin(), values.end(), first);
  return tensor;
}

bool same(const Tensor& actual, const Tensor& expected, double tolerance) {
  if (actual.dtype() != expected.dtype() || actual.dims() != expected.dims()) return false;
  if (!is_float(actual.dtype())) return actual.same_bytes(expected);
  const std::vector<double> a = actual.to<double>();
  const std::vector<double> b = expected.to<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return false;
    if (a[i] != b[i] && !std::isnan(a[i]) && !(std::abs(a[i] - b[i]) <= tolerance)) return false;
  }
  return true;
}

std::string failure_of(int opset, std::string_view op, const std::vector<Tensor>& inputs,
                       const Attributes& attributes) {
  try {
    run_op(opset, op, inputs, attributes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
