#pragma once
#include <graft/surgery/detail/surgeon_table.hpp>

#include <vector>

#include <graft/config.hpp>
#include <graft/surgery/freeze_inputs.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<Surgeon> signature_surgeons() {
  return {{"RemoveInitializerFromInputs", "makes constants of inputs that have an initializer", {}, {.signature = true},
           [](const SurgeonArguments&) { return freeze_inputs(); }}};
}

}  // namespace graft::inline v1::detail
