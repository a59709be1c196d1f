// expect: a Value lives in its graph: hold it as Value&, const auto& or Value*
#include <utility>

#include <graft/graph.hpp>

using namespace graft;

void swap_contents(Value& a, Value& b) { a = std::move(b); }
