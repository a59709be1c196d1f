#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  SequenceAt(SequenceConstruct(a, b ...), i)
// After:   the element                                       i is known and in range
extern const RuleView element_of_sequence;

// Before:  ConcatFromSequence(SequenceConstruct(a, b ...)) {axis, new_axis}
// After:   Concat(a, b ...)                                  new_axis = 0
//          Concat(Unsqueeze(a), Unsqueeze(b) ...)            new_axis = 1, and nothing else reads the sequence
extern const RuleView concat_of_sequence;

// Before:  SequenceLength(SequenceConstruct(a, b ...))
// After:   a constant
extern const RuleView length_of_sequence;

// Before:  SequenceInsert(SequenceEmpty(), a)
// After:   SequenceConstruct(a)
extern const RuleView insert_into_empty_sequence;

// Before:  SequenceInsert(SequenceConstruct(a, b ...), c, i)
// After:   SequenceConstruct(a, c, b ...)                    i is known and in range, or absent: then c is the last
//
// Nothing else reads the sequence, and the result has at most 1024 elements.
extern const RuleView insert_into_sequence;

// Before:  SequenceErase(SequenceConstruct(a, b ...), i)
// After:   SequenceConstruct(a ...)                          i as above, and an element is left
//
// Nothing else reads the sequence.
extern const RuleView erase_from_sequence;

// Before:  SplitToSequence(x, split)
// After:   SequenceConstruct(Split(x))                       with the size of each part
//          SequenceConstruct(Squeeze(part) of Split(x) ...)  without a split, and keepdims = 0
//
// split is known, or absent, which means 1. It is a list of sizes with the extent of x as their sum, or a positive
// scalar. Beside a scalar, the extent is known and not 0; the last part may be smaller, and keepdims is 1: the standard
// ignores keepdims there, runtimes do not. There are at most 1024 parts. All readers of the sequence are SequenceAt,
// ConcatFromSequence or SequenceLength, with a known index if they have one. Squeezed parts have no ConcatFromSequence.
extern const RuleView split_to_parts;

// Before:  OptionalGetElement(Optional(x)), OptionalGetElement(x)
// After:   x
//
// The Optional may have other readers. Without an Optional, x is known to be a tensor or a sequence; the operator takes
// these since opset 18.
extern const RuleView element_of_optional;

// Before:  OptionalHasElement(Optional(x)), OptionalHasElement(x)
// After:   true
//
// Before:  OptionalHasElement(Optional()), OptionalHasElement()
// After:   false
//
// The conditions are those of element_of_optional.
extern const RuleView optional_has_element;

}  // namespace graft::inline v1
