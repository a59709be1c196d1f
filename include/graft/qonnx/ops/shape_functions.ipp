#pragma once
#include <graft/qonnx/ops/shape_functions.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// The output is as the first input, to which `parameters` others broadcast.
template <std::size_t parameters>
Verdict like_input(InferContext& c) {
  c.set(0, DType::f32, c.shape(0));
  const Shape x = c.shape(0);
  for (std::size_t i = 1; i <= parameters; ++i) {
    const Shape p = c.shape(i);
    if (!x.known() || !p.known()) continue;
    if (p.rank() > x.rank()) return Verdict::no("a parameter has more axes than the input");
    for (std::size_t axis = 0; axis < p.rank(); ++axis) {
      const Dim extent = p[axis], wanted = x[x.rank() - p.rank() + axis];
      if (extent.known() && wanted.known() && extent != Dim(1) && extent != wanted)
        return Verdict::no("a parameter does not broadcast to the input");
    }
  }
  return Verdict::yes();
}

}  // namespace detail

GRAFT_INLINE const ShapeFunctions& shape_functions() {
  static const ShapeFunctions all = [] {
    ShapeFunctions functions;
    for (const std::string_view name : domains) {
      const std::string prefix = std::string(name) + "::";
      functions[prefix + "BipolarQuant"] = detail::like_input<1>;
      functions[prefix + "IntQuant"] = detail::like_input<3>;
      functions[prefix + "MultiThreshold"] = detail::like_input<0>;
      functions[prefix + "Quant"] = detail::like_input<3>;
      functions[prefix + "Trunc"] = detail::like_input<5>;
    }
    return functions;
  }();
  return all;
}

}  // namespace graft::inline v1::qonnx
