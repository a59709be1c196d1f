#pragma once
#define GRAFT_UMBRELLA
#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/backward.hpp>
#include <graft/evaluate/backward_context.hpp>
#include <graft/evaluate/backward_kernels.hpp>
#include <graft/evaluate/clamp.hpp>
#include <graft/evaluate/concatenated.hpp>
#include <graft/evaluate/conv_patches.hpp>
#include <graft/evaluate/decoder.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/evaluate/run_limits.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph.hpp>

#ifndef GRAFT_COMPILED
#include <graft/evaluate/src.hpp>
#endif
