#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  SequenceAt(SequenceConstruct(a, b ...), i)
// After:   the element                                       i is known and in range
//
// Before:  ConcatFromSequence(SequenceConstruct(a, b ...)) {axis, new_axis}
// After:   Concat(a, b ...)                                  new_axis = 0
//          Concat(Unsqueeze(a), Unsqueeze(b) ...)            new_axis = 1, and nothing else reads the sequence
//
// Before:  SequenceLength(SequenceConstruct(a, b ...))
// After:   a constant
//
// Before:  SequenceInsert(SequenceEmpty(), a)
// After:   SequenceConstruct(a)
//
// Before:  SequenceInsert(SequenceConstruct(a, b ...), c, i)
// After:   SequenceConstruct(a, c, b ...)                    i is known and in range, or absent: c is the last then
//
// Before:  SequenceErase(SequenceConstruct(a, b ...), i)
// After:   SequenceConstruct(a ...)                          the same, and an element is left
//
// Of the last two, nothing else reads the sequence. No sequence gets more than 1024 elements.
//
// Before:  SplitToSequence(x, split)
// After:   SequenceConstruct(Split(x))                       with the size of each part
//          SequenceConstruct(Squeeze(part) of Split(x) ...)  without a split, and keepdims = 0
//
// split is known: sizes that the extent of x adds up to, or a positive scalar; then this extent is known, not 0, and
// the last part may be smaller. Absent, it is 1. There are at most 1024 parts, and each use of the sequence is one of
// the first three operators: with a known index, if it has any; where parts are squeezed, it is no ConcatFromSequence.
// keepdims is 1 beside a scalar: the standard ignores it there, runtimes do not.
extern const RuleView concat_of_sequence;
extern const RuleView element_of_sequence;
extern const RuleView erase_from_sequence;
extern const RuleView insert_into_empty_sequence;
extern const RuleView insert_into_sequence;
extern const RuleView length_of_sequence;
extern const RuleView split_to_parts;

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
extern const RuleView element_of_optional;
extern const RuleView optional_has_element;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/sequence.ipp>
#endif
