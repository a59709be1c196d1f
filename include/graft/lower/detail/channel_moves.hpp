#pragma once
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/lower/detail/channel_view.hpp>

namespace graft::inline v1::detail {

/// The outputs of a node that does nothing but move channels of its first input: Split, Slice, Gather, Transpose,
/// Identity, and those that reshape. None of another node, or if it moves something else too, such as pixels.
std::vector<ChannelView> moved_channels(const Node& node, const ChannelView& input);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/lower/detail/channel_moves.ipp>
#endif
