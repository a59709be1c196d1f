#pragma once
// The bodies of surgery/, for header-only use and for one unit of a compiled library.
#include <graft/lower.hpp>
#include <graft/qdq.hpp>

#include <graft/surgery/change_batch.ipp>
#include <graft/surgery/deduplicate_subgraph_initializers.ipp>
#include <graft/surgery/detail/block_table.ipp>
#include <graft/surgery/detail/operator_surgeons.ipp>
#include <graft/surgery/detail/own_surgeons.ipp>
#include <graft/surgery/detail/rank_surgeons.ipp>
#include <graft/surgery/detail/signature_surgeons.ipp>
#include <graft/surgery/functions.ipp>
#include <graft/surgery/inline_functions.ipp>
#include <graft/surgery/inputs.ipp>
#include <graft/surgery/merge_models.ipp>
#include <graft/surgery/optimizations.ipp>
#include <graft/surgery/outputs.ipp>
#include <graft/surgery/raise_opset.ipp>
#include <graft/surgery/rename.ipp>
#include <graft/surgery/shapes.ipp>
#include <graft/surgery/subgraphs.ipp>
#include <graft/surgery/surgeon.ipp>
#include <graft/surgery/surgeons.ipp>
#include <graft/surgery/tied_weights.ipp>
#include <graft/surgery/to_inference.ipp>
