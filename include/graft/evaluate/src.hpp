#pragma once
// The bodies of evaluate/, for header-only use and for one unit of a compiled library.
#include <graft/graph.hpp>

#include <graft/evaluate/backward.ipp>
#include <graft/evaluate/backward_kernels.ipp>
#include <graft/evaluate/concatenated.ipp>
#include <graft/evaluate/conv_patches.ipp>
#include <graft/evaluate/decoder.ipp>
#include <graft/evaluate/detail/kernel_table.ipp>
#include <graft/evaluate/detail/plan.ipp>
#include <graft/evaluate/evaluate_node.ipp>
#include <graft/evaluate/evaluator.ipp>
#include <graft/evaluate/executor_factory.ipp>
#include <graft/evaluate/kernel_context.ipp>
#include <graft/evaluate/kernels.ipp>
#include <graft/evaluate/parallel.ipp>
#include <graft/evaluate/permuted.ipp>
#include <graft/evaluate/thread_pool.ipp>
