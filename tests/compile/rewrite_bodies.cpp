// The bodies for a program that stops at the rewriter.
#include <graft/graph/src.hpp>
#include <graft/pattern/src.hpp>
#include <graft/rewrite/src.hpp>
