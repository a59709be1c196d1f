// Nodes changed at random: what comes of one is an output or a graft::Error, never another exception, and under
// sanitizers nothing that they report.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/backward.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/schema.hpp>
#include <graft/simplify/fold_constants.hpp>

#include "evaluate/sample_nodes.hpp"

using namespace graft;

namespace {

/// Changes a node in one way or a few. Numbers are small, or larger than any memory.
class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  SampleNode mutated(SampleNode node, const std::vector<SampleNode>& others) {
    for (std::size_t i = 0; i < 1 + below(3); ++i) mutate(node, others);
    return node;
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  void mutate(SampleNode& node, const std::vector<SampleNode>& others) {
    switch (below(10)) {
      case 0: node.opset = static_cast<int>(1 + below(24)); return;
      case 1: return change_inputs(node, others);
      case 2:
        if (is_bodiless(node)) node.op = others[below(others.size())].op;
        return;
      case 3: node.outputs = 1 + below(4); return;
      case 4: return add_attribute(node);
      case 5:
      case 6:
        if (!node.attributes.empty()) return change_attribute(node);
        [[fallthrough]];
      default:
        if (node.inputs.empty()) return;
        Tensor& input = node.inputs[below(node.inputs.size())];
        if (input) input = changed(input);
    }
  }
  /// Others might run for ever.
  static bool is_bodiless(const SampleNode& node) {
    const auto has_body = [](const Attribute& attribute) { return attribute.proto().has_g(); };
    return std::none_of(node.attributes.begin(), node.attributes.end(), has_body);
  }

  void change_inputs(SampleNode& node, const std::vector<SampleNode>& others) {
    const SampleNode& other = others[below(others.size())];
    const Tensor extra = other.inputs.empty() ? Tensor() : other.inputs[below(other.inputs.size())];
    if (node.inputs.empty() || below(3) == 0) {
      node.inputs.push_back(extra);
    } else if (below(2) == 0) {
      node.inputs.pop_back();
    } else {
      node.inputs[below(node.inputs.size())] = below(2) == 0 ? Tensor() : extra;
    }
  }

  std::int64_t integer() {
    constexpr std::int64_t values[] = {0,
                                       1,
                                       -1,
                                       2,
                                       -2,
                                       3,
                                       4,
                                       5,
                                       7,
                                       -7,
                                       16,
                                       100,
                                       std::int64_t{1} << 46,
                                       -(std::int64_t{1} << 46),
                                       std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()};
    return values[below(std::size(values))];
  }
  double real() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double values[] = {0, -1, 0.5, 1, 2, 3.7, 1e-30, 1e30, -1e30, infinity, -infinity, std::nan("")};
    return values[below(std::size(values))];
  }
  std::string text() {
    const char* const values[] = {
        "",        "NOTSET", "VALID",   "SAME_UPPER", "SAME_LOWER",    "constant",      "edge",    "reflect",
        "wrap",    "linear", "nearest", "cubic",      "align_corners", "half_pixel",    "ij,ij->", "...i->i...",
        "i,j->ij", "max",    "min",     "mul",        "reverse",       "bidirectional", "zeros"};
    return values[below(std::size(values))];
  }
  DType dtype() { return static_cast<DType>(1 + below(26)); }
  Dims dims() {
    Dims dims(below(5));
    for (std::int64_t& dim : dims) dim = static_cast<std::int64_t>(below(12) == 0 ? 0 : 1 + below(4));
    return dims;
  }

  /// One that the operator has.
  void add_attribute(SampleNode& node) {
    const OpName name = OpName::parse(node.op);
    const schema::Operator* const facts = schema::find(name.domain, name.op_type, node.opset);
    if (facts == nullptr || facts->attributes().empty()) return;
    const schema::Attribute& attribute = facts->attributes()[below(facts->attributes().size())];
    const auto given = [&](const Attribute& other) { return other.name() == attribute.name(); };
    if (std::any_of(node.attributes.begin(), node.attributes.end(), given)) return;
    const std::size_t count = 1 + below(4);
    switch (attribute.type) {
      case schema::AttributeType::int_: node.attributes.emplace_back(attribute.name(), integer()); break;
      case schema::AttributeType::float_: node.attributes.emplace_back(attribute.name(), real()); break;
      case schema::AttributeType::string: node.attributes.emplace_back(attribute.name(), text()); break;
      case schema::AttributeType::ints: node.attributes.emplace_back(attribute.name(), Ints(count, integer())); break;
      case schema::AttributeType::floats:
        node.attributes.emplace_back(attribute.name(), Floats(count, static_cast<float>(real())));
        break;
      default: break;
    }
  }

  void change_attribute(SampleNode& node) {
    const std::size_t which = below(node.attributes.size());
    onnx::AttributeProto proto = node.attributes[which].proto();
    if (proto.has_g()) return;
    if (below(8) == 0) {
      node.attributes.erase(node.attributes.begin() + static_cast<std::ptrdiff_t>(which));
      return;
    }
    switch (proto.type()) {
      case onnx::AttributeProto::INT: proto.set_i(integer()); break;
      case onnx::AttributeProto::FLOAT: proto.set_f(static_cast<float>(real())); break;
      case onnx::AttributeProto::STRING: proto.set_s(text()); break;
      case onnx::AttributeProto::INTS: change_list(*proto.mutable_ints(), integer()); break;
      case onnx::AttributeProto::FLOATS: change_list(*proto.mutable_floats(), static_cast<float>(real())); break;
      default: break;
    }
    node.attributes[which] = Attribute(proto);
  }
  template <class List, class T>
  void change_list(List& list, T value) {
    if (list.empty() || below(4) == 0) {
      list.Add(value);
    } else if (below(4) == 0) {
      list.RemoveLast();
    } else {
      list.Set(static_cast<int>(below(static_cast<std::size_t>(list.size()))), value);
    }
  }

  Tensor changed(const Tensor& x) {
    const bool reads = x.dtype() != DType::c64 && x.dtype() != DType::c128 && x.dtype() != DType::string;
    switch (below(reads ? 4 : 1)) {
      case 0: return filled(below(2) == 0 ? x.dtype() : dtype(), dims());
      case 1: return filled(dtype(), x.dims());
      case 2: {
        Dims dims = x.dims();
        if (below(2) == 0 || dims.empty()) {
          dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(below(dims.size() + 1)), 1);
        } else {
          dims[below(dims.size())] = static_cast<std::int64_t>(below(4));
        }
        return filled(x.dtype(), dims);
      }
      default: {
        std::vector<double> values = x.to<double>();
        if (values.empty()) return x;
        if (is_float(x.dtype()) || bits(x.dtype()) < 64) {
          values[below(values.size())] = real();
          return Tensor::of(x.dtype(), x.dims(), values);
        }
        Ints integers = x.to<std::int64_t>();
        integers[below(integers.size())] = integer();
        return Tensor::of(x.dtype(), x.dims(), integers);
      }
    }
  }
  Tensor filled(DType dtype, const Dims& dims) {
    if (dtype == DType::string) return Tensor(DType::f32, dims);
    Tensor y(dtype, dims);
    if (is_complex(dtype) || bits(dtype) == 0) return y;
    std::vector<double> values;
    for (std::int64_t i = 0; i < y.size(); ++i) values.push_back(static_cast<double>(below(4)));
    return Tensor::of(dtype, dims, values);
  }

  std::mt19937 random_;
};

/// Fed, or as constants that are folded first.
void run(const SampleNode& sample, bool folded) {
  Builder builder(sample.opset);
  if (const OpName name = OpName::parse(sample.op); !name.domain.empty()) builder.import(name.domain, sample.opset);
  std::vector<Value*> values;
  Feeds feeds;
  for (const Tensor& input : sample.inputs) {
    const std::string name = "x" + std::to_string(values.size());
    values.push_back(nullptr);
    if (!input) continue;
    if (folded) {
      values.back() = &builder.constant(input, name);
    } else {
      values.back() = &builder.input(name, input.dtype(), std::vector<Dim>(input.dims().begin(), input.dims().end()));
      feeds.emplace_back(name, input);
    }
  }
  Node& node = builder.graph().insert(sample.op, values, sample.outputs, sample.attributes);
  for (std::size_t i = 0; i < sample.outputs; ++i)
    builder.output(folded ? builder.op("Identity", {node.output(i)}) : *node.output(i));
  Model model = builder.build();
  if (folded) fold_constants().run(model);
  Evaluator(model.graph(), {.max_bodies = 1000}).run(feeds);
}

/// Computes gradients if the operator has a backward kernel, from that of the first output, or from unknown outputs and
/// a gradient of other dims. Returns whether it has one.
bool run_backward(const SampleNode& sample, bool other_dims) {
  Builder builder(sample.opset);
  if (const OpName name = OpName::parse(sample.op); !name.domain.empty()) builder.import(name.domain, sample.opset);
  std::vector<Value*> values;
  for (const Tensor& input : sample.inputs)
    values.push_back(input ? &builder.input("x" + std::to_string(values.size()), input.dtype()) : nullptr);
  const Node& node = builder.graph().insert(sample.op, values, sample.outputs, sample.attributes);
  if (!has_backward(node)) return false;
  std::vector<Tensor> inputs = sample.inputs;
  inputs.resize(node.input_count());
  std::vector<Tensor> outputs = evaluate(node, inputs);
  Dims dims = outputs.front().dims();
  if (other_dims) {
    dims.insert(dims.begin(), 2);
    outputs.clear();
  }
  const Tensor gradient(DType::f32, dims);
  backward(node, inputs, outputs, {&gradient, 1}, std::vector<bool>(inputs.size(), true));
  return true;
}

}  // namespace

TEST_CASE("every operator with a kernel has a sample") {
  std::set<std::string> sampled;
  for (const SampleNode& sample : sample_nodes()) sampled.insert(sample.op);
  for (const schema::Operator& op : detail::schema_facts::operators) {
    if (Kernels::standard().find(op.domain(), op.op_type(), schema::newest_opset) == nullptr) continue;
    const std::string name = to_string(OpName{op.domain(), op.op_type()});
    INFO(name);
    CHECK(sampled.count(name) == 1);
  }
}

TEST_CASE("the samples run as they are") {
  for (const SampleNode& sample : sample_nodes()) {
    INFO(sample.op << " of opset " << sample.opset);
    CHECK_NOTHROW(run(sample, false));
  }
}

TEST_CASE("every backward kernel computes the gradients of a sample") {
  std::set<std::string> known, computed;
  for (const SampleNode& sample : sample_nodes()) {
    try {
      if (!run_backward(sample, false)) continue;
      computed.insert(sample.op);
    } catch (const Error&) {  // of f64, for example
    }
    known.insert(sample.op);
  }
  CHECK(computed == known);
  CHECK(known.count("Conv") == 1);
}

TEST_CASE("nodes changed at random compute something or are refused") {
  const std::vector<SampleNode> samples = sample_nodes();
  const char* const wanted = std::getenv("GRAFT_MUTATIONS");  // more of them, by hand
  const std::uint32_t rounds = wanted != nullptr ? static_cast<std::uint32_t>(std::atoi(wanted)) : 6;
  const char* const from = std::getenv("GRAFT_MUTATIONS_FROM");
  const std::uint32_t first = from != nullptr ? static_cast<std::uint32_t>(std::atoi(from)) : 0;
  std::size_t computed = 0, refused = 0;
  for (std::uint32_t round = first; round < first + rounds; ++round) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      Mutator mutator(round * 1000 + static_cast<std::uint32_t>(i));
      const SampleNode sample = mutator.mutated(samples[i], samples);
      INFO(sample.op << " of opset " << sample.opset << ", sample " << i << " in round " << round);
      const bool folded = mutator.below(3) == 0;
      for (const auto& job : std::vector<std::function<void()>>{[&] { run(sample, folded); },
                                                                [&] { run_backward(sample, false); },
                                                                [&] { run_backward(sample, true); }}) {
        try {
          job();
          ++computed;
        } catch (const Error&) {
          ++refused;
        } catch (const std::exception& other) {
          FAIL_CHECK(other.what());
        }
      }
    }
  }
  CHECK(computed > refused / 10);
  CHECK(refused > computed / 10);
}
