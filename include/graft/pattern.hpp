#pragma once
// What to look for in a graph: captures, operators, constraints, alternatives; one matcher; why it did not match.
#define GRAFT_UMBRELLA
#include <graft/pattern/arg.hpp>
#include <graft/pattern/assign_slots.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/attribute_words.hpp>
#include <graft/pattern/bindings.hpp>
#include <graft/pattern/bound.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/chain.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/each.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/explain.hpp>
#include <graft/pattern/failure.hpp>
#include <graft/pattern/ints.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/link.hpp>
#include <graft/pattern/match.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/outputs.hpp>
#include <graft/pattern/print.hpp>
#include <graft/pattern/query.hpp>
#include <graft/pattern/root_ops.hpp>
#include <graft/pattern/roots.hpp>
#include <graft/pattern/table.hpp>
#include <graft/pattern/where.hpp>

#ifndef GRAFT_COMPILED
#include <graft/pattern/src.hpp>
#endif
