#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  OptionalGetElement(Optional(x)), OptionalGetElement(x)
// After:   x
//
// Before:  OptionalHasElement(Optional(x)), OptionalHasElement(x)
// After:   true
//
// Before:  OptionalHasElement(Optional()), OptionalHasElement()
// After:   false
//
// Where there is no Optional, x is known to be a tensor or a sequence; both operators take these since opset 18. The
// Optional may have other readers.

namespace graft::inline v1 {

extern const RuleView element_of_optional;
extern const RuleView optional_has_element;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fold/optionals.ipp>
#endif
