#pragma once
#include <graft/graph/build.hpp>
#include <graft/graph/dot.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/verify.hpp>
