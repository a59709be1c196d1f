#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// MaxRoiPool. x [N, C, H, W] and rois [R, 5] into [R, C, pooled_shape...].
inline Verdict max_roi_pool(InferContext& c) {
  const Shape x = c.shape(0), rois = c.shape(1);
  const auto pooled = c.attr<Ints>("pooled_shape");
  if (!pooled) return Verdict::no("pooled_shape is missing");
  for (const std::int64_t extent : *pooled)
    if (extent < 1) return Verdict::no("pooled_shape is not positive");
  std::vector<Dim> out{rois.known() && rois.rank() == 2 ? rois[0] : Dim(), x.known() && x.rank() >= 2 ? x[1] : Dim()};
  out.insert(out.end(), pooled->begin(), pooled->end());
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// RoiAlign. x [N, C, H, W] and rois [R, 4] into [R, C, output_height, output_width].
inline Verdict roi_align(InferContext& c) {
  const Shape x = c.shape(0), rois = c.shape(1), batch = c.shape(2);
  Dim count = rois.known() && rois.rank() == 2 ? rois[0] : Dim();
  if (batch.known() && batch.rank() == 1) {
    const auto both = unify(count, batch[0]);
    if (!both) return Verdict::no("rois and batch_indices differ in number");
    count = *both;
  }
  if (c.attr("output_height", 1) < 1 || c.attr("output_width", 1) < 1) return Verdict::no("the size is not positive");
  const Dim channels = x.known() && x.rank() == 4 ? x[1] : Dim();
  c.set_shape(0, {count, channels, Dim(c.attr("output_height", 1)), Dim(c.attr("output_width", 1))});
  return Verdict::yes();
}

/// GridSample. Samples X [N, C, spatial...] at the positions in grid [N, spatial..., rank - 2].
inline Verdict grid_sample(InferContext& c) {
  const Shape x = c.shape(0), grid = c.shape(1);
  if (!x.known() && !grid.known()) return Verdict::yes();
  const std::size_t rank = x.known() ? x.rank() : grid.rank();
  if (rank < 3 || (grid.known() && grid.rank() != rank)) return Verdict::no("X and grid differ in rank");
  std::vector<Dim> out(rank);
  if (x.known()) {
    out[0] = x[0];
    out[1] = x[1];
  }
  if (grid.known()) {
    const auto batch = unify(out[0], grid[0]);
    if (!batch) return Verdict::no("X and grid differ in batch size");
    out[0] = *batch;
    for (std::size_t axis = 2; axis < rank; ++axis) out[axis] = grid[axis - 1];
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// AffineGrid. Size [N, C, spatial...] into [N, spatial..., number of spatial axes].
inline Verdict affine_grid(InferContext& c) {
  const Contents* const size = c.contents(1);
  if (size == nullptr) return Verdict::yes();
  if (size->elements.size() != 4 && size->elements.size() != 5) return Verdict::no("size must have 4 or 5 elements");
  std::vector<Dim> out{size->elements[0].dim()};
  for (std::size_t i = 2; i < size->elements.size(); ++i) out.push_back(size->elements[i].dim());
  out.emplace_back(static_cast<std::int64_t>(size->elements.size() - 2));
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// Col2Im: [N, C * block, L] into [N, C, image_shape...].
inline Verdict col2im(InferContext& c) {
  const Shape x = c.shape(0);
  const Contents* const image = c.contents(1);
  const auto block = c.ints(2);
  if (image == nullptr) return Verdict::yes();
  std::vector<Dim> out(2);
  if (x.known() && x.rank() == 3) {
    out[0] = x[0];
    if (block) {
      const auto channels = quotient({x[1]}, std::vector<Dim>(block->begin(), block->end()));
      if (!channels) return Verdict::no("the block does not divide the columns");
      out[1] = *channels;
    }
  }
  for (const Integer& extent : image->elements) out.push_back(extent.dim());
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// ImageDecoder: [height, width, channels].
inline Verdict image_decoder(InferContext& c) {
  c.depend_on_data();
  const bool gray = c.attr<std::string_view>("pixel_format").value_or("RGB") == "Grayscale";
  c.set_shape(0, {Dim(), Dim(), Dim(gray ? 1 : 3)});
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
