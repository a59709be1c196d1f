#pragma once
#include "every_header.hpp"

inline constexpr auto shared_x = graft::val<"x">;
inline constexpr auto shared_rule =
    graft::rule<"relu-relu">(graft::op<"Relu">(graft::op<"Relu">(shared_x)), graft::op<"Relu">(shared_x));
