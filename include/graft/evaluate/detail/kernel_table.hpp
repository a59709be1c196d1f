#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <graft/evaluate/clamp.hpp>
#include <graft/evaluate/detail/operator_table.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operators.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The bounds of a kernel that only clamps its first input, an f32; nullopt for a node whose bounds are not constant.
using ClampOf = std::function<std::optional<Clamp>(const Node&)>;

/// The kernels by operator. A value type: copy the standard set and add to the copy. Kernels that were added are tried
/// first, then those of the model's operators(), then the standard ones. (To call standard(), include kernels.hpp.)
class Kernels {
 public:
  /// Every operator that graft evaluates itself.
  static const Kernels& standard();

  /// op is "Conv" or "domain::Op"; throws Error for an empty name. If several kernels serve an opset, the one added
  /// last is used.
  Kernels& add(std::string_view op, Opsets opsets, Kernel kernel, ClampOf clamp = {});
  Kernels& add(std::string_view op, Kernel kernel) { return add(op, Opsets{}, std::move(kernel)); }

  /// nullptr if there is none.
  const Kernel* find(std::string_view domain, std::string_view op_type, int opset) const;
  /// Also looks in the operators of the node's model.
  const Kernel* find(const Node& node) const;
  /// The bounds, if the node's kernel only clamps.
  std::optional<Clamp> clamp(const Node& node) const;

 private:
  struct Entry {
    Kernel kernel;
    ClampOf clamp;
  };
  static const Kernels& built_in();

  standard_kernels::detail::OperatorTable<Entry> added_;
  const Kernels* base_ = nullptr;  // the built-in kernels; nullptr in a table without them
};

}  // namespace graft::inline v1
