// A plugin execution provider of ONNX Runtime that rewrites what it claims by rules of graft, and runs it by graft's
// evaluator. The runtime is not linked: it hands over its functions.
#define ORT_API_MANUAL_INIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <onnxruntime_cxx_api.h>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/rewrite.hpp>

#include "accelerator.hpp"
#include "ort_graph.hpp"

namespace {

constexpr const char* provider_name = "GraftExampleProvider";
constexpr std::uint32_t api_version = 23;  // the first with all that is used here

/// Calls a function that may throw. The runtime is C: it gets a status instead.
template <class F>
OrtStatus* guarded(F&& f) noexcept {
  try {
    f();
    return nullptr;
  } catch (const std::exception& error) {
    return Ort::GetApi().CreateStatus(ORT_EP_FAIL, error.what());
  }
}

/// Makes nothing: the runtime's own is used.
template <class T>
OrtStatus* nothing(T** made) noexcept {
  *made = nullptr;
  return nullptr;
}

/// Writes to the runtime's log. log_severity_level = 1 of a session shows it.
void log(const OrtLogger& logger, std::string_view text) {
  Ort::Logger(&logger).LogMessage(ORT_LOGGING_LEVEL_INFO, ORT_FILE, __LINE__, __FUNCTION__, std::string(text).c_str());
}

/// Leaves the near misses: refusals where the rule matched more than its root.
void drop_far_misses(graft::Report& report) {
  std::erase_if(report.refusals, [](const graft::Refusal& refusal) { return refusal.matched_nodes < 2; });
  for (graft::Report& step : report.steps) drop_far_misses(step);
}

/// A claimed subgraph, rewritten and ready to run. The Evaluator is const: several threads may run it at a time.
class Subgraph : public OrtNodeComputeInfo {
 public:
  Subgraph(const Ort::ConstGraph& graph, const Ort::ConstNode& fused, const OrtLogger& logger)
      : OrtNodeComputeInfo{}, model_(rewritten(graph, logger)), evaluator_(model_.graph()) {
    for (const Ort::ConstValueInfo& input : fused.GetInputs()) inputs_.push_back(input.GetName());
    for (const Ort::ConstValueInfo& output : fused.GetOutputs()) outputs_.push_back(output.GetName());
    ort_version_supported = api_version;
    CreateState = [](OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state) noexcept -> OrtStatus* {
      *state = self;
      return nullptr;
    };
    Compute = [](OrtNodeComputeInfo*, void* state, OrtKernelContext* context) noexcept {
      return guarded([&] { static_cast<const Subgraph*>(static_cast<OrtNodeComputeInfo*>(state))->run(context); });
    };
    ReleaseState = [](OrtNodeComputeInfo*, void*) noexcept {};
  }

 private:
  static graft::Model rewritten(const Ort::ConstGraph& graph, const OrtLogger& logger) {
    graft::Model model(ort_graph::to_proto(graph));
    graft::Context context;
    context.executor = graft::node_executor();
    context.refusals = true;
    graft::Report report = accelerator::normal_form().run(model, context);
    drop_far_misses(report);
    log(logger, to_string(report));
    return model;
  }

  void run(OrtKernelContext* raw) const {
    const Ort::KernelContext context(raw);
    graft::Feeds feeds;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      feeds.emplace_back(inputs_[i], ort_graph::to_tensor(context.GetInput(i)));
    const std::vector<graft::Tensor> results = evaluator_.run(feeds, graft::Fetches(outputs_.begin(), outputs_.end()));
    for (std::size_t i = 0; i < results.size(); ++i) {
      Ort::UnownedValue output = context.GetOutput(i, results[i].dims());
      const auto bytes = results[i].bytes();
      std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(output.GetTensorMutableRawData()));
    }
  }

  graft::Model model_;
  graft::Evaluator evaluator_;
  std::vector<std::string> inputs_, outputs_;
};

class Provider : public OrtEp {
 public:
  explicit Provider(const OrtLogger& logger) : OrtEp{}, logger_(&logger) {
    ort_version_supported = api_version;
    OrtEp::GetName = [](const OrtEp*) noexcept { return provider_name; };
    GetCapability = [](OrtEp*, const OrtGraph* graph, OrtEpGraphSupportInfo* claims) noexcept {
      return guarded([&] { claim(Ort::ConstGraph(graph), *claims); });
    };
    Compile = [](OrtEp* self, const OrtGraph** graphs, const OrtNode** fused, std::size_t count,
                 OrtNodeComputeInfo** made, OrtNode**) noexcept {
      return guarded([&] {
        for (std::size_t i = 0; i < count; ++i)
          made[i] = std::make_unique<Subgraph>(Ort::ConstGraph(graphs[i]), Ort::ConstNode(fused[i]),
                                               *static_cast<Provider*>(self)->logger_)
                        .release();
      });
    };
    ReleaseNodeComputeInfos = [](OrtEp*, OrtNodeComputeInfo** made, std::size_t count) noexcept {
      for (std::size_t i = 0; i < count; ++i) delete static_cast<Subgraph*>(made[i]);
    };
  }

 private:
  static bool is_supported(const Ort::ConstNode& node) {
    constexpr std::array operators{"Clip",           "Conv",     "DequantizeLinear", "Flatten", "MaxPool",
                                   "QuantizeLinear", "Relu",     "Reshape",          "Slice",   "Squeeze",
                                   "Transpose",      "Unsqueeze"};
    return node.GetDomain().empty() && std::ranges::find(operators, node.GetOperatorType()) != operators.end();
  }

  /// Claims each run of supported nodes in topological order: no path leaves such a run and comes back.
  static void claim(const Ort::ConstGraph& graph, OrtEpGraphSupportInfo& claims) {
    std::vector<const OrtNode*> run;
    const auto end_run = [&] {
      OrtNodeFusionOptions options{};
      options.ort_version_supported = api_version;
      options.drop_constant_initializers = true;  // the model has copies
      if (!run.empty())
        Ort::ThrowOnError(Ort::GetEpApi().EpGraphSupportInfo_AddNodesToFuse(&claims, run.data(), run.size(), &options));
      run.clear();
    };
    for (const Ort::ConstNode& node : graph.GetNodes()) is_supported(node) ? run.push_back(node) : end_run();
    end_run();
  }

  const OrtLogger* logger_;
};

class Factory : public OrtEpFactory {
 public:
  Factory() : OrtEpFactory{} {
    ort_version_supported = api_version;
    OrtEpFactory::GetName = [](const OrtEpFactory*) noexcept { return provider_name; };
    GetVendor = [](const OrtEpFactory*) noexcept { return "graft"; };
    GetVendorId = [](const OrtEpFactory*) noexcept { return std::uint32_t{0}; };
    GetVersion = [](const OrtEpFactory*) noexcept { return "1.0.0"; };
    GetSupportedDevices = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices, std::size_t count,
                             OrtEpDevice** made, std::size_t most, std::size_t* made_count) noexcept {
      return guarded([&] {
        *made_count = 0;
        for (std::size_t i = 0; i < count && *made_count < most; ++i) {
          if (Ort::GetApi().HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
          Ort::ThrowOnError(Ort::GetEpApi().CreateEpDevice(self, devices[i], nullptr, nullptr, &made[(*made_count)++]));
        }
      });
    };
    CreateEp = [](OrtEpFactory*, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*, std::size_t,
                  const OrtSessionOptions*, const OrtLogger* logger, OrtEp** made) noexcept {
      return guarded([&] { *made = std::make_unique<Provider>(*logger).release(); });
    };
    CreateAllocator = [](OrtEpFactory*, const OrtMemoryInfo*, const OrtKeyValuePairs*, OrtAllocator** made) noexcept {
      return nothing(made);
    };
    ReleaseAllocator = [](OrtEpFactory*, OrtAllocator*) noexcept {};
    CreateDataTransfer = [](OrtEpFactory*, OrtDataTransferImpl** made) noexcept { return nothing(made); };
    IsStreamAware = [](const OrtEpFactory*) noexcept { return false; };
    ReleaseEp = [](OrtEpFactory*, OrtEp* made) noexcept { delete static_cast<Provider*>(made); };
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base,
                                                                               const OrtLogger*, OrtEpFactory** made,
                                                                               std::size_t most,
                                                                               std::size_t* made_count) {
  const OrtApi* const api = base->GetApi(api_version);
  if (api == nullptr) return base->GetApi(1)->CreateStatus(ORT_EP_FAIL, "the provider needs ONNX Runtime 1.23");
  Ort::InitApi(api);
  return guarded([&] {
    if (most == 0) throw graft::Error("there is no room for a factory");
    made[0] = std::make_unique<Factory>().release();
    *made_count = 1;
  });
}

extern "C" __attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(OrtEpFactory* made) {
  delete static_cast<Factory*>(made);
  return nullptr;
}
