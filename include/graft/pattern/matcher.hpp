#pragma once
// The one matcher: its class, and its parts.
#include <graft/pattern/detail/matcher_class.hpp>
