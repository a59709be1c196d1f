#pragma once
#include <cstdint>
#include <span>

#include <graft/evaluate/detail/window.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

/// The elements of its input that a Conv multiplies by a filter, for each position of its output.
class ConvPatches {
 public:
  /// Dims of the input and of the weight: [N, C, spatial...] and [M, C / group, kernel...] with 1 to 3 spatial axes.
  /// Throws Error for other dims, and where the node's attributes do not fit them.
  ConvPatches(const Node& conv, const Dims& input, const Dims& weight);

  /// Positions of the output, and elements of the input, in one channel.
  std::int64_t positions() const { return window_.output_size(); }
  std::int64_t input_size() const { return window_.input_size(); }
  /// Elements of a filter in one channel.
  std::int64_t kernel_size() const { return window_.kernel_size(); }

  /// Writes for each element of the kernel the offset in a channel of the input that it reads; -1 in the padding.
  /// `offsets` has kernel_size() elements.
  void offsets(std::int64_t position, std::span<std::int64_t> offsets) const;

 private:
  standard_kernels::detail::Window window_;
};

}  // namespace graft::inline v1
