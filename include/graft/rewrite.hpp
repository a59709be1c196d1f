#pragma once
// What to do with what a pattern finds: rules, the rewriter, drivers, passes and pipelines.
#define GRAFT_UMBRELLA
#include <graft/pattern.hpp>
#include <graft/rewrite/committing.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/edits.hpp>
#include <graft/rewrite/explain.hpp>
#include <graft/rewrite/fact.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/fewest.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/loops.hpp>
#include <graft/rewrite/near_names.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/preserved.hpp>
#include <graft/rewrite/provenance.hpp>
#include <graft/rewrite/read_behind.hpp>
#include <graft/rewrite/registry.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/rewrite/try_run.hpp>
#include <graft/rewrite/type_key.hpp>
#include <graft/rewrite/unmatched_name.hpp>

#ifndef GRAFT_COMPILED
#include <graft/rewrite/src.hpp>
#endif
