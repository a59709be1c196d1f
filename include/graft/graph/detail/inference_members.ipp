#pragma once
#include <graft/config.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/table.hpp>
#include <graft/graph/transaction.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Inference::run(Graph& graph) {
  known_.forget();
  symbols_.clear();
  calls_.reset();
  inputs_of_.clear();
  input_symbols_.clear();
  const KnownContents::Hold hold(known_);
  names_ = options_.name_unknown;
  for (Value* const input : graph.inputs()) {
    if (input->shape().known()) (void)settle(*input, input->dtype(), input->shape());
  }
  infer_nodes(graph);
  names_ = false;
}

GRAFT_INLINE Verdict Inference::check(Node& node) {
  struct Restore {
    bool& writes;
    ~Restore() { writes = true; }
  } restore{writes_};
  writes_ = false;
  calls_.reset();
  return infer(node);
}

GRAFT_INLINE Verdict Inference::infer(Node& node) {
  const KnownContents::Hold hold(known_);
  for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
    if (!is_reference(attribute)) continue;
    if (call_ == nullptr || call_->attribute(attribute.ref_attr_name()) == nullptr) return Verdict::yes();
  }
  InferContext context(node, known_, *this);
  by_extents_ = false;
  const Verdict fits = call_rule(context);
  Verdict verdict = fits;
  by_extents_ = names_ && fits && !context.depends_on_data() && reads_extents_of_inputs(node);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value& output = *node.output(i);
    if (output.name().empty()) continue;
    const InferContext::InferredOutput& told = context.inferred(i);
    if (fits && share_type(node, output, told)) continue;
    const Shape shape = fits ? told.shape : Shape();
    const Verdict agrees = told.other ? settle(output, *told.other) : settle(output, told.dtype, shape);
    if (verdict && !agrees) verdict = agrees;
  }
  return verdict;
}

GRAFT_INLINE Verdict Inference::call_rule(InferContext& context) {
  const Node& node = context.node();
  const InferFunction* own = options_.operators.shape(node.domain(), node.op_type());
  if (own == nullptr) own = node.graph().model().operators().shape(node.domain(), node.op_type());
  if (own != nullptr) {
    context.depend_on_data();
    return (*own)(context);
  }
  if (Graph* const function = function_of(node)) {
    context.depend_on_data();
    call_function(context, *function);
    return Verdict::yes();
  }
  const infer::OperatorRule* const rule = rule_of(node);
  if (rule == nullptr || !node.bodies().empty()) context.depend_on_data();
  if (rule != nullptr) return rule->types(context);
  for (const Body& body : node.bodies()) context.infer_body(*body.graph);
  return Verdict::yes();
}

/// Caches the rule of each operator, because most nodes of a model have one of a few operators.
GRAFT_INLINE const infer::OperatorRule* Inference::rule_of(const Node& node) {
  const auto op = static_cast<std::size_t>(node.op());
  if (op >= rules_.size()) rules_.resize(op + 1);
  if (!rules_[op]) rules_[op] = infer::find_rule(node.domain(), node.op_type());
  return *rules_[op];
}

GRAFT_INLINE Graph* Inference::function_of(const Node& node) {
  Model& model = node.graph().model();
  if (model_ != &model || known_functions_ != model.functions()) {
    model_ = &model;
    known_functions_ = model.functions();
    functions_ = LocalFunctions(model);
  }
  return functions_.called_by(node);
}

/// A key of everything that determines the output types of a call. Contents of inputs are ignored in functions.
GRAFT_INLINE std::string Inference::key_of(const InferContext& call, const Graph& function) {
  const auto* const place = &function;
  std::string key(reinterpret_cast<const char*>(&place), sizeof(place));
  const auto add = [&key](const std::string& part) {
    key += std::to_string(part.size()) + ':';
    key += part;
  };
  for (std::size_t i = 0; i < function.inputs().size() && i < call.input_count(); ++i) {
    if (!call.has(i)) {
      add("");
    } else if (const onnx::TypeProto* const type = call.type(i)) {
      add(type->SerializeAsString());
    } else {
      add(tensor_type(call.dtype(i), call.shape(i)).SerializeAsString());
    }
  }
  for (const onnx::AttributeProto& attribute : call.node().proto().attribute()) {
    add(attribute.name());
    if (const onnx::AttributeProto* const given = call.attribute(attribute.name())) add(given->SerializeAsString());
  }
  return key;
}

GRAFT_INLINE std::vector<std::optional<onnx::TypeProto>> Inference::infer_call(InferContext& call, Graph& function) {
  Transaction types_of_the_call(function);
  Inference inside(options_);
  inside.options_.name_unknown = inside.options_.declare = false;
  inside.options_.problem = nullptr;
  inside.options_.contradiction = nullptr;
  inside.call_ = &call;
  inside.calls_ = calls_;
  for (std::size_t i = 0; i < function.inputs().size() && i < call.input_count(); ++i) {
    if (!call.has(i)) continue;
    const onnx::TypeProto* const type = call.type(i);
    function.set_type(*function.inputs()[i], type ? *type : tensor_type(call.dtype(i), call.shape(i)));
  }
  inside.infer_nodes(function);
  std::vector<std::optional<onnx::TypeProto>> outputs(function.output_count());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Value* const output = function.output(i);
    if (output != nullptr && output->type() != nullptr) outputs[i] = *output->type();
  }
  return outputs;
}

GRAFT_INLINE void Inference::call_function(InferContext& call, Graph& function) {
  constexpr std::size_t deepest = 128;  // each call takes stack
  if (!writes_) return;
  if (calls_ == nullptr) calls_ = std::make_shared<Calls>();
  std::string key = key_of(call, function);
  auto known = calls_->outputs.find(key);
  if (known == calls_->outputs.end()) {
    if (calls_->open.size() == deepest || !calls_->open.insert(&function).second) return;  // it may even call itself
    struct Close {
      Calls& calls;
      const Graph& function;
      ~Close() { calls.open.erase(&function); }
    } const close{*calls_, function};
    known = calls_->outputs.emplace(std::move(key), infer_call(call, function)).first;
  }
  for (std::size_t i = 0; i < known->second.size(); ++i) {
    if (known->second[i]) call.set_type(i, *known->second[i]);
  }
}

GRAFT_INLINE const onnx::AttributeProto* InferContext::attribute(std::string_view name) const {
  const onnx::AttributeProto* const given = node_.attribute(name);
  if (given == nullptr || !is_reference(*given)) return given;
  const InferContext* const call = inference_ != nullptr ? inference_->call_ : nullptr;
  return call != nullptr ? call->attribute(given->ref_attr_name()) : nullptr;
}
GRAFT_INLINE Verdict InferContext::refine(Value& value, DType dtype, const Shape& shape) const {
  return inference_->settle(value, dtype, shape);
}
GRAFT_INLINE Verdict InferContext::refine(Value& value, const onnx::TypeProto& type) const {
  return inference_->settle(value, type);
}
GRAFT_INLINE void InferContext::widen(Value& value, const Shape& shape) const { inference_->widen(value, shape); }
GRAFT_INLINE void InferContext::infer_body(Graph& body, bool taken) const {
  if (!inference_->writes_) return;
  auto& options = inference_->options_;
  auto problem = taken ? nullptr : std::exchange(options.problem, nullptr);
  auto contradiction = taken ? nullptr : std::exchange(options.contradiction, nullptr);
  inference_->infer_nodes(body);
  if (taken) return;
  options.problem = std::move(problem);
  options.contradiction = std::move(contradiction);
}

}  // namespace graft::inline v1
