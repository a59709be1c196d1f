#include "evaluate/node_tests.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor_file.hpp>

using namespace graft;
namespace fs = std::filesystem;

namespace {

constexpr const char* nan_in_float4 = "the standard does not say what NaN becomes";
constexpr const char* wrong_dims = "ONNX 1.12 declares other dims than it feeds";
constexpr const char* wraps = "the case expects integers to wrap where the standard has them saturate";
constexpr const char* cancels = "the case expects 1e-7 of 1 - Sigmoid(x), which in float may be 0";
constexpr const char* capped_last = "that ONNX caps scores after they are masked, which was corrected later";
constexpr const char* noise = "the case expects the rounding errors of a transform in float";

/// Single cases, of which there are several versions, that may fail.
const std::map<std::string_view, const char*> odd{
    {"test_attention_3d_with_past_and_present_qk_matmul_bias", capped_last},
    {"test_attention_3d_with_past_and_present_qk_matmul_softcap", capped_last},
    {"test_attention_4d_with_past_and_present_qk_matmul_bias", capped_last},
    {"test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask", capped_last},
    {"test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask_causal", capped_last},
    {"test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask", capped_last},
    {"test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask_causal", capped_last},
    {"test_attention_4d_with_qk_matmul_bias", capped_last},
    {"test_attention_4d_with_qk_matmul_softcap", capped_last},
    {"test_cast_FLOAT16_to_FLOAT4E2M1", nan_in_float4},
    {"test_cast_FLOAT_to_BFLOAT16", "ONNX 1.12 truncates"},
    {"test_cast_FLOAT_to_FLOAT4E2M1", nan_in_float4},
    {"test_castlike_BFLOAT16_to_FLOAT", wrong_dims},
    {"test_castlike_BFLOAT16_to_FLOAT_expanded", wrong_dims},
    {"test_castlike_FLOAT16_to_FLOAT4E2M1", nan_in_float4},
    {"test_castlike_FLOAT16_to_FLOAT4E2M1_expanded", nan_in_float4},
    {"test_castlike_FLOAT_to_BFLOAT16", wrong_dims},
    {"test_castlike_FLOAT_to_BFLOAT16_expanded", wrong_dims},
    {"test_castlike_FLOAT_to_FLOAT4E2M1", nan_in_float4},
    {"test_castlike_FLOAT_to_FLOAT4E2M1_expanded", nan_in_float4},
    {"test_dft_inverse", noise},
    {"test_dft_inverse_opset19", noise},
    {"test_gru_seq_length", cancels},
    {"test_qlinearmatmul_2D_int8_float16", wraps},
    {"test_qlinearmatmul_2D_int8_float32", wraps},
    {"test_qlinearmatmul_3D_int8_float16", wraps},
    {"test_qlinearmatmul_3D_int8_float32", wraps},
};

bool is_sequence(const schema::TypeSet& types) {
  bool tensors = false;
  for (std::int32_t i = 1; is_known(DType{i}); ++i) tensors = tensors || types.contains(DType{i});
  return types.sequences() && !tensors;
}

/// Why a node is exempt, by its domain, its operator, or what the operator takes and gives.
std::string exemption(const Node& node) {
  const std::string_view op_type = node.op_type();
  if (node.domain() == "ai.onnx.preview.training") return "training";
  if (node.domain() == "ai.onnx.ml") return "ai.onnx.ml";
  if (op_type == "ImageDecoder") return "ImageDecoder";
  if (op_type.rfind("Optional", 0) == 0) return "optionals";
  const schema::Operator* const op = node.schema();
  if (op == nullptr) return "";
  if (!op->deterministic() && op_type != "Dropout") return "random numbers";
  for (const auto parameters : {op->inputs(), op->outputs()}) {
    for (const schema::Parameter& parameter : parameters) {
      if (is_sequence(op->type(parameter))) return "sequences";
      if (op->type(parameter).only() == DType::string) return "strings";
    }
  }
  return "";
}

std::string exemption(const Value& value) {
  if (value.type() == nullptr) return "";
  if (value.type()->has_sequence_type()) return "sequences";
  if (value.type()->has_optional_type()) return "optionals";
  if (value.type()->has_map_type()) return "maps";
  if (value.dtype() == DType::string) return "strings";
  return is_complex(value.dtype()) ? "complex numbers" : "";
}

/// Why a graph is exempt; empty if it is not.
std::string exemption(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (std::string why = exemption(node); !why.empty()) return why;
    for (const Body& body : node.bodies()) {
      if (std::string why = exemption(*body.graph); !why.empty()) return why;
    }
  }
  std::vector<const Value*> signature(graph.inputs().begin(), graph.inputs().end());
  for (const Value* output : graph.outputs()) signature.push_back(output);
  for (const Value* value : signature) {
    if (std::string why = exemption(*value); !why.empty()) return why;
  }
  return "";
}

/// The tensor that a value is to have. Old cases store bfloat16 as uint16, so that the type is the value's.
Tensor load(const fs::path& path, const Value& value) {
  Tensor tensor = load_tensor(path);
  if (value.dtype() != DType::bf16 || tensor.dtype() == DType::bf16) return tensor;
  Dims dims = tensor.dims();  // before the bytes go
  return Tensor::own(DType::bf16, std::move(dims), tensor.release());
}

bool close(double actual, double expected) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  return actual == expected || std::abs(actual - expected) <= 1e-7 + 1e-3 * std::abs(expected);
}

/// Why they differ; empty if they do not.
std::string difference(const Tensor& actual, const Tensor& expected) {
  if (actual.dtype() != expected.dtype() || actual.dims() != expected.dims()) {
    return to_string(actual.dtype(), actual.dims()) + " instead of " + to_string(expected.dtype(), expected.dims());
  }
  const std::vector<double> a = actual.to<double>();
  const std::vector<double> b = expected.to<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_float(actual.dtype()) ? !close(a[i], b[i]) : a[i] != b[i]) {
      return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + " instead of " + std::to_string(b[i]);
    }
  }
  return {};
}

/// How the outputs for one set of data differ from those expected; empty if they do not.
std::string difference(const Graph& graph, const fs::path& data) {
  Feeds feeds;
  for (const Value* input : graph.inputs()) {
    const fs::path file = data / ("input_" + std::to_string(feeds.size()) + ".pb");
    if (!fs::exists(file) && input->initializer() != nullptr) continue;
    feeds.emplace_back(input, load(file, *input));
  }
  const std::vector<Tensor> outputs = Evaluator(graph).run(feeds);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor expected = load(data / ("output_" + std::to_string(i) + ".pb"), *graph.output(i));
    if (std::string why = difference(outputs[i], expected); !why.empty())
      return "output " + std::to_string(i) + ": " + why;
  }
  return {};
}

/// Whether a node is to draw numbers shows when it is run: it says what it leaves out.
NodeTest judged(NodeTest test, const Error& error) {
  test.why = error.message();
  if (test.why.rfind("no kernel for ", 0) == 0) {
    test.outcome = NodeOutcome::not_implemented;
  } else if (test.why == "training is not supported") {
    test.outcome = NodeOutcome::exempt;
    test.why = "random numbers";
  } else {
    test.outcome = NodeOutcome::failed;
    test.why = error.what();
  }
  return test;
}

NodeTest run(const fs::path& folder) {
  NodeTest test{folder.filename().string(), 0, NodeOutcome::passed};
  try {
    const Model model = Model::load(folder / "model.onnx");
    test.opset = model.opset();
    test.why = exemption(model.graph());
    if (!test.why.empty()) test.outcome = NodeOutcome::exempt;
    for (const fs::directory_entry& data : fs::directory_iterator(folder)) {
      if (test.outcome != NodeOutcome::passed || !data.is_directory()) continue;
      test.why = difference(model.graph(), data.path());
      if (!test.why.empty()) test.outcome = NodeOutcome::failed;
    }
  } catch (const Error& error) {
    test = judged(std::move(test), error);
  }
  const auto known = odd.find(test.name);
  if (test.outcome == NodeOutcome::failed && known != odd.end()) {
    test.outcome = NodeOutcome::exempt;
    test.why = known->second;
  }
  return test;
}

}  // namespace

std::vector<NodeTest> run_node_tests(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw graft::Error("is not a folder").file(folder.string());
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
  }
  if (folders.empty()) throw graft::Error("holds no folders of node tests").file(folder.string());
  std::sort(folders.begin(), folders.end());
  std::vector<NodeTest> tests;
  for (const fs::path& each : folders) tests.push_back(run(each));
  return tests;
}
