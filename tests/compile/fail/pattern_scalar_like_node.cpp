// expect: scalar(...).like(...) takes a val<> or a cst<>
#include <graft/pattern.hpp>

using namespace graft;

constexpr auto conv = node<"conv">;

constexpr auto p = scalar(2.0f).like(conv);
