#pragma once
// The bodies of precision/, for header-only use and for one unit of a compiled library.
#include <graft/evaluate.hpp>
#include <graft/qdq.hpp>
#include <graft/surgery.hpp>

#include <graft/precision/convert_floats.ipp>
#include <graft/precision/detail/float_facts.ipp>
#include <graft/precision/detail/float_plan.ipp>
#include <graft/precision/detail/float_trials.ipp>
#include <graft/precision/detail/float_writer.ipp>
#include <graft/precision/float_options.ipp>
#include <graft/precision/float_target.ipp>
