#pragma once
#include <graft/simplify/fold/optionals.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// What an optional holds: nullptr for nothing; nullopt if that is not known.
inline std::optional<Value*> held_by(Value* optional) {
  if (optional == nullptr) return nullptr;
  const Node* const maker = optional->producer();
  if (maker != nullptr && maker->is("Optional")) return maker->input(0);
  const onnx::TypeProto* const type = optional->type();
  if (type != nullptr && (type->has_tensor_type() || type->has_sequence_type())) return optional;
  return std::nullopt;
}

inline constexpr auto element_of_optional =
    rule<"element-of-optional">(op<"OptionalGetElement">(x).as(outer), [](const auto& m, Rewriter& rewriter) {
      const std::optional<Value*> held = held_by(&m[x]);
      if (!held) return Verdict::no("what its input holds is not known");
      if (*held == nullptr) return Verdict::no("its input holds nothing");
      return rewriter.replace(*m[outer].output(0), **held);
    });

inline constexpr auto optional_has_element =
    rule<"optional-has-element">(op<"OptionalHasElement">(opt(x)).as(outer), [](const auto& m, Rewriter& rewriter) {
      const std::optional<Value*> held = held_by(m[x]);
      if (!held) return Verdict::no("what its input holds is not known");
      return rewriter.replace(*m[outer].output(0), rewriter.constant(Tensor::scalar(*held != nullptr)));
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView element_of_optional = vocabulary::element_of_optional.view();

GRAFT_INLINE constinit const RuleView optional_has_element = vocabulary::optional_has_element.view();

}  // namespace graft::inline v1
