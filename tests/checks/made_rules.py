"""Files of rules, to measure what each further declarative rule costs."""

VOCABULARY = """#pragma once
#include <graft/rewrite.hpp>
using namespace graft;
inline constexpr auto x = val<"x">;
inline constexpr auto y = val<"y">;
inline constexpr auto w = cst<"w">;
inline constexpr auto axis = attr<"axis", Axis>;
"""


def rules(count):
    """Rules of three operators each, over the vocabulary."""
    lines = []
    for i in range(count):
        before = f'op<"A{i}">(op<"Concat">(x, op<"B{i}">(y, w)).with(axis))'
        after = f'op<"Concat">(op<"B{i}">(x, y), w).with(axis)'
        lines.append(f'inline constexpr auto rule_{i} = rule<"rule {i}">({before}, {after});')
    views = ", ".join(f"rule_{i}.view()" for i in range(count))
    return "\n".join([*lines, f"std::vector<RuleView> rules() {{ return {{{views}}}; }}", ""])
