#pragma once
#define GRAFT_UMBRELLA
#include <graft/rewrite.hpp>
#include <graft/surgery/change_batch.hpp>
#include <graft/surgery/deduplicate_subgraph_initializers.hpp>
#include <graft/surgery/functions.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/surgery/inputs.hpp>
#include <graft/surgery/merge_models.hpp>
#include <graft/surgery/optimizations.hpp>
#include <graft/surgery/outputs.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/surgery/rename.hpp>
#include <graft/surgery/shapes.hpp>
#include <graft/surgery/subgraphs.hpp>
#include <graft/surgery/surgeon.hpp>
#include <graft/surgery/surgeons.hpp>
#include <graft/surgery/tied_weights.hpp>
#include <graft/surgery/to_inference.hpp>

#ifndef GRAFT_COMPILED
#include <graft/surgery/src.hpp>
#endif
