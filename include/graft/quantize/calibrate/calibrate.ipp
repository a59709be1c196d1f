#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass with_ranges(Ranges ranges) {
  return pass("with_ranges",
              [ranges = std::move(ranges)](Graph&, Context& context) {
                context.facts.provide(ranges);
                return Report();
              })
      .provides<Ranges>();
}

}  // namespace graft::inline v1
