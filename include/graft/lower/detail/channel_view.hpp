#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Reshaped and transposed channels of a value [N, C, ...], in any order. Each axis of the view is a product of
/// factors, the innermost last: the batch, spatial axes, and factors of the channels. Example, a shuffle of two groups:
///
///   [N][C][H][W] -> [N C/2][2][H W] -> [2][N C/2][H W] -> [2][N][C/2][H][W] -> [N][C/2][H][W]
///
class ChannelView {
 public:
  /// A view of the whole value; nullopt unless its rank is 3 or more, its channels are known, and it is not empty.
  static std::optional<ChannelView> of(Value& value);

  Value& source() const { return *source_; }
  std::size_t rank() const { return axes_.size(); }
  /// Whether this is [N, channels, ...] again.
  bool is_settled() const { return settled_; }
  /// The channels of the source, in the order of the view, if it is settled.
  const Ints& channels() const { return channels_; }
  bool is_transposed() const { return transposed_; }

  // Each returns whether the result is a view, too.
  bool reshape(const Shape& to);
  bool transpose(const Ints& perm);
  /// Takes these positions along an axis, counted from the front. If `dropped`, there is one position, and the axis
  /// goes.
  bool take(std::size_t axis, const Ints& positions, bool dropped = false);

 private:
  struct Factor {
    std::size_t axis = 0;  // that it was; 1 for the channels
    Dim extent{};
    std::int64_t stride = 0;  // in channels
  };
  using Axis = std::vector<Factor>;

  ChannelView(Value& source, Ints channels);

  void spread();
  void settle();
  static bool move_back(Axis& from, const Dim& extent, Axis& to);
  static bool move_front(Axis& from, const Dim& extent, Axis& to);

  Value* source_;
  Ints channels_;
  std::int64_t first_ = 0;  // the one at position 0 of all factors
  std::vector<Axis> axes_;
  bool settled_ = true, transposed_ = false;
};

/// The outputs of a node that only moves channels of its first input: Split, Slice, Gather, Transpose, Identity and
/// reshaping operators. Empty for other nodes, and if the node moves anything else, such as pixels.
std::vector<ChannelView> moved_channels(const Node& node, const ChannelView& input);

}  // namespace graft::inline v1::detail
