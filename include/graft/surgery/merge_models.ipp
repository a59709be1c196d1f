#pragma once
#include <graft/surgery/merge_models.hpp>

#include <graft/config.hpp>
#include <graft/surgery/detail/model_merger.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Model merge_models(Model& first, Model& second, const MergeOptions& options) {
  return detail::ModelMerger(first.clone(), second.clone(), options).run();
}

}  // namespace graft::inline v1
