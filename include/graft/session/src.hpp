#pragma once
// The bodies of session/, for header-only use and for one unit of a compiled library.
#include <graft/evaluate.hpp>

#include <graft/session/objective.ipp>
#include <graft/session/output_difference.ipp>
#include <graft/session/paired_ratio.ipp>
#include <graft/session/search_session.ipp>
#include <graft/session/searched_option.ipp>
#include <graft/session/session_code.ipp>
#include <graft/session/session_config.ipp>
#include <graft/session/session_trial.ipp>
