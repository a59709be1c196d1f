#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate.hpp>

#include "support/skip.hpp"

// The standard's own cases: one model per folder, with inputs and the outputs that they must give.

namespace {

namespace fs = std::filesystem;
using namespace graft;

/// Where Debian's libonnx-testdata has them; $GRAFT_ONNX_NODE_TESTS is another place, such as that of the Python
/// package.
fs::path cases_folder() {
  const char* folder = std::getenv("GRAFT_ONNX_NODE_TESTS");
  return folder != nullptr ? folder : "/usr/share/libonnx-testdata/data/node";
}

constexpr const char* nan_in_float4 = "the standard does not say what NaN becomes";
constexpr const char* wrong_dims = "ONNX 1.12 declares other dims than it feeds";

/// Cases of operators that graft has kernels for, but which ask for what it leaves out on purpose.
const std::map<std::string, std::string> exempt{
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
    {"test_training_dropout", "random numbers"},
    {"test_training_dropout_default", "random numbers"},
    {"test_training_dropout_default_mask", "random numbers"},
    {"test_training_dropout_mask", "random numbers"},
};

enum class Outcome { passed, failed, not_implemented };

struct Result {
  Outcome outcome;
  std::string why{};
};

/// The tensor that a value is to have. Old cases store bfloat16 as uint16, so that the type is the value's.
onnx::TensorProto read(const fs::path& path, const Value& value) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto proto;
  if (!proto.ParseFromIstream(&file)) throw Error("is no tensor").file(path.string());
  if (value.dtype() == DType::bf16) proto.set_data_type(static_cast<int>(DType::bf16));
  return proto;
}

bool close(double actual, double expected) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  return actual == expected || std::abs(actual - expected) <= 1e-7 + 1e-3 * std::abs(expected);
}

/// Why they differ; empty if they do not. Tolerances are those of ONNX's own runner.
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

Result run(const Model& model, const fs::path& data) {
  const Graph& graph = model.graph();
  std::vector<const Value*> signature(graph.inputs().begin(), graph.inputs().end());
  for (const Value* output : graph.outputs()) signature.push_back(output);
  for (const Value* value : signature) {
    if (!value->type()->has_tensor_type()) return {Outcome::not_implemented, "types other than tensors"};
    if (value->dtype() == DType::string) return {Outcome::not_implemented, "strings"};
  }
  Feeds feeds;
  std::vector<onnx::TensorProto> protos;
  protos.reserve(graph.inputs().size());
  for (const Value* input : graph.inputs()) {
    const fs::path file = data / ("input_" + std::to_string(protos.size()) + ".pb");
    if (!fs::exists(file) && input->initializer() != nullptr) continue;
    protos.push_back(read(file, *input));
    feeds.emplace_back(input, read_tensor(protos.back()));
  }
  const std::vector<Tensor> outputs = Evaluator(graph).run(feeds);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string why = difference(
        outputs[i], read_tensor(read(data / ("output_" + std::to_string(i) + ".pb"), *graph.output(i))));
    if (!why.empty()) return {Outcome::failed, "output " + std::to_string(i) + ": " + why};
  }
  return {Outcome::passed};
}

Result run_case(const fs::path& folder) {
  try {
    const Model model = Model::load(folder / "model.onnx");
    for (const fs::directory_entry& data : fs::directory_iterator(folder)) {
      if (!data.is_directory()) continue;
      if (Result result = run(model, data.path()); result.outcome != Outcome::passed) return result;
    }
    return {Outcome::passed};
  } catch (const Error& error) {
    const bool no_kernel = error.message().rfind("no kernel for ", 0) == 0;
    return no_kernel ? Result{Outcome::not_implemented, error.message()} : Result{Outcome::failed, error.what()};
  }
}

}  // namespace

TEST_CASE("every implemented operator passes the standard's node tests", "[conformance]") {
  if (!fs::exists(cases_folder())) SKIP_TEST("ONNX's node tests are not installed");
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(cases_folder())) cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());

  std::map<Outcome, std::size_t> counts;
  std::set<std::string> missing;
  std::size_t exempted = 0;
  for (const fs::path& folder : cases) {
    const std::string name = folder.filename().string();
    if (exempt.count(name) != 0) {
      ++exempted;
      continue;
    }
    const Result result = run_case(folder);
    ++counts[result.outcome];
    INFO(name << ": " << result.why);
    CHECK(result.outcome != Outcome::failed);
    if (result.outcome == Outcome::not_implemented) missing.insert(result.why);
  }
  std::string list;
  for (const std::string& why : missing) list += "\n  " + why;
  WARN(counts[Outcome::passed] << " passed, " << counts[Outcome::failed] << " failed, "
                               << counts[Outcome::not_implemented] << " not implemented, " << exempted << " exempt"
                               << list);
  CHECK(counts[Outcome::passed] > 0);
}
