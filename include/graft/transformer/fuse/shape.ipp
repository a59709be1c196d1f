#pragma once
#include <graft/transformer/fuse/shape.hpp>

#include <cstddef>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/made_already.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto measured_axis = cst<"measured_axis">.dtype(DType::i32, DType::i64);

inline constexpr auto extent_of_input = rule<"extent-of-input">(
    op<"Gather">(op<"Shape">(x).shared(), measured_axis).as(outer), [](const auto& m, Rewriter& rewriter) -> Verdict {
      const Tensor index = *m[measured_axis].constant();
      const Shape of_x = m[x].shape();
      if (m[x].producer() == nullptr) return Verdict::no("no node computes it");
      if (index.size() != 1 || !of_x.known()) return Verdict::no("it is not one extent of a known rank");
      const auto given = index.item<std::int64_t>(), rank = static_cast<std::int64_t>(of_x.rank());
      const std::int64_t place = given < 0 ? given + rank : given;
      if (place < 0 || place >= rank) return Verdict::no("there is no such axis");
      const Dim wanted = of_x[static_cast<std::size_t>(place)];
      if (!wanted.symbolic()) return Verdict::no("the extent has no symbol");
      for (Value* const given_input : m[outer].graph().inputs()) {
        if (given_input->initializer() != nullptr) continue;  // below IR version 4, all weights are inputs
        const Shape of_input = given_input->shape();
        for (std::size_t i = 0; i < of_input.rank(); ++i) {
          if (of_input[i] != wanted) continue;
          const Tensor found = Tensor::of<std::int64_t>(index.dims(), {static_cast<std::int64_t>(i)});
          Value* const made = detail::made_already("Shape", {given_input}, m[outer]);
          Value& dims = made != nullptr ? *made : rewriter.op("Shape", {given_input});
          Value& extent = rewriter.op("Gather", {&dims, &rewriter.constant(found, "axis")}, {{"axis", 0}});
          return rewriter.replace(*m[outer].output(0), extent);
        }
      }
      return Verdict::no("no input has its symbol");
    });

}  // namespace rules

GRAFT_INLINE constinit const RuleView extent_of_input = rules::extent_of_input.view();

}  // namespace graft::inline v1
