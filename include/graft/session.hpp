#pragma once
#define GRAFT_UMBRELLA
#include <graft/session/objective.hpp>
#include <graft/session/output_difference.hpp>
#include <graft/session/paired_ratio.hpp>
#include <graft/session/search_session.hpp>
#include <graft/session/searched_option.hpp>
#include <graft/session/session_bench.hpp>
#include <graft/session/session_code.hpp>
#include <graft/session/session_config.hpp>
#include <graft/session/session_trial.hpp>

#ifndef GRAFT_COMPILED
#include <graft/session/src.hpp>
#endif
