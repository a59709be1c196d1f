#pragma once
#include <optional>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

struct RuleView;

namespace rules {

std::optional<Ints> composed_perm(const Value& input, const std::optional<Ints>& first,
                                  const std::optional<Ints>& second);

}  // namespace rules

// Before:  Transpose(Transpose(x, p), q)
// After:   Transpose(x, r)               r[i] = p[q[i]]
//
// An absent perm reverses the axes; then the other perm or x gives the rank. The inner Transpose stays if it has other
// readers. If r changes nothing, remove_transpose removes the result.
extern const RuleView transpose_transpose;

// Before:  Transpose(f(Transpose(x, p)), q)     f: up to 64 elementwise operators in a row
// After:   f(Transpose(x, r))                   r[i] = p[q[i]]
//
// Each elementwise operator has one operand, and may have constants of one element, of rank 0 or 1: Relu, Clip, Mul by
// 2. p, q or x gives the rank. Nothing else reads the nodes between. Several outer Transposes in a row move together:
// the only reader of the last one is not a Transpose. If r changes nothing, remove_transpose removes the result.
extern const RuleView transpose_elementwise_transpose;

}  // namespace graft::inline v1
