// Writes the inputs that fuzzing begins with:  fuzz_corpus TARGET FOLDER
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/testing.hpp>

#include "support/folder.hpp"

namespace {

using namespace graft;
using Inputs = std::vector<std::string>;

/// What random graphs do not have: bodies, sequences, quantized operators, attention, dims that are symbols.
constexpr const char* texts[] = {
    "x: f32[2,N]; c: bool[]; y = If(c) {then_branch={ t = Neg(x) }, else_branch={ u = Abs(x) }}",
    "x: f32[2]; n = i64[] 3; c = bool[] 1; "
    "y, s = Loop(n, c, x) {body={ i: i64[]; k: bool[]; h: f32[2]; k2 = Identity(k); h2 = Add(h, x); z = Relu(h); "
    "return k2, h2, z }}",
    "x: f32[4,2]; a = f32[2] 0; f, y = Scan(a, x) {num_scan_inputs=1, body={ s: f32[2]; e: f32[2]; t = Add(s, e); "
    "o = Identity(t); return t, o }}",
    "x: f32[4,6]; s = SplitToSequence(x, i64[] 2) {axis=1}; y = ConcatFromSequence(s) {axis=0}",
    "x: f32[1,3,8,8]; w = f32[4,3,3,3] random; b = f32[4] random; h = Conv(x, w, b) {pads=[1,1,1,1]}; "
    "y = Relu(BatchNormalization(h, f32[4] 1, f32[4] 0, f32[4] 0, f32[4] 1))",
    "x: f32[1,3,8,8]; w = i8[4,3,3,3] random; q = QuantizeLinear(x, f32[] 0.1, u8[] 128); "
    "d = DequantizeLinear(q, f32[] 0.1, u8[] 128); v = DequantizeLinear(w, f32[4] 0.01, i8[4] 0) {axis=0}; "
    "h = Conv(d, v); p = QuantizeLinear(h, f32[] 0.2, u8[] 0); y = DequantizeLinear(p, f32[] 0.2, u8[] 0)",
    "x: f32[B,S,8]; s = Shape(x); b = Gather(s, i64[] 0); l = Gather(s, i64[] 1); "
    "t = Concat(Unsqueeze(b, i64[1] 0), Unsqueeze(l, i64[1] 0), i64[2] {2,4}) {axis=0}; "
    "y = Transpose(Reshape(x, t)) {perm=[0,2,1,3]}",
    "x: f32[2,4,8]; w = f32[8,8] random; q = MatMul(x, w); k = Transpose(MatMul(x, w)) {perm=[0,2,1]}; "
    "a = Softmax(Div(MatMul(q, k), f32[] 2.83)) {axis=-1}; y = MatMul(a, x)",
    "x: f32[1,2,4,4]; y = Resize(x, _, f32[4] {1,1,2,2}) {mode=\"linear\"}",
    "x: f32[3,4]; m = ReduceMean(x) {axes=[-1]}; d = Sub(x, m); v = ReduceMean(Mul(d, d)) {axes=[-1]}; "
    "y = Mul(Div(d, Sqrt(Add(v, f32[] 0.00001))), f32[4] random)",
    "x: f32[2,8]; y = Gemm(x, f32[4,8] random, f32[4] 0) {transB=1}; z = Clip(y, f32[] 0, f32[] 6); "
    "u = Mul(z, Sigmoid(z)); return u, y",
    "i: i64[2,3]; t = f32[10,4] random; e = Gather(t, i); y = ReduceSum(e, i64[1] 1) {keepdims=0}"};

/// A node of that operator, of the newest version. Its inputs are of a dtype that it takes; constants in every other.
std::string operator_text(const schema::Operator& op, bool constant) {
  std::string call;
  const std::size_t count = op.min_inputs == 0 ? op.inputs().size() : op.min_inputs;
  std::string inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const schema::Parameter* const parameter = op.input(i);
    if (parameter == nullptr) break;
    const schema::TypeSet& types = op.type(*parameter);
    std::string type;
    for (const DType dtype : {DType::f32, DType::i64, DType::i32, DType::u8, DType::boolean, DType::f16})
      if (type.empty() && types.contains(dtype)) type = std::string(to_string(dtype));
    if (type.empty()) return {};
    type += type == "i64" ? "[2]" : "[1,2,4,4]";
    const std::string name = "x" + std::to_string(i);
    inputs += constant ? name + " = " + type + " random; " : name + ": " + type + "; ";
    call += (i == 0 ? "" : ", ") + name;
  }
  std::string attributes;
  for (const schema::Attribute& attribute : op.attributes()) {
    if (!attribute.required()) continue;
    const char* value = nullptr;
    switch (attribute.type) {
      case schema::AttributeType::int_: value = "1"; break;
      case schema::AttributeType::float_: value = "0.5"; break;
      case schema::AttributeType::string: value = "\"nearest\""; break;
      case schema::AttributeType::ints: value = "[2,2]"; break;
      default: return {};
    }
    attributes += (attributes.empty() ? "" : ", ") + std::string(attribute.name()) + "=" + value;
  }
  const std::string domain = op.domain().empty() ? "" : std::string(op.domain()) + "::";
  std::string tail = constant ? "; y = Identity(y0)" : "";
  return "opset " + std::to_string(schema::newest_opset) + "; " + inputs + (constant ? "y0" : "y") + " = " + domain +
         std::string(op.op_type()) + "(" + call + ")" + (attributes.empty() ? "" : " {" + attributes + "}") + tail;
}

/// Functions that call each other, and an initializer in a file.
std::string model_with_functions() {
  onnx::ModelProto proto;
  Model source = graph("a: f32[2]; w = f32[2] {1,2}; y = Relu(Add(a, w))");
  proto = source.commit();
  for (const char* const name : {"inner", "outer"}) {
    onnx::FunctionProto& function = *proto.add_functions();
    function.set_domain("local");
    function.set_name(name);
    function.add_input("p");
    function.add_output("r");
    onnx::OperatorSetIdProto& local = *function.add_opset_import();
    local.set_domain("local");
    local.set_version(1);
    function.add_opset_import()->set_version(17);
    const bool is_inner = std::string_view(name) == "inner";
    for (const auto& [in, out] : {std::pair("p", "q"), std::pair("q", "r")}) {
      onnx::NodeProto& node = *function.add_node();
      node.set_op_type(is_inner ? "Relu" : "inner");
      if (!is_inner) node.set_domain("local");
      node.add_input(in);
      node.add_output(out);
    }
  }
  onnx::OperatorSetIdProto& local = *proto.add_opset_import();
  local.set_domain("local");
  local.set_version(1);
  onnx::NodeProto& call = *proto.mutable_graph()->add_node();
  call.set_domain("local");
  call.set_op_type("outer");
  call.add_input("y");
  call.add_output("z");
  proto.mutable_graph()->mutable_output(0)->set_name("z");
  onnx::TensorProto& external = *proto.mutable_graph()->add_initializer();
  external.set_name("e");
  external.set_data_type(1);
  external.add_dims(4);
  external.set_data_location(onnx::TensorProto::EXTERNAL);
  using Entry = std::pair<const char*, const char*>;
  for (const auto& [key, value] : {Entry("location", "weights"), Entry("offset", "16"), Entry("length", "16")}) {
    onnx::StringStringEntryProto& entry = *external.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return proto.SerializeAsString();
}

/// As many random ones, and those of the texts.
Inputs some_models(std::uint64_t random) {
  Inputs inputs;
  for (std::uint64_t seed = 0; seed < random; ++seed) inputs.push_back(random_graph(seed, 3 + seed % 12).serialize());
  for (const char* const text : texts) inputs.push_back(graph(text).serialize());
  return inputs;
}

/// Nodes of every operator, too: of constants, and where `fed` of graph inputs as well.
Inputs models(bool fed) {
  Inputs inputs = some_models(48);
  inputs.push_back(model_with_functions());
  std::map<std::string, const schema::Operator*> newest;
  for (const schema::Operator& op : detail::schema_facts::operators)
    newest[std::string(op.domain()) + "::" + std::string(op.op_type())] = &op;
  for (const auto& [name, op] : newest) {
    for (const bool constant : {true, false}) {
      if (!constant && !fed) continue;
      const std::string text = op->has_bodies() || op->deprecated() ? "" : operator_text(*op, constant);
      try {
        if (!text.empty()) inputs.push_back(graph(text).serialize());
      } catch (const Error&) {  // what the text form does not spell
      }
    }
  }
  return inputs;
}

Inputs tensors() {
  Inputs inputs;
  Random random(1);
  for (int dtype = 1; dtype <= static_cast<int>(DType::f8e8m0); ++dtype) {
    try {
      onnx::TensorProto proto;
      write_tensor(random_tensor(static_cast<DType>(dtype), {2, 3}, random), proto);
      proto.set_name("t");
      inputs.push_back(proto.SerializeAsString());
    } catch (const Error&) {  // what is not a number
    }
  }
  onnx::TensorProto typed;
  typed.set_data_type(onnx::TensorProto::FLOAT16);
  typed.add_dims(3);
  for (const int bits : {0, 0x3c00, 0x7c00}) typed.add_int32_data(bits);
  inputs.push_back(typed.SerializeAsString());
  return inputs;
}

Inputs jsons() {
  return {to_json(Ranges{{"x", {-1.5F, 6}}, {"y", {}}, {"z\n\"", {0, 0}}}),
          to_json(targets::ort_cpu_x64, targets::ort_cpu_x64),
          R"({"name": "m", "base": "paper", "kernels": [{"op": "Conv", "in_float": {"call": 1e3}, "comment": [1]}]})",
          R"({"ranges": {"a\u00e9": {"min": -0.0, "max": 1e-45}}})"};
}

template <Statistic... Kinds>
Inputs statistics_of() {
  Random random(2);
  const Model model = graph("x: f32[2,3]; y = Relu(x)");
  const std::vector<Feeds> samples{{{"x", random_tensor(DType::f32, {2, 3}, random)}},
                                   {{"x", random_tensor(DType::f32, {2, 3}, random)}}};
  const std::vector<const Value*> values{model.graph().inputs()[0], model.graph().output(0)};
  Inputs inputs;
  const auto add = [&](auto statistics) {
    gather(statistics, model.graph(), values, samples);
    statistics.settings["preprocessing"] = "none";
    statistics.seen.add(0, "first");
    std::string bytes = to_bytes(statistics);
    bytes.resize(bytes.size() - sizeof(std::uint64_t));  // the checksum
    inputs.push_back(bytes);
  };
  (add(Statistics<Kinds>()), ...);
  return inputs;
}

Inputs statistics() {
  return statistics_of<Extremes, MovingExtremes, Histogram, ChannelExtremes, ChannelMeans, FeatureMoments,
                       GramMatrix>();
}

Inputs samples() {
  const auto array = [](std::string header, const std::string& data) {
    header.resize(118, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
  };
  Inputs inputs = tensors();
  inputs.push_back(array("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", std::string(24, '\1')));
  inputs.push_back(array("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "7"));
  return inputs;
}

const std::map<std::string, std::function<Inputs()>> corpora{
    {"load", [] { return models(true); }},
    {"simplify", [] { return models(false); }},
    {"quantize", [] { return some_models(16); }},
    {"tensor", tensors},
    {"json", jsons},
    {"statistics", statistics},
    {"calibration_data", samples}};

}  // namespace

int main(int argc, char** argv) {
  const auto corpus = corpora.find(argc == 3 ? argv[1] : "");
  if (corpus == corpora.end()) {
    std::fprintf(stderr, "usage: fuzz_corpus TARGET FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[2];
  try {
    std::filesystem::create_directories(folder);
    const Inputs inputs = corpus->second();
    for (std::size_t i = 0; i < inputs.size(); ++i) write_file(folder / std::to_string(i), inputs[i]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
