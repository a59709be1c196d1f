#pragma once
#include <graft/evaluate/clamp.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/evaluate/node_executor.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/standard.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph.hpp>
#ifndef GRAFT_SEPARATE
#endif
