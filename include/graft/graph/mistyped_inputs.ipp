#pragma once
#include <graft/graph/mistyped_inputs.hpp>

#include <algorithm>
#include <array>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<MistypedInput> mistyped_inputs(const Node& node) {
  std::vector<MistypedInput> wrong;
  const schema::Operator* const op = node.schema();
  if (op == nullptr) return wrong;
  std::array<DType, 256> groups;  // only the operator's groups are set, which are few
  std::fill_n(groups.begin(), op->types().size(), DType::undefined);
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value* const input = node.input(i);
    const schema::Parameter* const parameter = op->input(i);
    if (parameter == nullptr) return wrong;
    const DType dtype = input == nullptr ? DType::undefined : input->dtype();
    if (dtype == DType::undefined) continue;
    if (!op->type(*parameter).contains(dtype)) {
      wrong.push_back({i, DType::undefined});
      continue;
    }
    if (parameter->option == schema::Option::heterogeneous) continue;
    DType& group = groups[parameter->type];
    if (group != DType::undefined && group != dtype) wrong.push_back({i, group});
    group = dtype;
  }
  return wrong;
}

}  // namespace graft::inline v1
