#include "passes.hpp"

#include <string>

#include <graft/simplify.hpp>

namespace {

using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x)), op<"Relu">(x));

Report note_size(Graph& graph, Context&) {
  Report report;
  report.notes.push_back(std::to_string(graph.nodes().size()) + " nodes");
  return report;
}

/// A fact that graft's own passes read.
Pass know(const Ranges& ranges) {
  const auto provide = [ranges](Graph&, Context& context) {
    context.facts.provide(ranges);
    return Report();
  };
  return pass("know", provide).provides<Ranges>();
}

}  // namespace

graft::Pass quantize(const graft::Ranges& ranges, const graft::Target& target) {
  return fixpoint(remove_identity, relu_relu) | pass("note_size", note_size) | know(ranges) |
         inject_qdq(target, Placement::all_supported) | quantize_weights(WeightForm{Granularity::per_channel}, target);
}
