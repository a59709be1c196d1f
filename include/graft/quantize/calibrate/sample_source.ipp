#pragma once
#include <graft/quantize/calibrate/sample_source.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void SampleSource::for_each(const Visit& visit) const {
  if (!held_->begins_anew && std::exchange(held_->begun, true))
    throw Error("the samples can be gone through only once: hold them in a vector");
  held_->for_each(visit);
}

}  // namespace graft::inline v1
