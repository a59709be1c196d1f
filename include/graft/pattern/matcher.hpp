#pragma once
// The one matcher: its class, and its parts.
#include <graft/pattern/detail/matcher_class.hpp>

#ifndef GRAFT_SEPARATE
#include <graft/pattern/detail/match_bind.hpp>
#include <graft/pattern/detail/match_finish.hpp>
#include <graft/pattern/detail/match_lists.hpp>
#include <graft/pattern/detail/match_roots.hpp>
#include <graft/pattern/detail/match_walk.hpp>
#endif
