#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// Joins the inputs from `first` on, every `step`-th, along an axis.
inline Verdict join(InferContext& c, std::size_t first, std::size_t step, std::int64_t axis_attribute) {
  std::vector<Dim> out;
  std::optional<std::size_t> axis;
  Dim total(0);
  bool all_known = true;
  for (std::size_t i = first; i < c.input_count(); i += step) {
    const Shape x = c.shape(i);
    if (!x.known()) {
      all_known = false;
      continue;
    }
    if (!axis) {
      axis = normalized(axis_attribute, x.rank());
      if (!axis) return Verdict::no("axis is out of range");
      out.resize(x.rank());
    }
    if (x.rank() != out.size()) return Verdict::no("the inputs differ in rank");
    for (std::size_t d = 0; d < out.size(); ++d) {
      if (d == *axis) continue;
      const auto dim = unify(out[d], x[d]);
      if (!dim) return Verdict::no("the inputs differ outside the axis");
      out[d] = *dim;
    }
    total = c.sum(total, x[*axis]);
  }
  if (!axis) return Verdict::yes();
  out[*axis] = all_known ? total : Dim();
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// Concat. Before version 4 axis is 1 by default; later versions require it.
inline Verdict concat(InferContext& c) {
  const auto axis = c.attr<std::int64_t>("axis");
  if (!axis && c.opset() >= 4) return Verdict::yes();
  return join(c, 0, 1, axis.value_or(1));
}

inline std::optional<Contents> concat_contents(const InferContext& c) {
  std::vector<Integer> joined;
  DType dtype = DType::i64;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    const Contents* const part = c.contents(i);
    if (part == nullptr || part->dims.size() != 1) return std::nullopt;
    dtype = part->dtype;
    joined.insert(joined.end(), part->elements.begin(), part->elements.end());
  }
  return Contents::list(std::move(joined), dtype);
}

/// The extents of Split's outputs along its axis. nullopt if they do not add up to the whole.
inline std::optional<std::vector<Dim>> split_sizes(const InferContext& c, const Dim& whole) {
  const std::size_t count = c.output_count();
  std::vector<Dim> sizes(count);
  const auto split = c.parameter("split", 1);
  if (split.given) {
    if (!split.values) return sizes;
    if (split.values->size() != count) return std::nullopt;
    Dim sum(0);
    for (std::size_t i = 0; i < count; ++i) {
      if ((*split.values)[i] < 0) return std::nullopt;
      sizes[i] = Dim((*split.values)[i]);
      sum = add(sum, sizes[i]);
    }
    return unify(sum, whole) ? std::optional(std::move(sizes)) : std::nullopt;
  }
  if (count == 1) return std::vector<Dim>{whole};
  if (!whole.known() || count == 0) return sizes;
  const auto parts = static_cast<std::int64_t>(count);
  // From version 18 the last part is smaller if the parts do not divide the whole.
  const std::int64_t size = c.opset() >= 18 ? (whole.value() + parts - 1) / parts : whole.value() / parts;
  if (size * parts != whole.value() && (c.opset() < 18 || size * (parts - 1) > whole.value())) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) sizes[i] = Dim(size);
  sizes.back() = Dim(whole.value() - size * (parts - 1));
  return sizes;
}

inline Verdict split(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  const auto axis = normalized(c.attr("axis", 0), x.rank());
  if (!axis) return Verdict::no("axis is out of range");
  const auto sizes = split_sizes(c, x[*axis]);
  if (!sizes) return Verdict::no("the parts do not add up to the input");
  for (std::size_t i = 0; i < c.output_count(); ++i) {
    std::vector<Dim> part = to_dims(x);
    part[*axis] = (*sizes)[i];
    c.set_shape(i, std::move(part));
  }
  return Verdict::yes();
}

inline std::optional<Contents> split_contents(const InferContext& c) {
  const Contents* const whole = c.contents(0);
  if (whole == nullptr || whole->dims.size() != 1) return std::nullopt;
  const auto sizes = split_sizes(c, Dim(whole->dims[0]));
  if (!sizes) return std::nullopt;
  std::int64_t first = 0;
  for (std::size_t i = 0; i <= c.output(); ++i) {
    if (!(*sizes)[i].known()) return std::nullopt;
    if (i < c.output()) first += (*sizes)[i].value();
  }
  const auto begin = whole->elements.begin() + first;
  return Contents::list({begin, begin + (*sizes)[c.output()].value()}, whole->dtype);
}

}  // namespace graft::inline v1::infer
