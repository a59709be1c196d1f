#pragma once
#include <graft/qonnx/ops/kernels.hpp>

#include <string>

#include <graft/config.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/qonnx/ops/definitions.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE const Kernels& kernels() {
  static const Kernels all = [] {
    Kernels table = Kernels::standard();
    for (const std::string& op : operators().names()) {
      const OpName name = OpName::parse(op);
      table.add(op, *operators().kernel(name.domain, name.op_type));
    }
    return table;
  }();
  return all;
}

}  // namespace graft::inline v1::qonnx
