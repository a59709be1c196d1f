#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <algorithm>
#include <numeric>

#include <graft/config.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Operators that move, repeat and concatenate elements.

namespace graft::inline v1::detail {

inline void make_transpose(NodeMaker& node) {
  const std::size_t rank = NodeMaker::rank(node.value(0, {.least_rank = 1}));
  Ints perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  if (node.dice().one_in(2)) {
    for (std::size_t i = rank; i > 1; --i)
      if (node.dice().one_in(2)) std::swap(perm[i - 1], perm[node.dice().below(i)]);
  } else if (rank > 1) {
    std::swap(perm[rank - 1], perm[rank - 2]);
  }
  if (!node.dice().one_in(5)) node.set("perm", perm);
}

/// Dims with the same number of elements: some joined, one split, or unchanged.
inline Ints other_dims(Dice& dice, const Dims& dims) {
  Ints other(dims.begin(), dims.end());
  const std::int64_t count = element_count(dims);
  switch (dice.below(6)) {
    case 0: return {count};
    case 1:
      if (other.size() > 1) {
        const std::size_t at = dice.below(other.size() - 1);
        other[at] *= other[at + 1];
        other.erase(other.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
      return other;
    case 2:
      for (std::size_t i = 0; i < other.size(); ++i) {
        if (other[i] < 2 || other[i] % 2 != 0) continue;
        other[i] /= 2;
        other.insert(other.begin() + static_cast<std::ptrdiff_t>(i), 2);
        break;
      }
      return other;
    case 3: other.insert(other.begin() + static_cast<std::ptrdiff_t>(dice.below(other.size() + 1)), 1); return other;
    case 4:
      if (count % 2 == 0 && count > 0) return {2, count / 2};
      return other;
    default: return other;
  }
}

inline void make_reshape(NodeMaker& node) {
  const Value& x = node.value(0);
  const Dims dims = NodeMaker::extents(x);
  const bool is_known = x.shape().dims().has_value();
  Ints target = is_known ? other_dims(node.dice(), dims) : Ints(dims.begin(), dims.end());
  if (!is_known) {
    for (std::size_t i = 0; i < target.size(); ++i)
      if (!x.shape()[i].known()) target[i] = 0;
    if (node.dice().one_in(2)) target = {-1};
  } else if (element_count(dims) != 0) {
    if (!target.empty() && node.dice().one_in(2)) target[node.dice().below(target.size())] = -1;
    for (std::size_t i = 0; i < std::min(target.size(), dims.size()); ++i)
      if (target[i] == dims[i] && node.dice().one_in(4)) target[i] = 0;
  }
  node.list("shape", target);
  const bool copies = std::count(target.begin(), target.end(), 0) != 0;
  if (!copies) node.may("allowzero", 1, 8);
}

inline void make_flatten(NodeMaker& node) {
  const std::size_t rank = NodeMaker::rank(node.value(0, {.least_rank = node.version() < 11 ? std::size_t{1} : 0}));
  node.may("axis", static_cast<std::int64_t>(node.dice().below(rank + 1)), 1);
}

inline void make_squeeze(NodeMaker& node) {
  const Value& x = node.value(0);
  const Dims dims = NodeMaker::extents(x);
  Ints axes;
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (x.shape()[i].known() && dims[i] == 1 && node.dice().one_in(2)) axes.push_back(node.either_sign(i, dims.size()));
  if (axes.empty() && !x.shape().dims()) throw Unfit();
  if (!axes.empty()) node.list("axes", axes);  // without axes, all extents of 1 are removed
}

inline void make_unsqueeze(NodeMaker& node) {
  const std::size_t rank = NodeMaker::rank(node.value(0, {.max_rank = 4}));
  const std::size_t added = rank < 4 && node.dice().one_in(3) ? 2 : 1;
  std::vector<std::size_t> places(rank + added);
  std::iota(places.begin(), places.end(), 0);
  Ints axes;
  for (std::size_t i = 0; i < added; ++i) {
    const std::size_t at = node.dice().below(places.size());
    axes.push_back(node.version() < 11 ? static_cast<std::int64_t>(places[at])
                                       : node.either_sign(places[at], rank + added));
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(at));
  }
  node.list("axes", axes);
}

inline void make_expand(NodeMaker& node) {
  const Dims dims = NodeMaker::extents(node.value(0));
  Ints target(dims.begin(), dims.end());
  for (std::int64_t& extent : target)
    if (extent == 1 || node.dice().one_in(3)) extent = extent == 1 && node.dice().one_in(2) ? 2 : 1;
  if (node.dice().one_in(3)) target.insert(target.begin(), node.dice().between(1, 2));
  node.ints(1, target);
}

inline void make_tile(NodeMaker& node) {
  const std::size_t rank = NodeMaker::rank(node.value(0));
  Ints repeats(rank);
  for (std::int64_t& one : repeats) one = node.dice().one_in(3) ? 2 : 1;
  node.ints(1, repeats);
}

inline void make_concat(NodeMaker& node) {
  std::size_t base = 0;
  std::size_t count = std::max<std::size_t>(node.operands.size(), 1);
  for (std::size_t i = 0; i < node.operands.size(); ++i)
    if (node.is_given(i)) base = i;
  if (node.is_free || !node.closed_inputs) count = std::max<std::size_t>(count, 1 + node.dice().below(3));
  const Value& x = node.value(base, {.least_rank = 1});
  const Dims dims = NodeMaker::extents(x);
  std::size_t axis = node.dice().below(dims.size());
  if (const auto said = node.fixed.find("axis"); said != node.fixed.end()) {
    const std::int64_t i = said->second.proto().i();
    axis = static_cast<std::size_t>(i < 0 ? i + static_cast<std::int64_t>(dims.size()) : i);
    if (axis >= dims.size()) throw Unfit();
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (i == base || node.is_given(i)) continue;
    if (node.operand(i).kind != NodeOperand::Kind::twin && x.shape().dims()) {
      Dims other = dims;
      if (node.dice().one_in(2)) other[axis] = node.dice().between(node.dice().one_in(4) ? 0 : 1, 3);
      node.weight(i, other, {-1, 1}, x.dtype());
    } else {
      node.value(i, Want{.least_rank = dims.size(), .max_rank = dims.size()}.of(dtype_bit(x.dtype())));
    }
  }
  node.set("axis", node.version() < 11 ? static_cast<std::int64_t>(axis) : node.either_sign(axis, dims.size()));
}

inline void make_split(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1});
  const Dims dims = NodeMaker::extents(x);
  const std::size_t axis = node.dice().below(dims.size());
  if (!x.shape()[axis].known()) throw Unfit();
  const std::int64_t extent = dims[axis];
  node.set("axis", node.version() < 11 ? static_cast<std::int64_t>(axis) : node.either_sign(axis, dims.size()));
  if (extent < 2 || node.dice().one_in(5)) {
    node.list("split", {extent});
  } else if (extent % 2 == 0 && node.dice().one_in(2) && node.version() < 18) {
    node.outputs = 2;
  } else {
    const std::int64_t first = node.dice().between(1, extent - 1);
    node.outputs = 2;
    if (node.facts().attribute("num_outputs") != nullptr && node.dice().one_in(3)) node.set("num_outputs", 2);
    else node.list("split", {first, extent - first});
  }
}

inline void make_pad(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1});
  const std::size_t rank = NodeMaker::rank(x);
  Ints pads(2 * rank);
  const bool like_an_image = rank >= 3 && node.dice().one_in(2);
  for (std::size_t i = 0; i < rank; ++i) {
    if (like_an_image && i < 2) continue;
    if (node.dice().one_in(2)) pads[i] = node.dice().any_of<std::int64_t>({0, 1, 1, 2});
    if (node.dice().one_in(2)) pads[rank + i] = node.dice().any_of<std::int64_t>({0, 1, 1, node.is_free ? -1 : 1});
  }
  node.list("pads", pads);
  node.may("mode", node.dice().any_of({"constant", "reflect", "edge"}), 4);
  if (node.facts().attribute("value") != nullptr) node.may("value", node.dice().any_of({0.0, 0.0, 1.5}), 3);
  else if (node.wanted(2, 3)) node.constant(2, Tensor::of(x.dtype(), {}, {node.dice().any_of({0.0, 0.0, 1.0})}));
}

inline void make_block(NodeMaker& node) {
  const Dims dims = NodeMaker::dims(node.numeric(0, 4, 4));
  node.set("blocksize", 2);
  if (node.is("DepthToSpace")) node.may("mode", node.dice().any_of({"DCR", "CRD"}));
}

inline void make_reverse_sequence(NodeMaker& node) {
  const Dims dims = NodeMaker::dims(node.numeric(0, 2));
  const bool time_first = node.dice().one_in(2);
  Ints lengths(static_cast<std::size_t>(dims[time_first ? 1 : 0]));
  const std::int64_t longest = std::max<std::int64_t>(dims[time_first ? 0 : 1], 1);
  for (std::int64_t& length : lengths) length = node.dice().between(1, longest);
  node.ints(1, lengths);
  node.set("batch_axis", time_first ? 1 : 0);
  node.set("time_axis", time_first ? 0 : 1);
}

inline void make_trilu(NodeMaker& node) {
  node.value(0, {.least_rank = 2});
  node.may("upper", 0);
  if (node.wanted(1)) node.constant(1, Tensor::scalar<std::int64_t>(node.dice().between(-1, 1)));
}

inline void make_center_crop_pad(NodeMaker& node) {
  Ints target = NodeMaker::dims(node.numeric(0, 1));
  for (std::int64_t& extent : target) extent = std::max<std::int64_t>(1, extent + node.dice().between(-1, 1));
  node.ints(1, target);
}

GRAFT_INLINE std::span<const Recipe> movement_recipes() {
  static constexpr Recipe all[] = {{"Transpose", make_transpose},
                                   {"Reshape", make_reshape},
                                   {"Flatten", make_flatten},
                                   {"Squeeze", make_squeeze},
                                   {"Unsqueeze", make_unsqueeze},
                                   {"Expand", make_expand},
                                   {"Tile", make_tile},
                                   {"Concat", make_concat},
                                   {"Split", make_split},
                                   {"Pad", make_pad},
                                   {"DepthToSpace|SpaceToDepth", make_block},
                                   {"ReverseSequence", make_reverse_sequence},
                                   {"Trilu", make_trilu},
                                   {"CenterCropPad", make_center_crop_pad}};
  return all;
}

}  // namespace graft::inline v1::detail
