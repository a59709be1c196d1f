#pragma once
// All bodies of graft: where every file defines GRAFT_COMPILED, one source file of the program includes this.
#ifndef GRAFT_COMPILED
#error "<graft/src.hpp> is for programs that define GRAFT_COMPILED for every file"
#endif
#include <graft/evaluate/src.hpp>
#include <graft/graph/src.hpp>
#include <graft/lower/src.hpp>
#include <graft/pattern/src.hpp>
#include <graft/precision/src.hpp>
#include <graft/qdq/src.hpp>
#include <graft/qonnx/src.hpp>
#include <graft/quantize/src.hpp>
#include <graft/rewrite/src.hpp>
#include <graft/session/src.hpp>
#include <graft/simplify/src.hpp>
#include <graft/surgery/src.hpp>
#include <graft/testing/src.hpp>
#include <graft/transformer/src.hpp>
#include <graft/vocabulary/src.hpp>
