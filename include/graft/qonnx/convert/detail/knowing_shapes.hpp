#pragma once
#include <utility>

#include <graft/graph/infer.hpp>
#include <graft/qonnx/ops/shape_functions.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::qonnx::detail {

/// While it lives, the Context knows the shapes of QONNX's operators beside what it knows itself, which comes first.
class KnowingShapes {
 public:
  explicit KnowingShapes(Context& context) : context_(context), before_(context.shape_functions) {
    context.shape_functions.insert(shape_functions().begin(), shape_functions().end());
  }
  KnowingShapes(const KnowingShapes&) = delete;
  KnowingShapes& operator=(const KnowingShapes&) = delete;
  ~KnowingShapes() { context_.shape_functions = std::move(before_); }

 private:
  Context& context_;
  ShapeFunctions before_;
};

}  // namespace graft::inline v1::qonnx::detail
