#pragma once
// The one matcher: its class, and its parts.
#include <graft/pattern/detail/matcher_class.hpp>

#ifndef GRAFT_COMPILED
#include <graft/pattern/detail/match_bind.ipp>
#include <graft/pattern/detail/match_finish.ipp>
#include <graft/pattern/detail/match_walk.ipp>
#endif
