#pragma once
// The kit for tests of rules and passes: graphs from text, comparison by structure and by evaluation, derived cases.
#define GRAFT_UMBRELLA
#include <graft/testing/equivalent.hpp>
#include <graft/testing/fuzz.hpp>
#include <graft/testing/given.hpp>
#include <graft/testing/isomorphic.hpp>
#include <graft/testing/lint.hpp>
#include <graft/testing/lint_target.hpp>
#include <graft/testing/random.hpp>
#include <graft/testing/random_graph.hpp>
#include <graft/testing/shrink.hpp>
#include <graft/testing/test_result.hpp>
#include <graft/testing/text.hpp>
#include <graft/testing/trial.hpp>
#include <graft/testing/variants.hpp>

#ifndef GRAFT_COMPILED
#include <graft/testing/src.hpp>
#endif
