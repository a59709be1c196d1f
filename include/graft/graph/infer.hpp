#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/infer/table.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/transaction.hpp>

namespace graft::inline v1 {

/// A user's inference for an operator: reads the inputs from the context and sets what follows for the outputs. graft's
/// own, such as infer::conv<>, may serve. After a no, the outputs stay as declared.
using InferFunction = std::function<Verdict(InferContext&)>;

struct InferOptions {
  /// For operators by "domain::Op"; tried before graft's own.
  std::map<std::string, InferFunction, std::less<>> custom{};
  /// A run over a graph gives extents of which nothing is known symbols (unk__0, unk__1 ...), so that equal ones can be
  /// told.
  bool name_unknown = true;
  /// Infers inner values anew, as after a change of the input shapes; what was known of them is forgotten.
  bool refresh = false;
  /// Takes initializers that a caller may override for constants, as the ONNX package's own inference does.
  bool assume_defaults = false;
  /// Declares the types, so that they are saved as value_info.
  bool declare = false;
  /// Told of each node whose inputs do not fit, or whose outputs are declared otherwise than they follow.
  std::function<void(const Node&, const Reason&)> problem{};
};

/// Infers the types of values from those of graph inputs and initializers. What it finds fills in what is declared;
/// where the two contradict each other, the value stays as declared. Serves one model.
template <class>
class BasicInference {
 public:
  explicit BasicInference(InferOptions options = {}) : options_(std::move(options)), known_(options_.assume_defaults) {}

  /// All values of a graph and of the bodies in it. Throws Error for malformed attributes and constants.
  void run(Graph& graph);

  /// The outputs of one node, bodies included, from what is known of its inputs. No if these do not fit, or if what
  /// follows contradicts the declared outputs.
  Verdict run(Node& node) { return infer(node); }

  /// As run(), but nothing is written, and bodies are not looked into.
  Verdict check(Node& node);

  KnownContents& known() { return known_; }

 private:
  friend class BasicInferContext<void>;

  /// The types inside a local function are those of one call: they are taken back, only the outputs' are told.
  void call_function(InferContext& call, Graph& function);
  Graph* function_of(const Node& node);

  Verdict infer(Node& node);
  void infer_nodes(Graph& graph) {
    for (Node& node : graph.nodes()) {
      const Verdict verdict = infer(node);
      if (!verdict && options_.problem) options_.problem(node, verdict.reason());
    }
  }
  Verdict call_rule(InferContext& context);
  static Verdict no(std::string_view text, auto... numbers) {
    return Verdict::no(Reason{text, "declared", {static_cast<double>(numbers)...}, sizeof...(numbers)});
  }
  Verdict settle(Value& value, DType dtype, const Shape& shape);
  Verdict settle(Value& value, const onnx::TypeProto& type);
  void write(Value& value, const onnx::TypeProto& type);
  void name_unknown(const Model& model, std::vector<Dim>& dims);
  void collect_symbols(const Value& value) {
    const Shape shape = value.shape();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis].symbolic()) symbols_.emplace(shape[axis].symbol());
    }
  }

  InferOptions options_;
  KnownContents known_;
  bool writes_ = true;
  bool names_ = false;
  const InferContext* call_ = nullptr;  // of the local function that is being inferred
  int depth_ = 0;                       // of such calls
  std::vector<Graph*> known_functions_;
  std::unordered_map<OpId, Graph*> functions_;
  const Model* model_ = nullptr;  // that functions_ is of
  std::unordered_set<std::string> symbols_;  // Dims view them until they are written
  std::size_t next_symbol_ = 0;
};

/// Infers the types of all values of a graph; see Inference.
template <class = void>
void infer_shapes(Graph& graph, InferOptions options = {}) { Inference(std::move(options)).run(graph); }

/// Infers the outputs of one node; see Inference. For many nodes keep an Inference.
template <class = void>
Verdict infer_node(Node& node, InferOptions options = {}) { return Inference(std::move(options)).run(node); }

template <class Void>
void BasicInference<Void>::run(Graph& graph) {
  known_.forget();
  symbols_.clear();
  const KnownContents::Hold hold(known_);
  names_ = options_.name_unknown;
  for (Value* const input : graph.inputs()) {
    if (input->shape().known()) (void)settle(*input, input->dtype(), input->shape());
  }
  infer_nodes(graph);
  names_ = false;
}

template <class Void>
Verdict BasicInference<Void>::check(Node& node) {
  struct Restore {
    bool& writes;
    ~Restore() { writes = true; }
  } restore{writes_};
  writes_ = false;
  return infer(node);
}

template <class Void>
Verdict BasicInference<Void>::infer(Node& node) {
  const KnownContents::Hold hold(known_);
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    if (!is_reference(attribute)) continue;
    if (call_ == nullptr || call_->attribute(attribute.ref_attr_name()) == nullptr) return Verdict::yes();
  }
  InferContext context(node, known_, *this);
  const Verdict fits = call_rule(context);
  Verdict verdict = fits;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value& output = *node.output(i);
    if (output.name().empty()) continue;
    const InferContext::Told& told = context.told(i);
    const Shape shape = fits ? told.shape : Shape();
    const Verdict agrees = told.other ? settle(output, *told.other) : settle(output, told.dtype, shape);
    if (verdict && !agrees) verdict = agrees;
  }
  return verdict;
}

template <class Void>
Verdict BasicInference<Void>::call_rule(InferContext& context) {
  const Node& node = context.node();
  if (!options_.custom.empty()) {
    const std::string name = std::string(node.domain()) + "::" + std::string(node.op_type());
    const auto custom = options_.custom.find(node.domain().empty() ? name.substr(2) : name);
    if (custom != options_.custom.end()) return custom->second(context);
  }
  if (Graph* const function = function_of(node)) {
    call_function(context, *function);
    return Verdict::yes();
  }
  const infer::OperatorRule* const rule = infer::find_rule(node.domain(), node.op_type());
  if (rule != nullptr) return rule->types(context);
  for (const Body& body : node.bodies()) context.infer_body(*body.graph);
  return Verdict::yes();
}

template <class Void>
Graph* BasicInference<Void>::function_of(const Node& node) {
  Model& model = node.graph().model();
  if (model_ != &model || known_functions_ != model.functions()) {
    model_ = &model;
    known_functions_ = model.functions();
    functions_.clear();
    for (Graph* const graph : known_functions_) {
      const onnx::FunctionProto& function = *graph->function_proto();
      functions_.emplace(model.op_id(function.domain(), function.name()), graph);
    }
  }
  const auto found = functions_.find(node.op());
  return found != functions_.end() ? found->second : nullptr;
}

template <class Void>
void BasicInference<Void>::call_function(InferContext& call, Graph& function) {
  constexpr int deepest = 32;  // functions that call themselves are not allowed, but may be met
  if (!writes_ || depth_ == deepest) return;
  Transaction types_of_the_call(function);
  Inference inside(options_);
  inside.options_.name_unknown = inside.options_.declare = false;
  inside.options_.problem = nullptr;
  inside.call_ = &call;
  inside.depth_ = depth_ + 1;
  for (std::size_t i = 0; i < function.inputs().size() && i < call.input_count(); ++i) {
    if (!call.has(i)) continue;
    const onnx::TypeProto* const type = call.type(i);
    function.set_type(*function.inputs()[i], type ? *type : tensor_type(call.dtype(i), call.shape(i)));
  }
  inside.infer_nodes(function);
  for (std::size_t i = 0; i < function.output_count(); ++i) {
    const Value* const output = function.output(i);
    if (output != nullptr && output->type() != nullptr) call.set_type(i, *output->type());
  }
}

template <class Void>
Verdict BasicInference<Void>::settle(Value& value, const onnx::TypeProto& type) {
  if (type.has_tensor_type()) return settle(value, elem_type(type), Shape(type));
  const onnx::TypeProto* const before = value.type();
  const bool open = before == nullptr || before->value_case() == onnx::TypeProto::VALUE_NOT_SET;
  if (!open && before->value_case() != type.value_case()) {
    return Verdict::no("a value is declared with another kind of type than follows");
  }
  if (open || options_.refresh) write(value, type);
  return Verdict::yes();
}

template <class Void>
Verdict BasicInference<Void>::settle(Value& value, DType dtype, const Shape& shape) {
  if (dtype == DType::undefined && !shape.known()) return Verdict::yes();
  const onnx::TypeProto* const before = value.type();
  const bool open = before == nullptr || before->value_case() == onnx::TypeProto::VALUE_NOT_SET;
  if (!open && !before->has_tensor_type()) {
    return Verdict::no("a value is declared with another kind of type than follows");
  }
  const bool anew = options_.refresh && value.producer() != nullptr && !value.is_graph_output();
  const DType old_dtype = anew && dtype != DType::undefined ? DType::undefined : value.dtype();
  const Shape old_shape = anew && shape.known() ? Shape() : value.shape();
  if (dtype != DType::undefined && old_dtype != DType::undefined && dtype != old_dtype) {
    return Verdict::no("a value is declared with another dtype than follows");
  }
  if (!old_shape.known() && !shape.known()) {
    if (old_dtype == DType::undefined) write(value, tensor_type(dtype));
    return Verdict::yes();
  }
  std::vector<Dim> dims = infer::to_dims(old_shape.known() ? old_shape : shape);
  if (old_shape.known() && shape.known()) {
    if (shape.rank() != dims.size()) {
      return no("a value is declared with rank {}, where {} follows", dims.size(), shape.rank());
    }
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      const auto both = infer::unify(dims[axis], shape[axis]);
      if (!both) {
        const std::string_view text = "a value is declared with extent {} where {} follows, at axis {}";
        return no(text, dims[axis].value(), shape[axis].value(), axis);
      }
      dims[axis] = *both;
    }
  }
  if (!writes_) return Verdict::yes();
  if (names_) name_unknown(value.graph().model(), dims);
  const Shape merged(std::move(dims));
  const DType merged_dtype = dtype != DType::undefined ? dtype : old_dtype;
  const bool is_news = merged_dtype != value.dtype() || merged != value.shape();
  if (is_news || options_.declare) write(value, tensor_type(merged_dtype, merged));
  return Verdict::yes();
}

template <class Void>
void BasicInference<Void>::write(Value& value, const onnx::TypeProto& type) {
  if (!writes_) return;
  if (options_.declare) {
    value.graph().declare_type(value, type);
  } else {
    value.graph().set_type(value, type);
  }
}

template <class Void>
void BasicInference<Void>::name_unknown(const Model& model, std::vector<Dim>& dims) {
  for (Dim& dim : dims) {
    if (dim.known() || dim.symbolic()) continue;
    if (symbols_.empty()) {
      next_symbol_ = 0;
      for (const Graph* const graph : model.scopes()) {
        for (const Value* const input : graph->inputs()) collect_symbols(*input);
        for (const Node& node : graph->nodes()) {
          for (const Value& output : node.outputs()) collect_symbols(output);
        }
      }
    }
    auto placed = symbols_.insert("unk__" + std::to_string(next_symbol_++));
    while (!placed.second) placed = symbols_.insert("unk__" + std::to_string(next_symbol_++));
    dim = Dim(std::string_view(*placed.first));
  }
}

template <class Void>
const onnx::AttributeProto* BasicInferContext<Void>::attribute(std::string_view name) const {
  const onnx::AttributeProto* const given = node_.attribute(name);
  if (given == nullptr || !is_reference(*given)) return given;
  const InferContext* const call = inference_ != nullptr ? inference_->call_ : nullptr;
  return call != nullptr ? call->attribute(given->ref_attr_name()) : nullptr;
}
template <class Void>
Verdict BasicInferContext<Void>::refine(Value& value, DType dtype, const Shape& shape) const {
  return inference_->settle(value, dtype, shape);
}
template <class Void>
Verdict BasicInferContext<Void>::refine(Value& value, const onnx::TypeProto& type) const {
  return inference_->settle(value, type);
}
template <class Void>
void BasicInferContext<Void>::infer_body(Graph& body) const {
  if (inference_->writes_) inference_->infer_nodes(body);
}

#ifdef GRAFT_SEPARATE
extern template class BasicInferContext<void>;
extern template class BasicInference<void>;
#endif

}  // namespace graft::inline v1
