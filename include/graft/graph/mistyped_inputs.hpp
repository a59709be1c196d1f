#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include <graft/graph/detail/access.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>

namespace graft::inline v1 {

/// An input whose dtype the operator does not take.
struct MistypedInput {
  std::size_t index;
  /// That of an input before, which must be of the same dtype; undefined if the operator never takes this one there.
  DType wanted;
};

/// The inputs whose dtypes are not in the set that this version of the operator takes, or differ within a type group.
/// What is not known is not wrong; neither is anything of an operator without a schema.
inline std::vector<MistypedInput> mistyped_inputs(const Node& node) {
  std::vector<MistypedInput> wrong;
  const schema::Operator* const op = node.schema();
  if (op == nullptr) return wrong;
  std::array<DType, 256> groups{};
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
