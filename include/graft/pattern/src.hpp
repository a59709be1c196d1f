#pragma once
// The bodies of pattern/, for header-only use and for one unit of a compiled library.
#include <graft/graph.hpp>

#include <graft/pattern/attribute_words.ipp>
#include <graft/pattern/detail/explain_text.ipp>
#include <graft/pattern/detail/matcher_bind.ipp>
#include <graft/pattern/detail/matcher_finish.ipp>
#include <graft/pattern/detail/matcher_walk.ipp>
#include <graft/pattern/explain.ipp>
#include <graft/pattern/link.ipp>
#include <graft/pattern/print.ipp>
#include <graft/pattern/root_ops.ipp>
