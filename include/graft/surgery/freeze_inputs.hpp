#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Graph inputs that have an initializer stop being inputs: from IR 4 on a caller could override them, now they are
/// constants. The signature changes. Below IR 4 they are constants already, and stay, with a note.
Pass freeze_inputs();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/freeze_inputs.ipp>
#endif
