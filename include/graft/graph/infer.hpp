#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/local_functions.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/operators.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1 {

/// A declared type that contradicts the inferred one.
struct Contradiction {
  const Value* value = nullptr;
  onnx::TypeProto declared, inferred;
};

/// "'h' is declared as f32[1,2], but f32[N,2] is inferred"
std::string to_string(const Contradiction& contradiction);
inline std::ostream& operator<<(std::ostream& out, const Contradiction& one) { return out << to_string(one); }

struct InferOptions {
  /// Operators whose shape functions come first. Those of the model's operators come second, and those of graft last.
  Operators operators{};
  /// Names unknown extents (unk__0, unk__1 ...), so that equal extents can be recognized.
  bool name_unknown = true;
  /// Forgets the types of inner values and infers them again, for example after a change of the input shapes.
  bool refresh = false;
  /// Treats initializers that a caller may override as constants, as the inference of the ONNX package does.
  bool assume_defaults = false;
  /// Declares the types, so that they are saved as value_info.
  bool declare = false;
  /// Called for each node with inputs that do not fit, or with outputs that contradict their declared types.
  std::function<void(const Node&, const Reason&)> problem{};
  /// Called for each replaced declared type: one that problem() reports, or a declared number whose extent depends on
  /// symbols of the inputs.
  std::function<void(const Contradiction&)> contradiction{};
};

/// Infers the types of values from those of graph inputs and initializers. Declared types fill gaps, such as outputs of
/// unknown operators and extents that depend on data. A declared type that contradicts the inferred one is replaced,
/// and its value_info removed; graph outputs keep theirs in the file. One object serves one model.
class Inference {
 public:
  explicit Inference(InferOptions options = {}) : options_(std::move(options)), known_(options_.assume_defaults) {}

  /// The code of the Reason for a replaced declared type.
  static constexpr std::string_view false_type = "declared";

  /// Infers all values of a graph and of its bodies. Throws Error for malformed attributes and constants.
  void run(Graph& graph);

  /// Infers the outputs of one node and its bodies from the known input types. Returns no if these do not fit, or if
  /// the declared output types contradict the inferred ones.
  Verdict run(Node& node);

  /// As run(), but writes nothing and skips bodies.
  Verdict check(Node& node);

  KnownContents& known() { return known_; }

 private:
  friend class InferContext;

  /// The calls of local functions within one run: their output types by function, input types and attributes. Without
  /// this cache, nested functions with two calls each would take exponential time.
  struct Calls {
    std::unordered_map<std::string, std::vector<std::optional<onnx::TypeProto>>> outputs;
    std::unordered_set<const Graph*> open;  // the calls in progress
  };
  /// Infers a call of a local function. Types inside the function belong to this call: they are undone, and only those
  /// of the outputs are used.
  void call_function(InferContext& call, Graph& function);
  std::vector<std::optional<onnx::TypeProto>> infer_call(InferContext& call, Graph& function);
  static std::string key_of(const InferContext& call, const Graph& function);
  Graph* function_of(const Node& node);

  Verdict infer(Node& node);
  void infer_nodes(Graph& graph);
  Verdict call_rule(InferContext& context);
  const infer::OperatorRule* rule_of(const Node& node);
  static Verdict no(std::string_view text, auto... numbers) {
    return Verdict::no(Reason{text, false_type, {static_cast<double>(numbers)...}, sizeof...(numbers)});
  }
  Verdict settle(Value& value, DType dtype, const Shape& shape);
  Verdict settle(Value& value, const onnx::TypeProto& type);
  bool share_type(const Node& node, Value& output, const InferContext::InferredOutput& told);
  void settle_initializers(const Graph& graph);
  void widen(Value& value, const Shape& shape);
  Dim merge(const Value& value, const Dim& declared, const Dim& inferred, bool& holds);
  void write(Value& value, onnx::TypeProto type);
  void replace_type(Value& value, onnx::TypeProto inferred);
  bool is_of_inputs(const Value& value, const Dim& dim);
  bool reads_extents_of_inputs(const Node& node);
  void name_unknown(const Model& model, std::vector<Dim>& dims);
  void collect_symbols(const Value& value);

  InferOptions options_;
  KnownContents known_;
  bool writes_ = true;
  bool names_ = false;
  bool by_extents_ = false;  // the output extents derive from those of graph inputs, with symbols
  const InferContext* call_ = nullptr;                            // of the current local function
  std::shared_ptr<Calls> calls_;                                  // nullptr before the first call
  std::vector<std::optional<const infer::OperatorRule*>> rules_;  // by OpId, of the operators so far
  std::vector<Graph*> known_functions_;
  LocalFunctions functions_;
  const Model* model_ = nullptr;                   // the model of functions_
  std::unordered_set<std::string> symbols_;        // Dims refer to them until they are written
  std::unordered_set<std::string> input_symbols_;  // of the inputs of inputs_of_, and derived ones
  std::unordered_set<const Graph*> inputs_of_;
  std::size_t next_symbol_ = 0;
};

/// Infers the types of all values of a graph; see Inference.
inline void infer_shapes(Graph& graph, InferOptions options = {}) { Inference(std::move(options)).run(graph); }

/// Infers the outputs of one node; see Inference. For many nodes keep an Inference.
inline Verdict infer_node(Node& node, InferOptions options = {}) { return Inference(std::move(options)).run(node); }

}  // namespace graft::inline v1
