#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// Gather. The shape of the indices replaces the axis of the data.
inline Verdict gather(InferContext& c) {
  const Shape data = c.shape(0), indices = c.shape(1);
  if (!data.known() || !indices.known()) return Verdict::yes();
  const auto axis = normalized(c.attr("axis", 0), data.rank());
  if (!axis) return Verdict::no("axis is out of range");
  std::vector<Dim> out;
  for (std::size_t d = 0; d < *axis; ++d) out.push_back(data[d]);
  for (std::size_t d = 0; d < indices.rank(); ++d) out.push_back(indices[d]);
  for (std::size_t d = *axis + 1; d < data.rank(); ++d) out.push_back(data[d]);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

inline std::optional<Contents> gather_contents(const InferContext& c) {
  const Contents* const data = c.contents(0);
  const Contents* const indices = c.contents(1);
  if (data == nullptr || indices == nullptr || data->dims.size() != 1 || c.attr("axis", 0) > 0) return std::nullopt;
  Contents taken{data->dtype, indices->dims, {}};
  for (const Integer& index : indices->elements) {
    const auto place = index.known() ? normalized(index.value(), data->elements.size()) : std::nullopt;
    if (index.known() && !place) return std::nullopt;
    taken.elements.push_back(place ? data->elements[*place] : Integer());
  }
  return taken;
}

/// GatherElements. The output has the shape of the indices.
inline Verdict gather_elements(InferContext& c) {
  const Shape data = c.shape(0);
  if (data.known() && !normalized(c.attr("axis", 0), data.rank())) return Verdict::no("axis is out of range");
  c.set_shape(0, c.shape(1));
  return Verdict::yes();
}

/// GatherND. The last axis of the indices selects in the data, behind batch_dims common axes.
inline Verdict gather_nd(InferContext& c) {
  const Shape data = c.shape(0), indices = c.shape(1);
  if (!data.known() || !indices.known()) return Verdict::yes();
  if (indices.rank() == 0) return Verdict::no("the indices are a scalar");
  const Dim depth = indices[indices.rank() - 1];
  const std::int64_t batch = c.attr("batch_dims", 0);
  if (!depth.known()) return Verdict::yes();
  const auto rank = static_cast<std::int64_t>(data.rank());
  if (batch < 0 || batch > rank || depth.value() > rank - batch) {
    return Verdict::no("the indices are deeper than the data");
  }
  std::vector<Dim> out = to_dims(indices);
  out.pop_back();
  for (auto d = static_cast<std::size_t>(batch + depth.value()); d < data.rank(); ++d) out.push_back(data[d]);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// OneHot. Inputs: indices, depth, values. Adds an axis of extent depth.
inline Verdict one_hot(InferContext& c) {
  const Shape indices = c.shape(0);
  if (!indices.known()) return Verdict::yes();
  const auto axis = normalized(c.attr("axis", -1), indices.rank() + 1);
  if (!axis) return Verdict::no("axis is out of range");
  std::vector<Dim> out = to_dims(indices);
  Dim depth;
  if (const Contents* const known = c.contents(1)) {
    if (known->elements.size() == 1) depth = known->elements[0].dim();
  } else if (const auto constant = c.constant(1); constant && constant->size() == 1) {
    depth = Dim(constant->item<std::int64_t>());
  }
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis), depth);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
