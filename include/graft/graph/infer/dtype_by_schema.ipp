#pragma once
#include <graft/config.hpp>
#include <graft/graph/infer/dtype_by_schema.hpp>

namespace graft::inline v1::infer {

GRAFT_INLINE const schema::Operator* lenient_schema(const Node& node) {
  const schema::Operator* const found = node.schema();
  return found != nullptr || node.schemas().empty() ? found : &node.schemas().back();
}

GRAFT_INLINE DType dtype_by_schema(const Node& node, const schema::Operator& op, std::size_t output) {
  const schema::Parameter* const told = op.output(output);
  if (told == nullptr) return DType::undefined;
  if (const auto only = op.type(*told).only()) return *only;
  if (told->option == schema::Option::heterogeneous) return DType::undefined;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const schema::Parameter* const parameter = op.input(i);
    if (parameter == nullptr || node.input(i) == nullptr) continue;
    if (parameter->type != told->type || parameter->option == schema::Option::heterogeneous) continue;
    const DType dtype = node.input(i)->dtype();
    if (dtype != DType::undefined) return dtype;
  }
  return DType::undefined;
}

}  // namespace graft::inline v1::infer
