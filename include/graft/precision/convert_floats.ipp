#pragma once
#include <graft/precision/convert_floats.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/precision/detail/float_facts.hpp>
#include <graft/precision/detail/float_plan.hpp>
#include <graft/precision/detail/float_types.hpp>
#include <graft/precision/detail/float_writer.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/simplify/no_op.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/raise_opset.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether a type of a version permits the dtype.
inline bool permits(const schema::Operator& version, DType dtype) {
  const std::span<const schema::TypeSet> types = version.types();
  return std::any_of(types.begin(), types.end(), [&](const schema::TypeSet& set) { return set.contains(dtype); });
}

/// The first version of the main domain in which Cast takes the dtype, named by a number.
constexpr int opset_of_cast(DType dtype) { return dtype == DType::bf16 ? 13 : 6; }

/// The least version of the main domain in which every operator takes the dtype that ever takes it. Quantizers do not
/// count: their scales may as well be float32.
inline int opset_for(Model& model, const FloatOptions& options, DType dtype) {
  int wanted = std::max(model.opset(), opset_of_cast(dtype));
  for (Graph* const scope : with_bodies(model.graph())) {
    for (const Node& node : scope->nodes()) {
      const schema::Operator* const now = node.schema();
      if (now == nullptr || !node.domain().empty() || permits(*now, dtype)) continue;
      if (node.is("QuantizeLinear") || node.is("DequantizeLinear") || !options.target.computes(node, dtype)) continue;
      if (!permits(*now, DType::f32)) continue;
      const auto& kept = options.keep_operators;
      if (std::find(kept.begin(), kept.end(), node.op_type()) != kept.end()) continue;
      for (const schema::Operator& version : node.schemas()) {
        if (version.since_version <= now->since_version || !permits(version, dtype)) continue;
        wanted = std::max<int>(wanted, version.since_version);
        break;
      }
    }
  }
  return wanted;
}

/// Converts the model, and reports what was converted and what stays.
inline Report convert_floats(Model& model, Context& context, DType to, const FloatPlanOptions& options) {
  const FloatConversion conversion{to};
  Graph& graph = model.graph();
  infer_shapes(graph, context.infer_options());
  Transaction transaction(graph);
  const FloatPlan plan(model, conversion, options);
  FloatWriter writer(model, conversion);
  writer.write(plan);
  Report report;
  report.changes = writer.changes();
  if (report.changes != 0) {
    const std::string name(to_string(to));
    report.notes.push_back(std::to_string(plan.converted_nodes()) + " nodes compute in " + name + ", " +
                           std::to_string(writer.tensors()) + " tensors are stored in it, " +
                           std::to_string(writer.casts()) + " Casts were inserted");
    report.changes += fixpoint(remove_cast, remove_cast_like).run(graph, context).changes;
    for (Value* const output : graph.outputs())
      if (output != nullptr && output->type() != nullptr) graph.declare_type(*output, onnx::TypeProto(*output->type()));
  }
  for (const auto& [why, count] : plan.kept())
    report.notes.push_back(std::to_string(count) + " nodes are not converted: " + std::string(why));
  transaction.keep();
  return report;
}

/// Raises the opset, as far as the model permits it.
inline void raise_for_floats(Model& model, Context& context, const FloatOptions& options, DType to, Report& report) {
  const int opset = options.raise_opset ? opset_for(model, options, to) : opset_of_cast(to);
  if (opset <= model.opset()) return;
  try {
    report.changes += raise_opset(opset).run(model.graph(), context).changes;
    report.notes.push_back("the opset was raised to " + std::to_string(opset) + ", where all operators take " +
                           std::string(to_string(to)));
  } catch (const Error& error) {
    if (model.opset() < opset_of_cast(to)) throw;
    report.notes.push_back("the opset stays: " + std::string(error.what()));
  }
}

inline Pass narrow_floats(std::string name, const FloatOptions& options, DType to) {
  const auto run = [options, to](Graph& graph, Context& context) {
    Model& model = graph.model();
    Report report = inline_functions().run(model.graph(), context);
    infer_shapes(model.graph(), context.infer_options());
    raise_for_floats(model, context, options, to, report);
    FloatFacts facts(options, to);
    const Report conversion = convert_floats(model, context, to,
                                             {.keep_io = options.keep_io,
                                              .cast_cost = options.cast_cost,
                                              .why_kept = [&](const Node& node) { return facts.why_kept(node); }});
    report.changes += conversion.changes;
    report.notes.insert(report.notes.end(), conversion.notes.begin(), conversion.notes.end());
    return report;
  };
  return pass(std::move(name), run).preserves_all();
}

}  // namespace detail

GRAFT_INLINE Pass to_float16(const FloatOptions& options) {
  return detail::narrow_floats("to_float16", options, DType::f16);
}

GRAFT_INLINE Pass to_bfloat16(const FloatOptions& options) {
  return detail::narrow_floats("to_bfloat16", options, DType::bf16);
}

GRAFT_INLINE Pass to_float32() {
  return pass("to_float32",
              [](Graph& graph, Context& context) {
                Model& model = graph.model();
                Report report = inline_functions().run(model.graph(), context);
                const Report conversion = detail::convert_floats(model, context, DType::f32, {});
                report.changes += conversion.changes;
                report.notes.insert(report.notes.end(), conversion.notes.begin(), conversion.notes.end());
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
