#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/slot.hpp>

// A pattern as a flat table, for matching and for building. Rows are in preorder: row 0 is the root, and a row's first
// child follows it. `end` is the row after its whole subtree. So the children of r are c = r + 1, nodes[c].end, ...
// until nodes[r].end. Each row has a contiguous block of attribute rows, [attr0, attr0 + attr_count). Lists of
// integers, and the slots of a function's arguments, are in `words`, [word0, word0 + word_count) of their attribute
// row.
//
// A replacement differs by Step only. Only replacements have `computed`, `folded`, `scalar`, `ints` and `outputs`; they
// never have `either`, `otherwise`, `chain`, `again` and `root`.

namespace graft::inline v1 {

class Value;

enum class Step : std::uint8_t {
  value,      // leaf: any value; with a slot, that of val, or none for `any`
  constant,   // leaf: a constant
  rest,       // leaf: zero or more inputs
  none,       // leaf: an absent input; below outputs: an output without replacement
  output,     // leaf: output `out` of the node in `slot`
  op,         // one operator; children are its inputs. See PatternNode
  opt,        // its one child, or nothing if the input is absent; built only if its captures were bound
  each,       // its first child once per remaining input; built once per element of its list captures
  again,      // second child of each: the end of one round
  either,     // its first child, or its third
  otherwise,  // second child of either: the end of the first alternative
  chain,      // zero or more nodes of `op`, then its one child; `slot` lists them in topological order
  root,       // its one child is another root, found among the readers of the `anchor`
  computed,   // a new constant: the tensor that attribute row attr0 computes
  folded,     // a new constant: its one child, evaluated
  scalar,     // a new constant of rank 0: attribute row attr0, with the dtype of value `like`, or `out` as a DType
  ints,       // a new constant, i64 of rank 1: the words of attribute row attr0
  outputs,    // child k replaces output k of the root; with several roots, root k
};

/// A row: the requirement, or the part to build, at one place.
///
/// Step::op, to match:  `op` is one name, several joined by '|', or empty for any operator. `slot` binds the node.
/// Step::op, to build:  `op` is the new operator; empty: the operator of node `like`. Attributes and name come from
///                      `like` if it is set; attribute rows override them. `slot`: the name of the new node.
struct PatternNode {
  Step step = Step::value;
  std::uint8_t out = 0;
  std::uint8_t attr_count = 0;
  bool commutative = false;
  bool shared = false;
  bool same_value = false;  // matches its parent's value: a child of either, opt, each, chain or root
  bool variadic = false;    // op: one of the children is rest or each
  bool reemitted = false;   // op: set for a rule whose replacement keeps this node's attributes
  bool listed = false;      // slot is a list that the enclosing each fills; set by assign_slots()
  bool open = false;        // op: may have any other attributes
  std::uint16_t operand = 0;
  std::uint16_t operand_count = 0;
  std::uint16_t end = 1;
  std::uint16_t attr0 = 0;
  std::uint16_t since = 0;
  std::uint16_t before = 0xffff;
  std::int16_t parent = -1;
  std::int16_t previous = -1;  // the operand before this one; set by assign_slots()
  std::int16_t slot = -1;
  std::int16_t like = -1;
  std::int16_t anchor = -1;  // root: a row below, whose capture was bound before; set by assign_slots()
  std::int16_t round = -1;   // the innermost enclosing each; set by assign_slots()
  std::string_view op{};
  std::string_view name{};  // the capture's, for printing
  CaptureId id = 0;         // becomes slot in assign_slots()
  CaptureId like_id = 0;    // becomes like in assign_slots()
};

enum class AttrMode : std::uint8_t {
  // of an operator to match
  capture,  // bind `slot`, or compare with it; in a replacement: write what `slot` holds
  equals,   // compare with the literal
  // of an operator or a constant to build
  assign,    // write the literal
  computed,  // write the result of `compute`
  // constraints of a leaf
  rank,       // literal.i
  dtype,      // literal.i: bit mask over DType
  scalar,     // one element, rank 0 or 1
  positive,   // every element > 0
  all_equal,  // every element == literal.f
  known,      // integer contents known to shape inference
  shape,      // words: dims, -1 for any
};

struct Literal {
  std::int64_t i = 0;  // i64, boolean, dtype, axis
  double f = 0;        // f32
  std::string_view s{};
};

/// The result of a function for an attribute or a constant; monostate: the function declines, and so does the rule.
using Computed = std::variant<std::monostate, std::int64_t, float, std::string, Ints, Floats, Tensor>;
/// `which`: the slots of the parameters, in order.
using Compute = Computed (*)(const Slot* slots, const std::int64_t* which);
using Check = Verdict (*)(const Slot* slots, const std::int64_t* which);

/// The integers of a value as known to inference. A pointer, so that inference is compiled only for patterns that use
/// it.
using KnownInts = std::optional<Ints> (*)(const Value&);

struct PatternAttr {
  AttrMode mode = AttrMode::capture;
  Kind type = Kind::none;
  bool param = false;     // an attribute or a constant input, as the operator version has it
  bool optional = false;  // may be absent; built only if it was bound
  bool listed = false;    // as of PatternNode
  std::int16_t slot = -1;
  std::uint16_t word0 = 0;
  std::uint16_t word_count = 0;  // computed: the slots of the arguments
  std::string_view name{};
  std::string_view capture{};  // the capture's name, if it differs, for printing
  Literal literal{};  // a list is in words
  CaptureId id = 0;
  Compute compute = nullptr;
  KnownInts known = nullptr;
  std::string_view arguments{};  // computed: the names of its arg<>s, joined by '|'
};

inline constexpr std::size_t max_arguments = 8;

/// A predicate of where(...).
struct CheckRow {
  Check holds = nullptr;
  std::string_view text{};
  std::string_view arguments{};  // the names of its arg<>s, joined by '|'
  std::size_t slot_count = 0;
  std::array<std::int64_t, max_arguments> slots{};  // capture ids before assign_slots()
};

/// A pattern without its types: spans over a constexpr object.
struct RulePattern {
  std::string_view name{};
  std::span<const PatternNode> nodes{};
  std::span<const PatternAttr> attrs{};
  std::span<const std::int64_t> words{};
  std::span<const CheckRow> checks{};
  std::span<const CaptureId> captures{};  // by slot
  bool closed = false;  // attributes that are not mentioned have defaults, unless the node is built again
};

}  // namespace graft::inline v1
