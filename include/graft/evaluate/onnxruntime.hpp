#pragma once
// Needs ONNX Runtime: the header of its C API to compile, its library to link. No other header includes this one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/evaluate/detail/extract.hpp>
#include <graft/evaluate/detail/feed.hpp>
#include <graft/evaluate/onnxruntime_api.hpp>

namespace graft::inline v1 {

struct OnnxRuntimeOptions {
  /// Number of threads inside an operator; 0: one for each core.
  int threads = 0;
  /// Makes further settings of a session, for example for an execution provider. A returned status that is not nullptr
  /// is thrown.
  std::function<OrtStatus*(const OrtApi&, OrtSessionOptions&)> configure{};
};

/// Runs a model's main graph in ONNX Runtime: an Executor that can replace Evaluator. A session contains the nodes that
/// the fetches need, given the feeds, and is kept for the next run with the same ones. The graph must outlive this and
/// must not change meanwhile. Several runs can take place at the same time.
class OnnxRuntime {
 public:
  /// Commits the model, as saving it would.
  explicit OnnxRuntime(const Graph& graph, OnnxRuntimeOptions options = {})
      : graph_(&graph), options_(std::move(options)) {
    if (graph.parent() != nullptr || graph.is_function()) throw Error("only the main graph of a model can be run");
    graph.model().commit();
  }

  /// Returns the graph's outputs, or the fetched values; they do not refer to the model. Throws Error naming a value
  /// that is not fed, fed twice or fed with another type; otherwise with the runtime's message.
  std::vector<Tensor> run(const Feeds& feeds) const {
    return run(feeds, standard_kernels::detail::outputs_of(*graph_));
  }
  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) const {
    return standard_kernels::detail::run_observed(*this, feeds, fetches);
  }

  /// Shows each fetched value, in the order of the fetches. The runtime keeps all of them until its run has ended.
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) const {
    Tensors tensors;
    Signature signature;
    for (const auto& [ref, tensor] : feeds) {
      const Value& value = find(ref);
      standard_kernels::detail::check_feed(value, tensor);
      if (!tensors.emplace(&value, tensor).second) throw Error("is fed twice").field(value.name());
      signature.given.emplace_back(&value, tensor.dtype());
    }
    for (const ValueRef& fetch : fetches) {
      const Value& value = find(fetch);
      if (tensors.try_emplace(&value).second) signature.wanted.push_back(&value);
    }
    std::sort(signature.given.begin(), signature.given.end());
    std::sort(signature.wanted.begin(), signature.wanted.end());
    if (!signature.wanted.empty()) compute(signature, tensors);
    for (std::size_t i = 0; i < fetches.size(); ++i) observer(i, tensors.at(&find(fetches[i])));
  }

 private:
  using Signature = standard_kernels::detail::Signature;
  using Tensors = std::unordered_map<const Value*, Tensor>;
  struct Session {
    std::shared_ptr<OrtSession> handle;
    std::vector<const Value*> inputs;
  };

  const Value& find(const ValueRef& ref) const {
    const Value* const value = standard_kernels::detail::resolve(ref, *graph_);
    if (value != nullptr && &value->graph() == graph_ && !value->name().empty()) return *value;
    throw standard_kernels::detail::no_such_value(ref, *graph_);
  }

  void compute(const Signature& signature, Tensors& tensors) const {
    const Session& session = session_of(signature);
    std::vector<std::string> inputs, wanted;
    std::vector<std::shared_ptr<OrtValue>> values;
    for (const Value* const input : session.inputs) {
      inputs.emplace_back(input->name());
      values.push_back(api_.borrowed(tensors.at(input)));
    }
    for (const Value* const value : signature.wanted) wanted.emplace_back(value->name());
    const std::vector<std::shared_ptr<OrtValue>> outputs = api_.run(*session.handle, inputs, values, wanted);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      try {
        tensors.at(signature.wanted[i]) = api_.owning(outputs[i]);
      } catch (Error& error) {
        throw error.field(signature.wanted[i]->name());
      }
    }
  }

  const Session& session_of(const Signature& signature) const {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(signature);
    if (found != sessions_.end()) return found->second;
    standard_kernels::detail::Extract part(*graph_, signature);
    try {
      Session session{start(message_of(part.take_proto())), part.inputs()};
      return sessions_.emplace(signature, std::move(session)).first->second;
    } catch (Error& error) {
      throw error.file(graph_->model().file());
    }
  }

  std::string message_of(onnx::ModelProto proto) const {
    for (onnx::TensorProto& tensor : *proto.mutable_graph()->mutable_initializer()) {
      if (tensor.data_location() != onnx::TensorProto::EXTERNAL) continue;
      Tensor read = read_tensor(tensor, graph_->model().external_data());  // throws for unsupported tensors
      if (ExternalData::is_stowed(tensor)) write_tensor(std::move(read), tensor);
    }
    if (proto.ByteSizeLong() > std::numeric_limits<std::int32_t>::max())
      throw Error("is over 2 GiB and cannot be one message: save it, which moves weights out, and load that");
    return proto.SerializeAsString();
  }

  std::shared_ptr<OrtSession> start(const std::string& message) const {
    const auto options = api_.make(api_->ReleaseSessionOptions, [&](OrtSessionOptions** made) {
      return api_->CreateSessionOptions(made);
    });
    api_.check(api_->SetIntraOpNumThreads(options.get(), options_.threads));
    api_.check(api_->SetSessionLogSeverityLevel(options.get(), ORT_LOGGING_LEVEL_FATAL));
    api_.check(api_->AddSessionConfigEntry(options.get(), "session.model_external_initializers_file_folder_path",
                                      graph_->model().external_data()->folder().c_str()));
    if (options_.configure) api_.check(options_.configure(*api_, *options));
    return api_.make(api_->ReleaseSession, [&](OrtSession** made) {
      return api_->CreateSessionFromArray(&api_.environment(), message.data(), message.size(), options.get(), made);
    });
  }

  OnnxRuntimeApi api_;
  const Graph* graph_;
  OnnxRuntimeOptions options_;
  mutable std::mutex mutex_;
  mutable std::map<Signature, Session> sessions_;
};

}  // namespace graft::inline v1
