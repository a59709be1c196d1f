#pragma once
#include <string>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Float operators that compute what a Trunc of constant parameters does, before it. Returns the result, or nullptr and
/// why there is none. Precondition: check_float_quantizer().
Value* lower_trunc(const Node& node, Rewriter& rewriter, std::string& why);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/lower_trunc.ipp>
#endif
