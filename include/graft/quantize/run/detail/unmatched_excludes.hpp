#pragma once
#include <string>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/quantize/run/quantize_options.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// A note for each of options.exclude that matches no node of the prepared model.
inline std::vector<std::string> unmatched_excludes(Model& prepared, const QuantizeOptions& options,
                                                   const Context& context) {
  Context scratch;
  scratch.facts.provide(context.facts.value_or_default<KeptInFloat>());
  return exclude_nodes(options.exclude).run(prepared, scratch).notes;
}

}  // namespace graft::inline v1::detail
